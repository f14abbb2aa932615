// The day of the next cycle is reckoned from the terms wherever it is told; the column was written and read by nobody. A migration that has
// been released is never edited.

export const statements = ['alter table subscriptions drop column next_collection_date']
