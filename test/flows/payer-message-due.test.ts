// Payers' messages about their mandates, on both stores (docs/interface.md section 6): the recipient, the time, the words, and what happens
// when the provider accepts none.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { PAYER_MESSAGE_KINDS, type PayerMessage } from '../../src/domain/subscription/payer-message.ts'
import { worded } from '../../src/flows/payer-message-due.ts'
import { SUBSCRIPTION_PAYMENT_MODES } from '../../src/interface/payment-modes.ts'
import { languages } from '../../src/pages/kit/messages/messages.ts'
import { termsIn } from '../../src/pages/kit/terms.ts'
import { readSettings, SettingError } from '../../src/settings.ts'
import type { AgreedTerms } from '../../src/tables/subscription.ts'
import { find } from '../../src/tables/tables.ts'
import { addCycle, cycleRow, manage, consented as standing } from '../support/mandates/mandates.ts'
import { fix } from '../support/mandates/subscription.ts'
import { consented, moveTo } from '../support/mandates/timeline.ts'
import { onBothStores, type Service, sharedService, startService } from '../support/run/service.ts'
import { changeWorld, inbox } from '../support/signin/signin.ts'

const monthly = {
  txnAmount: { value: '1.00', currency: 'INR' },
  renewalAmount: '499.00',
  subscriptionStartDate: '2026-12-05',
  subscriptionExpiryDate: '2027-02-05',
  subscriptionGraceDays: '1',
  subscriptionRetryCount: '0',
  communicationManager: true,
}
const to = (mobile: string) => ({ userInfo: { custId: 'C1', mobile } })

const reported = async (service: Service, mobile: string) =>
  (await inbox(service, mobile)).map(({ kind, text }) => `${kind}: ${text.replace(LINK, 'LINK')}`).reverse()
const LINK = /http:\/\/[^ ]*\/m\/[A-Za-z0-9_-]{22}/

const TERMS = { amountType: 'FIX', maxAmountPaise: 499_00, frequencyUnit: 'MONTH', frequency: 1, expiryDate: '2027-02-05' } as const
const MESSAGE: PayerMessage = {
  ...{ kind: 'pre-debit', mobile: '9812345678', merchant: 'Demo Stores', amountPaise: 499_00, date: '2026-12-05' },
  ...{ reference: 'S.20261205', mandate: { mid: 'M', subscriptionId: 'S' }, paymentMode: 'UPI', terms: TERMS, notedAt: 0, attempts: 0 },
}

/** A cycle of a wallet's mandate whose notice is due. The merchant has not asked Mohur to notify payers. */
async function walletCycle(service: Service, orderId: string, mobile: string | undefined) {
  const more = fix('50.00', {
    subscriptionGraceDays: '3',
    autoRenewal: true,
    txnAmount: { value: '1.00', currency: 'INR' },
    communicationManager: false,
  })
  const payer = mobile === undefined ? {} : { payer: { userId: 'U1', mobile } }
  const subscriptionId = await standing(service, orderId, more, {
    paymentMode: 'BALANCE',
    mandate: { instrument: {}, ...payer } as never,
  })
  const nextAt = service.clock.now()
  return addCycle(service, subscriptionId, {
    ...{ dueDate: '2026-06-17', windowTo: '2026-06-20', rail: 'WALLET', amountType: 'FIX', amountPaise: 50_00, maxPaise: 50_00, nextAt },
  })
}

async function provider(status: () => number) {
  const posted: Record<string, string>[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      posted.push(JSON.parse(Buffer.concat(parts).toString()))
      response.writeHead(status()).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { posted, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sms` }
}

onBothStores('a payer', (store) => {
  const service = sharedService(store, { env: { MOHUR_GRIEVANCE_URL: 'https://pay.example/complain' } })

  test('is notified once of consent, of each debit before and after it, and of the end', async () => {
    const running = await service()
    await moveTo(running, '2026-11-21 11:00:00')
    const { subscriptionId } = await consented(running, 'TOLD_1', { ...monthly, ...to('9812345678') })
    await moveTo(running, '2026-12-06 11:00:00')
    await manage(running, '/subscription/cancel', { subsId: subscriptionId })
    const stop = 'See, skip, pause or stop it: LINK'
    const ref = `Ref ${subscriptionId}.20261205.`
    assert.deepEqual(await reported(running, '9812345678'), [
      `mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-12-2026 until 05-02-2027. Ref ${subscriptionId}. ${stop}`,
      `pre-debit: Demo Stores will debit Rs 499.00 on 05-12-2026. ${ref} ${stop}`,
      `debited: Demo Stores has debited Rs 499.00 on 05-12-2026. ${ref} ${stop} Complaints: https://pay.example/complain`,
      `mandate-cancelled: Your mandate for Demo Stores has ended on 06-12-2026. Nothing is debited any more. Ref ${subscriptionId}.`,
    ])
    assert.deepEqual(await running.store.query.rows(find('tasks', { equals: { task: 'payer-message.due' }, limit: 1 })), [])
  })

  test('is notified of a failed attempt; without `communicationManager`, or a number, of nothing', async () => {
    const running = await service()
    const year = { subscriptionStartDate: '2027-03-05', subscriptionExpiryDate: '2027-05-05' }
    await moveTo(running, '2027-02-21 11:00:00')
    const account = { payerAccount: 'debit-insufficient@upi' }
    await consented(running, 'FAIL_1', { ...monthly, ...year, ...account, ...to('9812345001') })
    await consented(running, 'FAIL_2', { ...monthly, ...year, ...account, ...to('9812345002'), communicationManager: false })
    await consented(running, 'FAIL_3', { ...monthly, ...year, ...account })
    await moveTo(running, '2027-03-06 11:00:00')
    const kinds = (await reported(running, '9812345001')).map((line) => line.slice(0, line.indexOf(':')))
    assert.deepEqual(kinds, ['mandate-created', 'pre-debit', 'debit-failed'])
    assert.deepEqual(await reported(running, '9812345002'), [])
  })
})

onBothStores('a new owner of a payer’s number', (store) => {
  const service = sharedService(store)

  test('gets no message about a mandate from before the report of the change', async () => {
    const running = await service()
    const mobile = '9812340007'
    await moveTo(running, '2026-11-21 11:00:00')
    const { subscriptionId } = await consented(running, 'OWNER_1', { ...monthly, ...to(mobile) })
    await running.tasks.runDue()
    const before = await reported(running, mobile)
    assert.deepEqual(before.length, 1)
    await changeWorld(running, { customers: [{ mobile, pendingVerification: true }] })
    await moveTo(running, '2026-12-06 11:00:00')
    await manage(running, '/subscription/cancel', { subsId: subscriptionId })
    await running.tasks.runDue()
    assert.deepEqual(await reported(running, mobile), before)
  })
})

onBothStores('a payer by wallet', (store) => {
  const service = sharedService(store)

  test('gets the notice from Mohur, whatever the merchant has asked, and it has succeeded when the provider accepted it', async () => {
    const running = await service()
    const cycle = await walletCycle(running, 'WALLET_1', '9812340001')
    await running.tasks.runDue()
    const [line, ...more] = await reported(running, '9812340001')
    assert.match(line!, /^pre-debit: Demo Stores will debit Rs 50\.00 on 17-06-2026\. Ref [0-9]+\.20260617\. /)
    assert.deepEqual(more, [])
    const { status, noticedAt } = (await cycleRow(running, cycle))!
    assert.deepEqual([status, noticedAt], ['NOTIFIED', running.clock.now()])
  })

  test('whose number is unknown gets no notice, and so is not debited', async () => {
    const running = await service()
    const cycle = await walletCycle(running, 'WALLET_2', undefined)
    await running.tasks.runDue()
    const { status, noticedAt } = (await cycleRow(running, cycle))!
    assert.deepEqual([status, noticedAt], ['SCHEDULED', null])
  })

  test('whose number has another owner since gets no notice either', async () => {
    const running = await service()
    const mobile = '9812340006'
    const cycle = await walletCycle(running, 'WALLET_3', mobile)
    await changeWorld(running, { customers: [{ mobile, walletBalance: '100.00', pendingVerification: true }] })
    await running.tasks.runDue()
    const { status, noticedAt } = (await cycleRow(running, cycle))!
    assert.deepEqual([status, noticedAt, await reported(running, mobile)], ['SCHEDULED', null, []])
  })
})

onBothStores('a provider of messages', (store) => {
  test('that refuses a notice leaves the cycle unnoticed; one that fails is called again under the same key until it accepts', async () => {
    let status = 500
    const { posted, url } = await provider(() => status)
    const running = await startService(store, { env: { MOHUR_SMS_URL: url } })
    after(() => running.close())
    const cycle = await walletCycle(running, 'SMS_1', '9812340003')
    await running.tasks.runDue()
    assert.equal((await cycleRow(running, cycle))!.status, 'SCHEDULED')
    status = 200
    await running.tasks.advance(running.clock.now() + 60 * 60_000, async (at) =>
      running.clock.advance(Math.max(0, at - running.clock.now())),
    )
    assert.equal((await cycleRow(running, cycle))!.status, 'NOTIFIED')
    assert.equal(new Set(posted.map(({ key }) => key)).size, 1)
    assert.deepEqual(
      posted.map(({ kind, to, otp }) => [kind, to, otp]),
      posted.map(() => ['pre-debit', '+919812340003', undefined]),
    )
    status = 400
    const refused = await walletCycle(running, 'SMS_2', '9812340004')
    await running.tasks.runDue()
    const { status: state, noticedAt } = (await cycleRow(running, refused))!
    assert.deepEqual([state, noticedAt], ['SCHEDULED', null])
  })
  test('that is unreachable until the day of a debit is over gets no notice of that day, but one of the next possible day', async () => {
    let status = 500
    const { posted, url } = await provider(() => status)
    const running = await startService(store, { env: { MOHUR_SMS_URL: url } })
    after(() => running.close())
    const cycle = await walletCycle(running, 'SMS_3', '9812340005')
    await running.tasks.runDue()
    const before = posted.length
    assert.ok(before > 0)
    status = 200
    running.clock.advance(Date.parse('2026-06-17T12:00:00+05:30') - running.clock.now())
    await running.tasks.runDue()
    assert.equal(posted.length, before)
    await moveTo(running, '2026-06-17 13:30:00')
    assert.match(posted.at(-1)!['text']!, / on 18-06-2026\./)
    assert.equal(posted.length, before + 1)
    assert.equal((await cycleRow(running, cycle))!.status, 'NOTIFIED')
  })
})

test('a message of any kind stays one line, whatever the merchant is called', () => {
  for (const merchant of ['Milk\nand\u202e Honey\u0000', `${'x'.repeat(39)}😀😀`, '\u200b']) {
    for (const kind of PAYER_MESSAGE_KINDS) {
      const { text, otp } = worded('k', { ...MESSAGE, kind, merchant }, { grievanceUrl: undefined })
      assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\p{Cs}]/u)
      assert.equal(otp, undefined)
    }
  }
  const { text } = worded('k', { ...MESSAGE, merchant: ' \u200b ' }, { grievanceUrl: undefined })
  assert.match(text, /^the merchant will debit Rs 499\.00 on 05-12-2026\./)
})

const PARTS_MAX = 3 * 153 // characters of three parts of a long SMS in its own alphabet
const VARIABLE_MAX = 30 // characters of a variable in a registered template (DLT)
const BASIC = /^[\w @$!"#%&'()*+,\-./:;<=>?]*$/ // of SMS's own alphabet; one other letter halves a part

test('the longest message fits three parts of an SMS, and each of its values a variable of a registered template', (t) => {
  const paise = 9_99_99_99_999_99
  const terms: AgreedTerms = {
    amountType: 'VARIABLE',
    maxAmountPaise: paise,
    frequencyUnit: 'SEMI_ANNUALLY',
    frequency: 12,
    ...{ startDate: '2026-12-05', expiryDate: '2029-12-05' },
  }
  const mandate = '1'.repeat(26) // as long as an id of Mohur's
  const values = ['M'.repeat(27).concat('...'), 'Rs 9,99,99,99,999.99', 'every 72 months', '05-12-2026', '05-12-2029', mandate, '20261205']
  const seen = new Set<string>()
  let longest = ''
  for (const kind of PAYER_MESSAGE_KINDS)
    for (const paymentMode of SUBSCRIPTION_PAYMENT_MODES)
      for (const link of [`https://payments.example.co.in/m/${'L'.repeat(22)}`, undefined]) {
        const facts = {
          ...{ ...MESSAGE, kind, paymentMode, terms, amountPaise: paise, merchant: 'M'.repeat(200), isApprovalNeeded: true as const },
          ...{ reference: `${mandate}.20261205`, ...(link && { link }) },
        }
        const { text } = worded('k', facts, { grievanceUrl: `https://pay.example/${'c'.repeat(80)}` })
        for (const value of values) if (text.includes(value)) seen.add(value)
        assert.match(text, BASIC)
        if (text.length > longest.length) longest = text
      }
  assert.deepEqual([...seen].toSorted(), values.toSorted(), 'a value stands in no message')
  for (const value of values) assert.ok(value.length <= VARIABLE_MAX, value)
  assert.ok(longest.length <= PARTS_MAX, `${longest.length}: ${longest}`)
  t.diagnostic(`the longest has ${longest.length} characters`)
})

test('the terms of a message are the sentence of the page, with India’s commas', () => {
  const terms = { ...TERMS, maxAmountPaise: 1_23_456_00, startDate: '2026-12-05' }
  for (const [kind, about] of [
    ['mandate-created', 'You have allowed Demo Stores to debit'],
    ['edit-asked', 'Demo Stores asks you to allow debits of'],
  ] as const) {
    const { text } = worded('k', { ...MESSAGE, kind, terms }, { grievanceUrl: undefined })
    assert.ok(text.startsWith(`${about} Rs 1,23,456.00 every month from 05-12-2026 until 05-02-2027.`), text)
    const page = termsIn({ texts: languages.en.texts, language: 'en' }, terms)
    const asPage = text.replace('Rs ', '₹').replace('05-12-2026', '5 December 2026').replace('05-02-2027', '5 February 2027')
    assert.ok(asPage.includes(` ${page}.`), `${page} is not in ${text}`)
  }
})

test('where to complain is an address that fits a message', () => {
  const read = (MOHUR_GRIEVANCE_URL: string) => readSettings({ MOHUR_GRIEVANCE_URL }).grievanceUrl
  assert.equal(read('https://pay.example/complain'), 'https://pay.example/complain')
  assert.equal(read(''), undefined)
  for (const wrong of ['pay.example', 'ftp://pay.example', 'https://pay.example/a b', `https://pay.example/${'x'.repeat(100)}`])
    assert.throws(() => read(wrong), SettingError)
})
