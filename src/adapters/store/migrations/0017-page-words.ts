// The language of a merchant's pages for whoever's browser names none, and the name that banks know him by. A migration that has been released
// is never edited.

export const statements = ['alter table merchants add column page_language text', 'alter table merchants add column utility_code text']
