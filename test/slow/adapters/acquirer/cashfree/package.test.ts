// The official package `cashfree-pg`, unmodified, at the simulator: its own order tests, one order from end to end, and its verifier of
// webhooks.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { isSignedByCashfree } from '../../../../../src/adapters/acquirer/cashfree/signature.ts'
import type { Driven, Webhook } from '../../../../support/cashfree/package-drive.ts'
import { CashfreeSimulator, CLIENT_ID, CLIENT_SECRET } from '../../../../support/cashfree/simulator.ts'
import { areClientsRequired, installedClient } from '../../../../support/run/installed-client.ts'
import { Random } from '../../../../support/text/random.ts'

const NAME = 'cashfree-pg'
const WEBHOOKS = 2_000
const SEED = 20_261_127
const DRIVE = join(import.meta.dirname, '../../../../support/cashfree/package-drive.ts')
const LETTERS = ['a', 'Z', '7', ' ', '\n', '"', '\\', 'é', '₹', 'क', '😀']

/** Returns the last line of the process beside this one. */
async function driven(from: string, url: string, webhooks: readonly Webhook[]): Promise<Driven> {
  const child = spawn(process.execPath, [DRIVE, from, url], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(webhooks))
  return JSON.parse((await text(child.stdout)).trim().split('\n').at(-1)!)
}

const ALTER: readonly ((webhook: Webhook, random: Random) => Webhook)[] = [
  (webhook) => ({ ...webhook, body: `${webhook.body} ` }),
  (webhook) => ({ ...webhook, timestamp: String(Number(webhook.timestamp) + 1) }),
  (webhook) => ({ ...webhook, signature: webhook.signature.replace(/=$/, '') }),
  (webhook) => ({ ...webhook, signature: webhook.signature.replaceAll('+', '-').replaceAll('/', '_') }),
  (webhook) => ({ ...webhook, signature: ` ${webhook.signature}` }),
  (webhook) => ({ ...webhook, signature: '' }),
  (webhook, random) => {
    const at = random.below(43)
    return { ...webhook, signature: `${webhook.signature.slice(0, at)}A${webhook.signature.slice(at + 1)}` }
  },
]

/** The simulator signs half of them, the published scheme the other half. Every other webhook of each half is altered. */
async function drawnWebhooks(bank: CashfreeSimulator): Promise<Webhook[]> {
  const random = new Random(SEED)
  await fetch(`${bank.url}/orders`, {
    method: 'POST',
    headers: { 'x-api-version': '2025-01-01', 'x-client-id': CLIENT_ID, 'x-client-secret': CLIENT_SECRET },
    body: JSON.stringify({
      ...{ order_id: 'hooks', order_amount: 1, order_currency: 'INR' },
      customer_details: { customer_id: 'CUSTOMER', customer_phone: '9999999999' },
    }),
  })
  return Array.from({ length: WEBHOOKS }, (_, number) => {
    const at = 1_700_000_000_000 + random.below(10 ** 9)
    const said = random.text(200, LETTERS)
    const { body, headers } = bank.webhook('hooks', { at, tags: { key: said } })
    const own = JSON.stringify({ said })
    const webhook =
      number % 4 < 2
        ? { timestamp: String(at), body, signature: headers['x-webhook-signature'] }
        : { timestamp: String(at), body: own, signature: createHmac('sha256', CLIENT_SECRET).update(`${at}${own}`).digest('base64') }
    return number % 2 === 0 ? webhook : random.pick(ALTER)(webhook, random)
  })
}

const client = await installedClient(NAME)
if ('failure' in client)
  test('the package can be installed where that is required', () => {
    console.log(`\n==== ${NAME} CANNOT BE INSTALLED: its tests are LEFT OUT (${client.failure.split('\n').slice(0, 2).join(', ')}) ====\n`)
    assert.ok(!areClientsRequired, `MOHUR_CLIENTS=required: ${client.failure}`)
  })
else
  test('the package drives the simulator, passes its own order tests, and judges webhooks as Mohur does', async (t) => {
    const bank = await CashfreeSimulator.start()
    t.after(() => bank.stop())
    const webhooks = await drawnWebhooks(bank)
    const { tests, verdicts, order, refused } = await driven(client.require.resolve(`${NAME}/package.json`), bank.url, webhooks)

    assert.deepEqual(
      tests.filter(({ failure }) => failure !== undefined),
      [],
    )
    assert.equal(tests.length, 14)
    assert.match(String(order['link']), /^upi:\/\/pay\?pa=/)
    assert.deepEqual(
      [order['simulation'], order['states'], order['amounts'], order['counts']],
      ['SUCCESS', ['PAID', 'SUCCESS', 'SUCCESS', 'TERMINATED'], [12.34, 12.34, 2.34], [1, 1]],
    )

    const ours = webhooks.map(({ timestamp, body, signature }) =>
      isSignedByCashfree(CLIENT_SECRET, timestamp, Buffer.from(body), signature),
    )
    const differ = webhooks.filter((_, at) => ours[at] !== verdicts[at])
    assert.deepEqual(differ, [])
    const accepted = verdicts.filter(Boolean).length
    assert.ok(accepted >= WEBHOOKS / 2 && accepted < WEBHOOKS * 0.6, `${accepted} accepted`)
    t.diagnostic(
      `order tests: ${tests.length} of 14 passed; webhooks: ${webhooks.length} judged, ${accepted} accepted, differ ${differ.length}; ` +
        `connections of the error reporter refused: ${refused.length}`,
    )
  })
