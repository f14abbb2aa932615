// A store remembers whether it is a sandbox's or production's. A migration that has been released is never edited.

/** Of a store from before that was remembered. Nothing where it has not been opened yet, or an operator has said it by hand. */
export const modeFromBefore = `select 'mode' as name,
  case when exists (select 1 from merchants where mid = 'DEMO0000000000000001') then 'sandbox' else 'production' end as value
  from settings where name = 'masterKeyCheck' and not exists (select 1 from settings where name = 'mode')`

export const statements = [`insert into settings (name, value) ${modeFromBefore}`]
