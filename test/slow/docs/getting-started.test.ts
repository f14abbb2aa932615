// docs/getting-started.md as a reader follows it, in each of its languages: the shop that the page starts, then every command of the page.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { type ExampleShop, exampleShops, freePort, openShop, startedHere } from '../../support/run/example-shops.ts'
import { serveProcess } from '../../support/run/process.ts'
import { bash, blocksOf, needsProgram } from '../../support/text/shell-blocks.ts'

const PAGE = 'docs/getting-started.md'
const examples = resolve(import.meta.dirname, '../../../examples')
const isStart = (block: string) => block.startsWith('mkdir ')
const isInstall = (block: string) => block.startsWith('npm ')
const commands = blocksOf(PAGE).filter((block) => !isStart(block) && !isInstall(block))

/** The block of the page that copies this shop and starts it. */
function startOf({ file }: ExampleShop): string {
  const found = blocksOf(PAGE).filter((block) => isStart(block) && block.includes(`cp examples/${file} `))
  assert.equal(found.length, 1, `${PAGE} starts ${file} once`)
  return found[0]!
}

test('every block of the page is an install, a start of a shop, or a command', () => {
  assert.equal(blocksOf(PAGE).filter(isInstall).length, 1)
  assert.equal(blocksOf(PAGE).filter(isStart).length, exampleShops.length)
  assert.ok(commands.length >= 7, commands.join('\n'))
})

for (const shop of exampleShops) {
  if (shop.command === undefined) continue
  test(`${shop.file}: the commands of the page pay an order, refuse a changed callback, and give the money back once`, async () => {
    for (const program of ['bash', 'curl']) needsProgram(program)
    const folder = mkdtempSync(join(tmpdir(), 'mohur-hour-'))
    after(() => rmSync(folder, { recursive: true, force: true }))
    const service = await serveProcess({ MOHUR_DATA: folder, MOHUR_LOG: 'warn' })
    try {
      const port = await freePort()
      const root = resolve(examples, '..')
      const { url, said } = await openShop(startedHere(startOf(shop), shop, service.url, port), shop, port, {
        cwd: root,
        env: { HOME: folder },
      })
      const script = commands.join('\n').replaceAll('http://127.0.0.1:8080', service.url).replaceAll('http://127.0.0.1:3000', url)
      const { code, out, err } = await bash(script, folder)
      assert.deepEqual([code, err], [0, ''], out)

      const [, orderId] = /name="orderId" value="(\w+)"/.exec(out)!
      assert.match(out, /"txnInfo":\{.*"STATUS":"TXN_SUCCESS"/)
      assert.match(out, /That cannot be done\. 400\n/, 'a changed callback')
      assert.match(out, /<h1>TXN_SUCCESS<\/h1>.* 200\n/, 'the callback as it came')
      assert.match(out, /"resultStatus":"TXN_SUCCESS".*"payableAmount":"499\.00"/, 'Order Status')
      const delivered = [...out.matchAll(/"status":"DELIVERED","event":"(\w+)\|/g)].map(([, event]) => event)
      assert.deepEqual(
        delivered,
        ['transaction', 'transaction', 'refund'],
        'the sandbox shows what it sent, once after the payment and once after the refund',
      )
      assert.match(out, /<h1>paid<\/h1><p>[^<]*SALE TXN_SUCCESS/, 'the notification')
      assert.equal(out.match(/<h1>PENDING<\/h1>/g)?.length, 2, 'the refund is asked for twice')
      assert.match(out, /<h1>refund TXN_SUCCESS<\/h1><p>[^<]*REFUND TXN_SUCCESS/)
      const refunds = out.split('\n').filter((line) => line.startsWith('refund R_'))
      assert.equal(refunds.length, 1, 'the history has one refund')
      assert.match(refunds[0]!, new RegExp(`^refund R_${orderId} .* SUCCESS \\(success\\) {2}Rs 499\\.00`))
      assert.doesNotMatch(said(), /error|warning|traceback/i)
    } finally {
      await service.kill('SIGTERM')
    }
  })
}

for (const [language, file] of [
  ['js', 'node/shop.mjs'],
  ['php', 'php/shop.php'],
  ['python', 'python/shop.py'],
] as const)
  test(`the code of the page in ${language} stands in examples/${file} as it is shown`, () => {
    const source = readFileSync(join(examples, file), 'utf8')
    const shown = blocksOf(PAGE, language)
    assert.ok(shown.length > 0)
    for (const block of shown) assert.ok(source.includes(block), block)
  })
