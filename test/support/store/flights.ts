// One batch, committed through a proxy that disturbs one of its statements. Compares the callers' replies with the stored rows.

import { type Operation, operation, refuse } from '../../../src/engine/decision.ts'
import { CommitUnknown } from '../../../src/engine/store.ts'
import { createOrder as codes } from '../../../src/interface/result-codes.ts'
import { merchantKey, settingKey } from '../../../src/tables/keys.ts'
import { find } from '../../../src/tables/tables.ts'
import { type Fate, proxyStatements, type Statement } from './statement-proxy.ts'
import { emptyPlace, newEngine, openStore, type TestStore } from './stores.ts'

interface Command {
  /** The row in which all commands of a batch count. */
  shared: string
  name: string
}
/** Reads in two rounds, with locks, looks and finds. Then it writes in every way that a decision can. */
const touch: Operation<Command> = operation({
  name: 'touch',
  codes,
  reads: ({ shared, name }: Command) => ({
    own: settingKey(name),
    counter: settingKey(shared),
    merchant: merchantKey(name),
    others: find('customers', { equals: { mobile: name }, limit: 1 }),
  }),
  readsNext: ({ name }) => ({ old: settingKey(`${name} old`) }),
  decide({ shared, name }, { own, counter, old }) {
    if (own || !counter || !old) return refuse(codes.duplicateOrderId)
    return {
      reply: { result: codes.success },
      changes: [
        { kind: 'insert', key: settingKey(name), row: { name, value: 'mine' } },
        { kind: 'update', key: settingKey(shared), row: { name: shared, value: String(Number(counter.value) + 1) } },
        { kind: 'delete', key: settingKey(`${name} old`) },
      ],
      events: [{ type: 'test.touched', owner: 'M', id: name, version: 1, from: '', to: 'A', at: 1, data: {} }],
      tasks: [
        { kind: 'add', task: 'test.due', subject: name, dueAt: 1, payload: {} },
        { kind: 'cancel', task: 'test.due', subject: `${name} old` },
      ],
    }
  },
})
/** Another process that inserts a command's key first. */
const take: Operation<string> = operation({
  name: 'take',
  codes,
  reads: (name: string) => ({ own: settingKey(name) }),
  decide: (name, { own }) =>
    own
      ? refuse(codes.duplicateOrderId)
      : {
          reply: { result: codes.success },
          changes: [{ kind: 'insert', key: settingKey(name), row: { name, value: 'theirs' } }],
          events: [],
          tasks: [],
        },
})

export const KINDS = ['cut before', 'cut behind', 'error', '40001', '40P01', '40003', 'terminated', 'lost race', 'refused row'] as const
export type Kind = (typeof KINDS)[number]

/** The replies to the callers of one batch. `failed` is certain: nothing of the command is stored. */
export type Reported = 'success' | 'refused' | 'failed' | 'unknown'
export interface Outcome {
  place: string
  kind: Kind
  reported: readonly Reported[]
  /** Contradictions to the replies, and commands that are stored in part. Empty when all is well. */
  faults: readonly string[]
}

export interface Flights {
  /** The statements of a batch, in order. A case names its statement by its place here. */
  places: readonly string[]
  /** How often a batch waited for the server. */
  journeys: number
  run(at: number, kind: Kind): Promise<Outcome>
  close(): Promise<void>
}

const failing = (sqlState: string) => ({ instead: `do $$ begin raise exception 'injected' using errcode = '${sqlState}'; end $$` })
/** The place's name, as `insert settings`. */
const placeOf = (text: string) => {
  const [, verb, table] = /^\s*(select|insert|delete|begin|commit|rollback)(?:.*?\s(?:from|into)\s(\w+))?/s.exec(text) ?? []
  const how = /do update/.test(text) ? 'put' : / for update/.test(text) ? 'lock' : verb
  return table ? `${how} ${table}` : String(verb)
}

/** `size` commands share a batch. On a cold connection each statement is prepared first. */
export async function openFlights({ size, cold }: { size: number; cold: boolean }): Promise<Flights> {
  const place = await emptyPlace('postgres')
  const beside = await openStore('postgres', place)
  await beside.run(...refusedRows)
  const proxy = await proxyStatements(place)
  let through: TestStore | undefined
  let number = 0
  const newBatch = async (name: string): Promise<Command[]> => {
    const commands = Array.from({ length: size }, (_, at) => ({ shared: `${name} shared`, name: `${name} ${at}` }))
    const olds = commands.map(({ name }) => `('${name} old')`).join(', ')
    await beside.run(
      `insert into settings values ('${name} shared', '0')`,
      `insert into settings select name, '' from (values ${olds}) as given(name)`,
      `insert into tasks (task, subject, due_at, attempts, fence, lease_until, payload, added_at)
        select 'test.due', name, 1, 0, 0, 0, '', 0 from (values ${olds}) as given(name)`,
    )
    return commands
  }

  async function commit(commands: readonly Command[], judge: (statement: Statement) => Fate | Promise<Fate>) {
    if (cold) await through?.close()
    if (cold) through = undefined
    through ??= await openStore('postgres', proxy.url)
    const unknown: Error[] = []
    const engine = newEngine(through.store, { commitUnknown: (error) => unknown.push(error) })
    proxy.judge = judge
    const outcomes = await Promise.allSettled(commands.map((command) => engine.submit(touch, command)))
    proxy.judge = () => 'passes'
    const reported = outcomes.map((outcome): Reported => {
      if (outcome.status === 'fulfilled') return outcome.value.result === codes.success ? 'success' : 'refused'
      return outcome.reason instanceof CommitUnknown ? 'unknown' : 'failed'
    })
    return { reported, isStopped: unknown.length > 0 }
  }

  const places: string[] = []
  const dry = await newBatch('dry')
  if (!cold) await commit(await newBatch('warm'), () => 'passes')
  const before = proxy.journeys.length
  await commit(dry, ({ text }) => {
    places.push(placeOf(text))
    return 'passes'
  })

  return {
    places,
    journeys: proxy.journeys.length - before,
    async run(at, kind) {
      const name = `${kind} ${at} ${++number}`
      const commands = await newBatch(name)
      const victim = commands[Math.floor(size / 2)]!.name
      if (kind === 'refused row') await beside.run(`insert into refused_rows values ('${places[at]}', '${victim}')`)
      let [seen, isOver] = [-1, false]
      let rival: Promise<unknown> = Promise.resolve()
      const fate = async ({ backend, reached }: Statement): Promise<Fate> => {
        await reached()
        switch (kind) {
          case 'cut before':
          case 'cut behind':
            return kind
          case 'error':
            return failing('22012')
          case '40001':
          case '40P01':
          case '40003':
            return failing(kind)
          case 'terminated':
            await beside.run(`select pg_terminate_backend(${backend}, 5000)`)
            return 'passes'
          case 'lost race':
            rival = newEngine(beside.store).submit(take, victim)
            await endsOrWaits(rival, beside)
            return 'passes'
          case 'refused row':
            return 'passes'
          default:
            return kind satisfies never
        }
      }
      const { reported, isStopped } = await commit(commands, (statement) => {
        // A connection that the case before has broken may send its last statement now.
        if (isOver || statement.text === 'rollback' || ++seen !== at) return 'passes'
        isOver = true
        return fate(statement)
      })
      await rival
      const faults = await faultsOf(beside, commands, reported)
      if (isStopped !== reported.includes('unknown')) faults.push('the process was not told what its callers were')
      return { place: places[at]!, kind, reported, faults }
    },
    async close() {
      await through?.close()
      await beside.close()
      await proxy.close()
    },
  }
}

/** The database refuses a row of one command, at one of the statements that write. */
const refusedRows = [
  'create table refused_rows (place text, name text)',
  `create function refuse_row() returns trigger language plpgsql as $$
    declare given text := coalesce(to_jsonb(new), to_jsonb(old))->>tg_argv[0];
    begin
      if exists (select from refused_rows where place = tg_argv[1] and (name = given or name || ' old' = given)) then
        raise exception 'refused' using errcode = '23514';
      end if;
      return coalesce(new, old);
    end $$`,
  ...[
    ['settings', 'name'],
    ['events', 'id'],
    ['tasks', 'subject'],
  ].flatMap(([table, column]) => [
    `create trigger refuse_insert before insert on ${table} for each row execute function refuse_row('${column}', '${table === 'tasks' ? 'put' : 'insert'} ${table}')`,
    `create trigger refuse_delete before delete on ${table} for each row execute function refuse_row('${column}', 'delete ${table}')`,
  ]),
]

/** Waits until the work is done, or waits for a row that this test has locked. */
async function endsOrWaits(work: Promise<unknown>, { rows }: TestStore) {
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
  while (!isDone && (await rows(waiting)).length === 0);
}

/** A command is stored whole or not at all, as its caller learned, and counted once. */
async function faultsOf({ rows }: TestStore, commands: readonly Command[], reported: readonly Reported[]): Promise<string[]> {
  const faults: string[] = []
  let kept = 0
  const names = commands.map(({ name }, at) => `('${name}', ${at})`).join(', ')
  const found = await rows<Record<string, boolean>>(`select
    exists (select from settings where settings.name = given.name and value = 'mine') as inserted,
    not exists (select from settings where settings.name = given.name || ' old') as deleted,
    exists (select from events where id = given.name) as told,
    exists (select from tasks where subject = given.name) as due,
    not exists (select from tasks where subject = given.name || ' old') as cancelled
    from (values ${names}) as given(name, at) order by at`)
  for (const [at, row] of found.entries()) {
    const parts = Object.values(row)
    const isKept = parts.every(Boolean)
    if (!isKept && parts.some(Boolean)) faults.push(`half of a command was committed: ${JSON.stringify(row)}`)
    if (isKept) kept++
    if (reported[at] === 'success' && !isKept) faults.push('told success and not committed')
    if ((reported[at] === 'failed' || reported[at] === 'refused') && isKept) faults.push('committed and not told success')
  }
  if (found.length !== commands.length) faults.push('not every command was looked for')
  const [counted] = await rows<{ value: string }>(`select value from settings where name = '${commands[0]!.shared}'`)
  if (Number(counted?.value) !== kept) faults.push(`${kept} were committed and ${counted?.value} counted`)
  return faults
}

/** The replies that callers of a batch may get after a fault at one of its statements. */
export function expected({ place, kind, reported }: Outcome): RegExp {
  const all = (one: Reported) => new RegExp(`^${one}( ${one})*$`)
  const again: Reported = reported.length > 1 ? 'success' : 'failed' // the engine decides it again alone, which a batch of one was already
  const isFirstFlight = /^(begin|select|lock)/.test(place)
  const asCut = /^(failed( failed)*|success( success)*)$/
  switch (kind) {
    case 'cut before':
    case 'cut behind':
      // Before BEGIN is answered the database is out of reach; afterwards each command is decided again, alone.
      if (isFirstFlight) return asCut
      return all('unknown')
    case 'terminated':
      if (place === 'begin') return all('failed')
      // On a busy machine the server's last word may be lost with its connection, which is a cut. Or the end is noticed with the answer before:
      // then it is certain that COMMIT was not carried out.
      return isFirstFlight ? asCut : new RegExp(`${all('unknown').source}|${all(again).source}`)
    case 'error':
      return all(place === 'begin' ? 'failed' : again)
    case '40003':
      if (place === 'commit') return all('unknown')
      return all(place === 'begin' ? 'failed' : again)
    case '40001':
    case '40P01':
      return all(place === 'begin' ? 'failed' : 'success')
    case 'lost race':
      // The first insert gets the key.
      return /^(begin|select|lock|delete settings|put settings|insert settings)/.test(place)
        ? /^(success )*refused( success)*$/
        : all('success')
    case 'refused row':
      return /^(insert|delete)|put tasks/.test(place) ? /^(success )*failed( success)*$/ : all('success')
    default:
      return kind satisfies never
  }
}

/** A table for readers: the callers' replies, place by kind. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const places = [...new Set(outcomes.map(({ place }) => place))]
  const cell = (reported: readonly Reported[] | undefined) =>
    reported ? [...Map.groupBy(reported, (one) => one)].map(([one, all]) => `${all.length} ${one}`).join(', ') : ''
  const lines = [
    ['', ...KINDS],
    ...places.map((place) => [
      place,
      ...KINDS.map((kind) => cell(outcomes.find((one) => one.place === place && one.kind === kind)?.reported)),
    ]),
  ]
  const widths = lines[0]!.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)))
  return lines
    .map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
