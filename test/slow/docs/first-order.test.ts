// examples/first-order.sh against a served process: it ends at a paid order each time, and names the step that fails.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort } from '../../support/run/example-shops.ts'
import { type ServedProcess, serveProcess } from '../../support/run/process.ts'
import { KEY, MID } from '../../support/run/service.ts'
import { bash, blocksOf, needsProgram } from '../../support/text/shell-blocks.ts'

const [, line] = blocksOf('README.md')
const folder = mkdtempSync(join(tmpdir(), 'mohur-first-order-'))
let service: ServedProcess
before(async () => {
  for (const program of ['bash', 'curl', 'node']) needsProgram(program)
  service = await serveProcess({ MOHUR_DATA: folder, MOHUR_LOG: 'warn' })
})
after(async () => {
  await service.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

/** The line of README.md. The environment goes before it, as a reader writes it. */
const run = (environment: Record<string, string> = {}) =>
  bash(line!.replace('http://127.0.0.1:8080', environment['MOHUR_URL'] ?? service.url), folder, environment)

const scripted = async (orderId: string, outcomes: readonly string[]) => {
  const response = await fetch(`${service.url}/sandbox/bank/script`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mid: MID, orderId, outcomes }),
  })
  assert.equal(response.status, 200, await response.text())
}

test('the line of README.md pays an order, and another order the second time', async () => {
  assert.match(line!, /^MOHUR_URL=http:\/\/127\.0\.0\.1:8080 examples\/first-order\.sh\n$/)
  const orders: string[] = []
  for (let time = 0; time < 2; time++) {
    const { code, out, err } = await run()
    assert.deepEqual([code, err], [0, ''], out)
    for (const step of ['1. Create Order', '2. Process Transaction', '3. Order Status'])
      assert.ok(out.includes(`\n${step}`) || out.startsWith(step), step)
    const [, orderId, txnId] = /^PAID: order (\S+), Rs 499\.00, transaction (\d+)\.$/m.exec(out)!
    const shown = await bash(`npx mohur order show ${orderId}`, folder)
    assert.match(shown.out, new RegExp(txnId!))
    assert.match(shown.out, /PAID/)
    orders.push(orderId!)
  }
  assert.notEqual(orders[0], orders[1])
})

test('an order that exists already fails at the first step, with its code and the sandbox’s hint', async () => {
  assert.equal((await run({ ORDER: 'TWICE_1' })).code, 0)
  const { code, out, err } = await run({ ORDER: 'TWICE_1' })
  assert.equal(code, 1)
  assert.match(err, /^FAILED: resultStatus is 'F' and not 'S': .*\w/)
  assert.doesNotMatch(out, /2\. Process/)
})

test('a wrong key, a card that the bank declines and a service that is not there end it with 1 and a sentence', async () => {
  const wrong = await run({ KEY: KEY.toLowerCase() })
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /^FAILED: .*key; at head\.signature/)

  await scripted('DECLINED_1', ['declined'])
  const declined = await run({ ORDER: 'DECLINED_1' })
  assert.equal(declined.code, 1)
  assert.match(declined.err, /^FAILED: STATUS is 'TXN_FAILURE' and not 'TXN_SUCCESS'/)
  assert.doesNotMatch(declined.out, /PAID/)

  const away = await run({ MOHUR_URL: `http://127.0.0.1:${await freePort()}` })
  assert.equal(away.code, 1)
  assert.match(away.err, /FAILED: no reply from .* Start the service with 'npm start', or set MOHUR_URL/)
})
