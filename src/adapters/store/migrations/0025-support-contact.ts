// Whom payers of a merchant ask where money may be on its way. A migration that has been released is never edited.

export const statements = ['alter table merchants add column support_contact text']
