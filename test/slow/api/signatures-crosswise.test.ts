// Sends every operation's signed body to every other operation's path. A checksum covers the body alone, and bodies that a merchant signed
// for one operation reach other parties (docs/interface.md section 5.1).

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import type { Writes } from '../../../src/engine/store.ts'

import { joinedValues, sign } from '../../../src/interface/checksum.ts'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { resultCodeTables } from '../../../src/interface/result-codes.ts'

import { cancelCallbacks } from '../../support/pages/cancels.ts'
import { ask } from '../../support/pages/pages.ts'
import { checksummed, type Form, OPTIONAL, orderForm, renamed } from '../../support/paying/order-forms.ts'
import { CARD, createOrder, pay } from '../../support/paying/paying.ts'
import { goodBodies, type Name, newSubject, type Subject, sendTo, signedOperations, world } from '../../support/paying/signed-bodies.ts'
import { KEY, MID, onBothStores, type Reply, type StoreName, startService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { watched } from '../../support/store/faults.ts'
import { Random } from '../../support/text/random.ts'

/** Bodies that are accepted although they were signed for another operation, and the client that sends them so. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'checkSubscriptionStatus > cancelSubscription': 'paytm/n8n-nodes-paytm signs {mid, subsId} for both',
  'cancelSubscription > checkSubscriptionStatus': 'paytm/n8n-nodes-paytm signs {mid, subsId} for both',
}
/** These only read, need no more members than other bodies have, and report no subscription: section 5.1. */
const READERS: readonly Name[] = ['fetchAllPaymentOffers', 'orderStatus', 'refundStatus']

function isTaken(name: Name, { body }: Reply): boolean {
  const { success } = Object.values(resultCodeTables).find((table) => table.success.operation === name)!
  const { resultCode, code, responseCode } = { ...body, ...body.resultInfo }
  return (resultCode ?? code ?? responseCode) === success.code
}
/** True where the reply reports a subscription or a notice, as its body or in a list. */
const tellsOfSubscription = ({ body }: Reply) =>
  ['subStatus', 'notificationStatus', 'permitted', 'editId'].some((member) => member in body) || body.subscriptionDetails?.count > 0

type Body = Readonly<Record<string, unknown>>

/**
 * Where the ids are: in the body, if it has them; also in the query, or in the body alone. Or the query has other ids, or names orders by
 * their second name.
 */
const PLACES = ['body', 'query', 'otherSubscription', 'otherOrder', 'bodyAlone', 'ORDER_ID', 'both', 'otherORDER_ID'] as const
type Place = (typeof PLACES)[number]
function queryFor(place: Place, body: Body, subject: Subject, id: string): Record<string, string> {
  const other = id === subject.renewable ? subject.notifiable : subject.renewable
  const named = (member: string, otherwise: string) => String(body[member] ?? otherwise)
  const merchant = { mid: MID, referenceId: named('referenceId', `${subject.custId}NEW`) }
  const orderId = named('orderId', subject.free)
  const ids = { ...merchant, orderId }
  const placed: Record<Place, Record<string, string>> = {
    body: ids,
    query: { ...ids, subsId: id, subscriptionId: id },
    otherSubscription: { ...ids, subsId: other },
    otherOrder: { ...ids, orderId: subject.noticeOrderId, subscriptionId: id },
    bodyAlone: {},
    ORDER_ID: { ...merchant, ORDER_ID: orderId },
    both: { ...ids, ORDER_ID: orderId },
    otherORDER_ID: { ...merchant, ORDER_ID: subject.noticeOrderId, subscriptionId: id },
  }
  return placed[place]
}
/** An operation's own path, and the payment host's where that takes the body's ids: section 4.9. */
const pathsOf = (name: Name): readonly string[] =>
  ['createOrder', 'initiateSubscription'].includes(name) ? operations[name].paths.slice(0, 2) : [operations[name].paths[0]]
/** The calls of payment pages. An order's token or an access token opens them, and no signature. */
const tokenOperations = (Object.keys(operations) as Name[]).filter((name) =>
  operations[name].credentials.every((needed) => needed.every((each) => each === 'txnToken' || each === 'accessToken')),
)
/** A signature in each place where such an operation may look for a token. */
const asToken = (signature: string): readonly object[] => [
  { signature },
  { tokenType: 'CHECKSUM', token: signature },
  { tokenType: 'TXN_TOKEN', token: signature, signature },
  { tokenType: 'ACCESS', token: signature },
  { txnToken: signature },
]
/** The subscription that the body names, chosen so that only its signature stands against it. */
const aboutFor = (to: Name, subject: Subject) => (to === 'preNotify' ? subject.notifiable : subject.renewable)

/** A service, and how often its store was written. */
async function counted(store: StoreName) {
  const count = { written: 0 }
  const write = ({ changes, events }: Writes) => {
    count.written += changes.length + events.length
  }
  return { count, service: await startService(store, { world, store: (real) => watched(real, { write }) }) }
}

onBothStores('a body that was signed for one operation', (store) => {
  const started = counted(store)
  after(async () => (await started).service.close())
  /** Every reply and every callback that the service has signed, as a body. */
  const replies = new Map<string, Body>()

  test('is taken by that operation, each that is signed', async () => {
    const { service } = await started
    const names = signedOperations
    const all = goodBodies(await newSubject(service), '')
    assert.deepEqual(Object.keys(all).sort(), [...names].sort(), 'each has a good body')
    for (const name of names) {
      for (const at of all[name]!.keys()) {
        const subject = await newSubject(service)
        const body = goodBodies(subject, aboutFor(name, subject))[name]![at]!
        const reply = await sendTo(service, name, body, queryFor('body', body, subject, aboutFor(name, subject)), subject)
        assert.ok(isTaken(name, reply), `${name}: ${JSON.stringify(body)}: ${reply.text}`)
        if (reply.head?.signature) replies.set(`a reply of ${name}`, reply.body)
      }
    }
    const paid = await createOrder(service, 'CROSS-PAID')
    replies.set('the callback of a payment', (await pay(service, paid, CARD)).body.txnInfo)
    for (const [attempts, fields] of (await cancelCallbacks(service, 'CROSS-LEFT')).entries())
      replies.set(`the callback of a cancel after ${attempts} attempts`, fields)
  })

  test('is taken by no other, but where published clients sign the same for both', async (t) => {
    const { service, count } = await started
    const names = signedOperations
    let subject = await newSubject(service)
    const figures = { pairs: 0, requests: 0, refused: 0, read: 0, taken: 0, reported: 0, changed: 0 }
    const accepted = new Map<string, string>()

    async function cross(from: string, to: Name, path: string, place: Place, bodyAbout: (id: string) => Body) {
      const id = aboutFor(to, subject)
      const body = bodyAbout(id)
      const before = count.written
      const reply = await sendTo(service, to, body, queryFor(place, body, subject, id), subject, path)
      const isChanged = count.written !== before
      const outcome = isChanged ? 'changed' : tellsOfSubscription(reply) ? 'reported' : isTaken(to, reply) ? 'taken' : 'refused'
      const isRead = outcome === 'taken' && READERS.includes(to)
      figures.requests++
      figures[isRead ? 'read' : outcome]++
      if (outcome !== 'refused' && !isRead) accepted.set(`${from} > ${to}`, `${outcome}: ${JSON.stringify(body)}: ${reply.text}`)
      if (isChanged) subject = await newSubject(service)
    }
    for (const to of names) {
      for (const from of names.filter((name) => name !== to)) {
        figures.pairs++
        for (const at of goodBodies(subject, '')[from]!.keys())
          for (const path of pathsOf(to))
            for (const place of PLACES) await cross(from, to, path, place, (id) => goodBodies(subject, id)[from]![at]!)
      }
      for (const [from, body] of replies) {
        figures.pairs++
        for (const path of pathsOf(to)) for (const place of ['query', 'bodyAlone'] as const) await cross(from, to, path, place, () => body)
      }
    }
    const wrongly = [...accepted].filter(([pair]) => !(pair in ACCEPTED))
    t.diagnostic(`${names.length} operations: ${JSON.stringify(figures)}; accepted pairs: ${accepted.size}, wrongly: ${wrongly.length}`)
    for (const [pair] of wrongly) t.diagnostic(pair)
    assert.deepEqual(Object.fromEntries(wrongly), {})
    assert.deepEqual([...accepted.keys()].sort(), Object.keys(ACCEPTED).sort())
  })

  test('and every reply, opens nothing where a token is asked for, in whatever place its signature stands', async (t) => {
    const { service, count } = await started
    const names = signedOperations
    const subject = await newSubject(service)
    const orderId = subject.order.orderId
    const good: Readonly<Partial<Record<Name, Body>>> = {
      fetchBalanceInfo: { paymentMode: 'BALANCE' },
      fetchNbPaymentChannels: { type: 'MERCHANT' },
      fetchEmiDetail: { channelCode: 'HDFC' },
    }
    const bodies = [...names.flatMap((name) => [...goodBodies(subject, subject.renewable)[name]!]), ...replies.values()]
    const figures = { operations: tokenOperations.length, requests: 0, taken: 0, changed: 0 }
    for (const to of tokenOperations) {
      for (const body of bodies) {
        const text = JSON.stringify({ ...body, ...good[to] })
        for (const head of asToken(sign(text, KEY, 'salt'))) {
          const before = count.written
          const query = new URLSearchParams({ mid: MID, orderId, referenceId: subject.referenceId })
          const reply = await service.post(`${operations[to].paths[0]}?${query}`, `{"head":${JSON.stringify(head)},"body":${text}}`)
          figures.requests++
          if (isTaken(to, reply)) figures.taken++
          if (count.written !== before) figures.changed++
        }
      }
    }
    t.diagnostic(JSON.stringify(figures))
    for (const name of ['fetchBalanceInfo', 'fetchNbPaymentChannels', 'fetchEmiDetail', 'validateVpa'] as const)
      assert.ok(tokenOperations.includes(name), name)
    assert.deepEqual([figures.taken, figures.changed], [0, 0])
  })

  const DRAWN = sized(150, 2_000)
  test('as a flat message, checkout form or callback is never taken for another of these, under whatever names its values stand', async (t) => {
    const { service, count } = await started
    const random = new Random(SEED)
    const { orderId } = await createOrder(service, 'FLAT-ASKED')
    const named = { ORDERID: { MID, ORDERID: orderId }, ORDER_ID: { MID, ORDER_ID: orderId } }
    const questions = [named.ORDERID, named.ORDER_ID].flatMap((members) => [
      checksummed(members),
      checksummed({ ...members, TXNTYPE: 'SALE' }),
      checksummed({ ...members, TXNTYPE: '' }),
      checksummed({ ...members, TXNTYPE: '100.00' }),
    ])
    const refund = { MID, ORDERID: orderId, TXNID: 'T1', REFID: 'R1', REFUNDAMOUNT: '1.00', TXNTYPE: 'REFUND' }
    const refunds = [refund, { ...refund, COMMENTS: 'late' }].map((members) => checksummed(members))
    const callbacks = [...replies].filter(([from]) => from.startsWith('the callback')).map(([, body]) => body as Form)
    const forms = () => {
      const chosen = Object.fromEntries(Object.entries(OPTIONAL).filter(() => random.below(3) === 0))
      return checksummed(orderForm(`CROSS_${random.below(1_000_000)}`, chosen))
    }
    const figures = { questions: 0, forms: 0, refunds: 0, callbacks: 0, toStatus: 0, toForms: 0, taken: 0, changed: 0 }
    const isStatus = async (members: Form) => {
      figures.toStatus++
      return 'STATUS' in (await service.post(operations.orderStatus.flatPaths![0]!, JSON.stringify(members))).body
    }
    const isOrder = async (fields: Form) => {
      figures.toForms++
      const path = random.pick(pagePaths.orderForms)
      const shown = await ask(service, `${path}?${new URLSearchParams(fields)}`)
      const made = await ask(service, path, fields)
      assert.equal(shown.status === 200, made.status === 303, JSON.stringify(fields))
      return made.status === 303
    }
    const before = count.written
    for (const asked of questions) assert.ok(await isStatus(asked), JSON.stringify(asked))
    for (let at = 0; at < DRAWN; at++) {
      const [kind, carried] = random.pick([
        ['questions', random.pick(questions)],
        ['forms', forms()],
        ['refunds', random.pick(refunds)],
        ['callbacks', random.pick(callbacks)],
      ] as const)
      figures[kind]++
      if (kind !== 'questions') for (const members of asQuestion(carried)) if (await isStatus(members)) figures.taken++
      if (kind === 'forms') continue // test/pages/payment/shop-forms.test.ts sends them under other names of a form
      for (const fields of [carried, renamed(carried, random), { ...carried, ...orderForm(orderId) }])
        if (await isOrder(fields)) figures.taken++
    }
    figures.changed = count.written - before
    t.diagnostic(`seed ${SEED}: ${JSON.stringify(figures)}`)
    assert.deepEqual([figures.taken, figures.changed], [0, 0])
  })
})

const SEED = 23
/** The values that a checksum covers, in their order, as the members of a flat query by either name of the order. */
function* asQuestion({ CHECKSUMHASH, ...carried }: Form): Generator<Form> {
  const signed = { CHECKSUMHASH: CHECKSUMHASH! }
  const values = joinedValues(carried).split('|')
  yield { ...carried, ...signed }
  for (const name of ['ORDERID', 'ORDER_ID']) {
    const orderId = carried['ORDER_ID'] ?? carried['ORDERID'] ?? ''
    yield { MID, [name]: orderId, ...signed }
    yield { MID, [name]: orderId, TXNTYPE: carried['TXN_AMOUNT'] ?? '', ...signed }
    for (let first = 1; first < values.length; first++) {
      const [mid, rest] = [values.slice(0, first).join('|'), values.slice(first)]
      yield { MID: mid, [name]: rest.join('|'), ...signed }
      for (let second = 1; second < rest.length; second++)
        yield { MID: mid, [name]: rest.slice(0, second).join('|'), TXNTYPE: rest.slice(second).join('|'), ...signed }
    }
  }
  const both = { ORDERID: values[1] ?? '', ORDER_ID: values[2] ?? '' }
  yield { MID: values[0]!, ...both, TXNTYPE: values.slice(3).join('|'), ...signed }
  yield { MID: values[0]!, ...both, ...signed }
}
