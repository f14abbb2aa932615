// Runs README.md and docs/trying.md as a reader tries them: every shell block in order, in one bash, against a served process.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { isObject, type JsonObject } from '../../../src/interface/envelope.ts'
import { demoWorld } from '../../../src/sandbox/world.ts'
import { program } from '../../support/run/checkout.ts'
import { serveProcess } from '../../support/run/process.ts'
import { bash, blocksOf, needsProgram } from '../../support/text/shell-blocks.ts'

const root = resolve(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/trying.md'), 'utf8')
/** The test has installed and started the service already. */
const blocks = ['README.md', 'docs/trying.md'].flatMap((file) => blocksOf(file)).filter((block) => !block.startsWith('npm '))

/** One run of docs/trying.md, "Paying, mode by mode", for each: the first part of its order id. */
const MODES = [
  ...['WALLET', 'HYBRID', 'ADD_MONEY', 'PPBL', 'POSTPAID'],
  ...['UPI_COLLECT', 'UPI_WAITING', 'UPI_INTENT', 'UPI_PUSH'],
  ...['CREDIT_CARD', 'DEBIT_CARD', 'BANK_PAGE', 'CARD_OTP', 'SAVED_CARD', 'EMI', 'NET_BANKING', 'ROUTER'],
]
/** The order of README.md, before the merchant has an endpoint. */
const README_ORDER = 'ORDER'
/** Modes whose payer's browser comes back with a form. */
const BROWSED = ['BANK_PAGE', 'NET_BANKING']

interface Listener {
  port: string
  lines(): string[]
  close(): Promise<void>
}

/** `mohur listen`, with the secret that the page gives the merchant. */
async function listener(): Promise<Listener> {
  const secret = /mohur listen --secret (whsec_\S+?)`/.exec(page)![1]!
  const child = spawn(process.execPath, [program, 'listen', '--port', '0', '--secret', secret], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let printed = ''
  const port = await new Promise<string>((found, failed) => {
    child.stdout.on('data', (part) => {
      printed += part
      const address = /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)
      if (address) found(address[1]!)
    })
    child.once('exit', (code) => failed(new Error(`the listener ended with ${code}`)))
  })
  return {
    port,
    lines: () => printed.split('\n').slice(1, -1),
    async close() {
      child.kill()
      await ended
    },
  }
}

/** The printed replies, in order. */
const replies = (out: string): JsonObject[] =>
  out.split('\n').flatMap((line) => {
    try {
      const reply: unknown = JSON.parse(line)
      return isObject(reply) ? [reply] : []
    } catch {
      return [] // a page for a browser
    }
  })

/** The code of a refusing reply, or the complaint of a sandbox path. */
function refusal(reply: JsonObject): unknown[] {
  if (reply['error'] !== undefined) return [reply['error']]
  const { body } = reply
  const result = isObject(body ?? null) ? (body as JsonObject)['resultInfo'] : reply
  const { resultStatus, status, resultCode, responseCode, code } = result as JsonObject
  return [resultStatus, status].some((word) => /^(F|U|.*FAILURE)$/.test(String(word))) ? [resultCode ?? responseCode ?? code] : []
}
const modeOf = (orderId: unknown) => String(orderId).replace(/_\d+$/, '')

test('every shell line of README.md and docs/trying.md does what it says; every mode is paid, notified and refunded', async () => {
  for (const program of ['bash', 'curl']) needsProgram(program)
  const folder = mkdtempSync(join(tmpdir(), 'mohur-walk-'))
  const listening = await listener()
  const moved = (text: string) => text.replaceAll('127.0.0.1:9000', `127.0.0.1:${listening.port}`)
  writeFileSync(join(folder, 'world.json'), moved(JSON.stringify(demoWorld)))
  const environment = { MOHUR_DATA: folder, MOHUR_WORLD: join(folder, 'world.json'), MOHUR_LOG: 'warn' }
  const service = await serveProcess(environment).catch(async (error) => {
    await listening.close()
    throw error
  })
  try {
    const script = moved(blocks.join('\n')).replaceAll('http://127.0.0.1:8080', service.url)
    const { code, out, err } = await bash(script, folder)
    assert.deepEqual([code, err], [0, ''], out.slice(-2_000))

    const reported = replies(out)
    assert.deepEqual(
      reported.flatMap(refusal),
      ['410', 'BE1425004'],
      'refused is a change of a closed order, and a sign-in of a number under verification',
    )
    const bodies = reported.map(({ body }) => body).filter(isObject)
    const ended = (member: string) =>
      bodies.filter((body) => member in body).map((body) => [modeOf(body['orderId']), (body['resultInfo'] as JsonObject)['resultCode']])
    assert.deepEqual(
      ended('merchantPayOption'),
      MODES.map((mode) => [mode, '0000']),
      'payment options',
    )
    assert.deepEqual(
      ended('payableAmount'),
      [README_ORDER, ...MODES, 'RENEWAL'].map((mode) => [mode, '01']),
      'order status',
    )
    assert.deepEqual(
      ended('acceptRefundStatus'),
      MODES.map((mode) => [mode, '10']),
      'refund status',
    )

    assert.match(out, /"rule":"forbiddenHours"/, 'a renewal at an hour in which UPI forbids debits')
    assert.match(out, /^12 debits, Rs 2388$/m, 'what the bank took in a year, summed by the page itself')
    const shown = out.split('\n').filter((line) => / 20\d\d-\d\d-05 {2}collected /.test(line))
    assert.equal(shown.length, 12, out.slice(-2_000))

    const lines = listening.lines()
    for (const line of lines) {
      const holds = line.startsWith('callback ') ? /: checksum verified$/ : /: checksum verified, webhook-signature verified$/
      assert.match(line, holds)
    }
    const heard = (mode: string, what: RegExp) =>
      lines.filter((line) => modeOf(/ order (\S+)/.exec(line)?.[1]) === mode && what.test(line)).length
    for (const mode of MODES) {
      assert.equal(heard(mode, /^notification SALE .* TXN_SUCCESS 01:/), 1, `${mode}: the payment`)
      assert.equal(heard(mode, /^notification REFUND .* TXN_SUCCESS 10:/), 1, `${mode}: the refund`)
      assert.equal(heard(mode, /^callback .* TXN_SUCCESS 01:/), BROWSED.includes(mode) ? 1 : 0, `${mode}: the callback`)
    }
  } finally {
    await service.kill('SIGTERM')
    await listening.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
