// docs/moving.md, "Your own code with a checksum library": each change, applied to a shop in its language, and the shop sells.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { CARD_FIELDS, formsOf, openPage, Visitor } from '../../support/pages/pages.ts'
import { interpreterOf } from '../../support/run/interpreters.ts'
import { MID, type Service, startService } from '../../support/run/service.ts'

const root = resolve(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/moving.md'), 'utf8')
const [, section] = /^### Your own code with a checksum library\n(.*?)^### /ms.exec(page)!
const diffs = new Map([...section!.matchAll(/^In (\w+):\n\n```diff\n(.*?)```/gms)].map(([, language, diff]) => [language!, diff!]))

const LINES_MAX = 10
const SANDBOX = 'http://127.0.0.1:8080'

interface Shop {
  language: string
  file: string
  command: string | undefined
  /** Where the library is that the shop calls, and its name beside the shop. Node's is the published one. */
  library: readonly [from: string, name: string]
}
const shops: readonly Shop[] = [
  { language: 'Node', file: 'shop.mjs', command: process.execPath, library: ['node_modules', 'node_modules'] },
  {
    language: 'PHP',
    file: 'shop.php',
    command: interpreterOf('php'),
    library: ['test/support/checksum/PaytmChecksum.php', 'PaytmChecksum.php'],
  },
  {
    language: 'Python',
    file: 'shop.py',
    command: interpreterOf('python'),
    library: ['test/support/checksum/PaytmChecksum.py', 'PaytmChecksum.py'],
  },
]

const linesOf = (diff: string, sign: '-' | '+') =>
  diff
    .split('\n')
    .filter((line) => line.startsWith(sign))
    .map((line) => line.slice(1))
    .join('\n')

/** The removed lines stand once in the file, one below the other; the added ones take their place. */
function applied(diff: string, text: string): string {
  const [removed, added] = [linesOf(diff, '-'), linesOf(diff, '+')]
  assert.equal(text.split(`\n${removed}\n`).length, 2, 'the lines that go stand once in the shop')
  return text.replace(`\n${removed}\n`, `\n${added}\n`)
}

/** The shop after the change, in a folder of its own: what it prints for an action. */
function opened({ language, file, command, library: [from, name] }: Shop, { url }: Service) {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-own-code-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const changed = applied(diffs.get(language)!, readFileSync(join(import.meta.dirname, 'own-code', file), 'utf8'))
  assert.equal(changed.split(SANDBOX).length, 2)
  writeFileSync(join(folder, file), changed.replace(SANDBOX, url))
  if (name === 'node_modules') symlinkSync(join(root, from), join(folder, name))
  else copyFileSync(join(root, from), join(folder, name))
  return async (args: readonly string[], input = '') => {
    const run = promisify(execFile)(command!, [file, ...args], { cwd: folder })
    run.child.stdin!.end(input)
    return (await run).stdout.trim()
  }
}

test('moving.md has a change of at most ten lines for each language', () => {
  assert.deepEqual(
    [...diffs.keys()],
    shops.map(({ language }) => language),
  )
  for (const [language, diff] of diffs) assert.ok(diff.trimEnd().split('\n').length <= LINES_MAX, language)
})

for (const shop of shops) {
  if (shop.command === undefined) continue
  test(`a shop's own code in ${shop.language} sells after the change, and believes only what Mohur signed`, async (t) => {
    const service = await startService('sqlite')
    after(() => service.close())
    const say = opened(shop, service)
    const orderId = `OWN_${shop.language}`
    const txnToken = await say(['order', orderId])
    const visitor = new Visitor(service, await openPage(service, { orderId, txnToken }))
    assert.equal(await say(['status', orderId]), 'TXN_FAILURE') // no payer has paid yet
    const paid = await visitor.send({ panel: 'card' }, CARD_FIELDS)
    const { fields } = formsOf(paid.text).find(({ fields }) => fields['CHECKSUMHASH'])!
    assert.equal(fields['MID'], MID)
    const heard = await say(['callback'], JSON.stringify(fields))
    const forged = await say(['callback'], JSON.stringify({ ...fields, TXNAMOUNT: '1.00' }))
    const status = await say(['status', orderId])
    assert.deepEqual([heard, forged, status], ['TXN_SUCCESS', 'not signed', 'TXN_SUCCESS'])
    t.diagnostic(`${shop.language}: order ${orderId} paid; callback ${heard}, forged ${forged}, status ${status}`)
  })
}
