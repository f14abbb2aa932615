/**
 * Runs the clients of docs/moving.md against this checkout and prints a table of the results: `npm run clients -- [folder] [names]`.
 *
 * `folder` has the clients' repositories as git directories or checkouts, by the names `owner+name`, `owner+name/repo` or `name`. A client
 * whose repositories lie there runs from its source; it needs the Debian packages that docs/moving.md names. For every other client the
 * recorded exchange is sent again. With RECORD=1 a run from source writes its exchange to recorded/.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startService } from '../support/run/service.ts'
import type { Client } from './client.ts'
import { runFromSource } from './from-source.ts'
import { type ClientWithTest, type ListedClient, listed } from './listed.ts'
import type { Recorded } from './outcome.ts'
import { replay } from './replay.ts'
import { isAtHand } from './sources.ts'

type Result = 'whole' | 'partly' | 'not'
interface TableLine {
  name: string
  version: string
  how: string
  result: Result
  /** What the client lacks, what it needs to work fully, and which part of it did not run. */
  says: string
  /** A failure's text beyond its first line. */
  details?: readonly string[]
}

const root = resolve(import.meta.dirname, '../..')
const given = process.argv.slice(2)
const folder = given.find((each) => existsSync(each))
const names = given.filter((each) => each !== folder)
for (const name of names) if (!listed.some((client) => client.name === name)) throw new Error(`no client has the name ${name}`)

const wanted = listed.filter(({ name }) => names.length === 0 || names.includes(name))
const published = wanted.filter((client): client is Client => 'steps' in client)
const fromSource = new Set(published.filter((client) => folder !== undefined && isAtHand(folder, client)))
const found = new Map<ListedClient, TableLine>()

for (const client of wanted) if ('not' in client) found.set(client, { ...client, how: 'not run', result: 'not', says: client.not })
for (const client of wanted) if ('test' in client) note(client, await runTest(client))
const ran = fromSource.size > 0 ? runFromSource(folder!, [...fromSource]) : []
for await (const [client, { how, differences }] of ran) note(client, lineOf(client, how, differences))
for (const client of published) if (!fromSource.has(client)) note(client, await replayed(client))
print(wanted.map((client) => found.get(client)!))

function note(client: ListedClient, line: TableLine) {
  console.error(`${line.result.padEnd(7)} ${line.name}`)
  found.set(client, line)
}

/** `differences` is empty where the client did what its merchant expects. */
function lineOf(client: Client | ClientWithTest, how: string, differences: readonly string[]): TableLine {
  const { name } = client
  const version = 'version' in client ? client.version : `${client.repository} ${client.commit.slice(0, 7)}`
  if (differences.length > 0) return { name, version, how, result: 'not', says: differences[0]!.split('\n')[0]!, details: differences }
  const { lacks } = client
  const { needs, unseen } = 'steps' in client ? client : {}
  return { name, version, how, result: lacks === undefined ? 'whole' : 'partly', says: [lacks, needs, unseen].filter(Boolean).join(' ') }
}

async function replayed(client: Client): Promise<TableLine> {
  const how = 'recorded exchange replayed'
  const run: Recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'recorded', `${client.name}.json`), 'utf8'))
  const service = await startService('sqlite')
  try {
    await replay(service, run)
    return lineOf(client, how, [])
  } catch (error) {
    return lineOf(client, how, (error as Error).message.split('\n'))
  } finally {
    await service.close()
  }
}

/** A test counts where at least one test of the client ran and none failed. */
async function runTest(client: ClientWithTest): Promise<TableLine> {
  const args = ['bin/run.mjs', 'test/support/run/run.ts', '--quick', client.test]
  if (client.pattern) args.push(`--test-name-pattern=${client.pattern}`)
  const env = { ...process.env, MOHUR_CLIENTS: 'required', MOHUR_BROWSER: 'required' }
  const out = await new Promise<string>((done) => {
    execFile(process.execPath, args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => done(stdout + stderr))
  })
  const passed = /^ℹ pass ([0-9]+)$/m.exec(out)?.[1]
  const failed = /^ℹ fail ([0-9]+)$/m.exec(out)?.[1]
  const isWhole = Number(passed) > 0 && failed === '0'
  return lineOf(client, client.how, isWhole ? [] : [`${client.test}: ${passed} passed, ${failed} failed`, out.slice(-2_000)])
}

function print(lines: readonly TableLine[]) {
  console.log('| Client | Version | How it ran | Result | What it lacks or needs, or did not run |\n|---|---|---|---|---|')
  for (const { name, version, how, result, says } of lines) console.log(`| ${name} | ${version} | ${how} | ${result} | ${says} |`)
  for (const { name, details = [] } of lines) for (const line of details) console.log(`${name}: ${line}`)
  const count = (result: Result) => lines.filter((line) => line.result === result).length
  console.log(`${count('whole')} whole, ${count('partly')} partly, ${count('not')} not, of ${lines.length} clients`)
  process.exitCode = lines.some(({ details }) => details) ? 1 : 0
}
