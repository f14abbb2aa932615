// Sends again what a published client sent in its run. The bytes stay the same, except for the number of a payment or a subscription, which
// differs each time. A request with such a number is signed anew with the demo key.

import assert from 'node:assert/strict'
import { joinedValues, sign } from '../../src/interface/checksum.ts'
import { ask, CARD_FIELDS, formOf, goesTo, Visitor } from '../support/pages/pages.ts'
import { pay } from '../support/paying/paying.ts'
import { KEY, MID, type Service } from '../support/run/service.ts'
import { signInAt } from '../support/signin/tokens.ts'
import { type Asked, outcomeOf, type Recorded } from './outcome.ts'

/** Puts another number into a request about a payment or a subscription, and signs it as its client does. */
function about(named: Asked, before: string, txnId: string): Asked {
  if (before === '' || !named.body.includes(before)) return named
  const asked = { ...named, path: named.path.replaceAll(before, txnId) }
  const form = /^JsonData=(.*)$/s.exec(asked.body)?.[1]
  if (form === undefined) {
    const body = asked.body.replaceAll(before, txnId)
    const signed = (/^\{"body": ?(\{.*\}), ?"head"/s.exec(body) ?? /"body": ?(\{.*\})\}$/s.exec(body))![1]!
    return { ...asked, body: body.replace(/("signature": ?")[^"]*/, (_all, name) => name + sign(signed, KEY, 'salt')) }
  }
  const { CHECKSUM, ...given } = { ...JSON.parse(decodeURIComponent(form)), TXNID: txnId }
  assert.ok(CHECKSUM)
  const data = asked.path.includes('REFUND') && !isSorted(Object.keys(given)) ? Object.values(given).join('|') : joinedValues(given)
  return { ...asked, body: `JsonData=${encodeURIComponent(JSON.stringify({ ...given, CHECKSUM: sign(data, KEY, 'salt') }))}` }
}
const isSorted = (names: readonly string[]) => names.every((name, at) => at === 0 || names[at - 1]! < name)

/** Throws at the first reply whose outcome differs from the recorded one. */
export async function replay(running: Service, { script, merchant }: Recorded) {
  const merchants = [{ mid: MID, registersNotificationUrl: true, ...merchant }]
  await running.call('PUT', '/sandbox/world', {}, JSON.stringify({ merchants }))
  const tokens = new Map<string, string>()
  const renewed = new Map<string, string>() // a recorded token, and the token of this run
  let [before, txnId, page, posted] = ['', '', '', '']
  let [asRecorded, subscriptionId] = ['', '']
  const { clock, tasks } = running
  for (const line of script) {
    if ('paid' in line) {
      if (line.onPage) {
        const { text } = await new Visitor(running, page).send({ panel: 'card' }, CARD_FIELDS)
        const { STATUS, TXNID } = formOf(text, { MID }).fields
        assert.equal(STATUS, 'TXN_SUCCESS')
        ;[before, txnId] = [line.txnId, TXNID!]
        continue
      }
      const by = line.by ?? { paymentMode: 'PPBL' }
      const reply = await pay(running, { orderId: line.paid, txnToken: tokens.get(line.paid)! }, by)
      assert.equal(reply.body.txnInfo?.STATUS, 'TXN_SUCCESS', reply.text)
      ;[before, txnId] = [line.txnId, reply.body.txnId]
      continue
    }
    if ('signedIn' in line) {
      await signInAt(running, line.signedIn, tokens.get(line.signedIn)!, line.mobile)
      continue
    }
    if ('begun' in line) {
      clock.advance(Date.parse(line.begun) - clock.now()) // each exchange in its own time, whichever comes first
      continue
    }
    if ('waited' in line) {
      const until = clock.now() + Temporal.Duration.from(line.waited).total({ unit: 'milliseconds', relativeTo: '2026-01-01' })
      await tasks.advance(until, async (instant) => clock.advance(Math.max(0, instant - clock.now())))
      continue
    }
    if (line.method === 'GET') {
      const shown = await ask(running, line.path) // the next line posts the form of this page
      assert.equal(shown.status, line.outcome['http'], shown.text)
      posted = new URLSearchParams(formOf(shown.text, { MID }).fields).toString()
      continue
    }
    if (line.outcome['http'] === 303) {
      if (posted !== '') assert.equal(posted, line.body)
      page = goesTo(await ask(running, line.path, line.body))
      continue
    }
    const named = about(about(line, before, txnId), asRecorded, subscriptionId)
    const { method, path, headers } = named
    const body = [...renewed].reduce((text, [recorded, token]) => text.replaceAll(recorded, token), named.body)
    const reply = await running.call(method, path, headers, body)
    assert.deepEqual(outcomeOf(reply.status, reply.text), line.outcome, `${method} ${path}\n${body}\n${reply.text}`)
    const { searchParams } = new URL(path, running.url)
    const orderId = searchParams.get('orderId') ?? searchParams.get('ORDER_ID')
    if (orderId && reply.body.txnToken) tokens.set(orderId, reply.body.txnToken)
    if (line.txnToken !== undefined) renewed.set(line.txnToken, reply.body.txnToken)
    if (line.subscriptionId !== undefined) [asRecorded, subscriptionId] = [line.subscriptionId, reply.body.subscriptionId]
    await running.tasks.runDue()
  }
}
