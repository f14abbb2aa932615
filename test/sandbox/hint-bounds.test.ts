// Bounds what a stranger's request costs a sandbox when its checksum is over another text. Any visitor can send the largest request of each
// kind with the demo merchant's published key. No other request waits for it.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rotateKey } from '../../src/domain/merchant/keys.ts'
import { BODY_BYTES_MAX } from '../../src/interface/envelope.ts'
import { CPU_MS_MAX, costOf } from '../support/run/cost.ts'
import { KEY, MID, type Service, sharedService } from '../support/run/service.ts'
import { largest } from '../support/text/largest-texts.ts'

const FLAT = '/order/status'
const STATUS = '/v3/order/status'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }
const OURS = { ...FORM, 'sec-fetch-site': 'same-origin' }
const isForm = (text: string) => !text.includes('"head"')

const post = (path: string, text: string, headers: Record<string, string>) => (service: Service) =>
  fetch(service.url + path, { method: 'POST', headers, body: text })
const doctorPage = (sent: string) => new URLSearchParams({ sent, key: KEY }).toString()

interface Asked {
  what: string
  ask: (service: Service) => Promise<Response>
  says: RegExp
}
const hints: Asked[] = Object.entries(largest).map(([what, text]) => ({
  what,
  ask: isForm(text) ? post(FLAT, text, FORM) : post(STATUS, text, JSON_TYPE),
  says: isForm(text) ? /"RESPCODE":"330"/ : /"resultCode":"(330|2222)"/,
}))
const pages: Asked[] = Object.entries(largest)
  .map(([what, text]) => ({ what: `${what}, in the page`, text: doctorPage(text) }))
  .filter(({ text }) => text.length <= BODY_BYTES_MAX)
  .map(({ what, text }) => ({ what, ask: post('/docs/checksum', text, OURS), says: /role="alert"/ }))

describe('a sandbox that is asked over and over with the largest wrong checksums', () => {
  const service = sharedService('sqlite')

  async function askAll(asked: readonly Asked[], diagnostic: (line: string) => void) {
    const at = await service()
    await asked[0]!.ask(at) // the first request of its kind compiles what it needs
    for (const { what, ask, says } of asked) {
      const [{ text, status, cpuMs, blockMs }, health] = await Promise.all([costOf(() => ask(at)), fetch(`${at.url}/healthz`)])
      assert.match(text, says, what)
      assert.ok(status < 500 && health.status === 200, what)
      assert.ok(cpuMs <= CPU_MS_MAX, `${what}: ${cpuMs.toFixed(0)} ms of this thread`)
      diagnostic(`${what}: ${cpuMs.toFixed(0)} ms of this thread, the longest block ${blockMs.toFixed(0)} ms`)
    }
  }

  test('answers each with the code of its table, and others meanwhile', async (t) => {
    await askAll([...hints, ...pages], (line) => t.diagnostic(line))
  })

  test('says in the hint and on the page that not everything was tried, and what tries longer', async () => {
    const at = await service()
    const text = largest['form of 900 short fields']!
    const hint = (await post(FLAT, text, FORM)(at)).headers.get('mohur-hint') ?? ''
    assert.match(hint, /^invalidChecksum; [^;]+\. Not everything was tried: npx mohur checksum doctor searches longer\.$/)
    const page = await (await post('/docs/checksum', doctorPage(text), OURS)(at)).text()
    assert.match(page, /The key is right,[^<]*Not everything was tried: npx mohur checksum doctor searches longer\./)
  })

  test('answers as soon for a merchant of forty keys', async (t) => {
    const { ports, clock } = await service()
    for (let number = 0; number < 40; number++) {
      const fresh = { key: `K&#"'${String(number).padStart(2, '0')}ABCDEFGHI` }
      await ports.engine.submit(rotateKey, { mid: MID, clientId: 'C11', now: clock.now(), realNow: clock.realNow(), fresh })
    }
    ports.merchantKeys.forget()
    await askAll(hints, (line) => t.diagnostic(line))
  })
})
