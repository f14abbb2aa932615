// How many QR codes and links to UPI apps the payer of an order has left unpaid: they cost none of its five attempts. A migration that has been
// released is never edited.

export const statements = ['alter table orders add column links_left integer not null default 0']
