// The sandbox's phone: requests that wait for a payer are approved, declined or left to expire by hand, and it shows text alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoWorld } from '../../src/sandbox/world.ts'
import { fix, initiate, subscription } from '../support/mandates/subscription.ts'
import { type Answered, ask, formsOf, goesTo, newPage, Visitor, wordsOf } from '../support/pages/pages.ts'
import { bankJournal, createOrder, orderCode, pay } from '../support/paying/paying.ts'
import { onBothStores, type Service, sharedService, startService } from '../support/run/service.ts'

const MOBILE = '9876543210'
const PENDING = { paymentMode: 'UPI', payerAccount: 'pending@upi' }
const ofPayer = { userInfo: { custId: 'C1', mobile: MOBILE } }
const PHONE = `/sandbox/phone/${MOBILE}`

async function press(service: Service, phone: Answered, orderId: string, button: string): Promise<Answered> {
  const card = phone.text.split('<article').find((part) => part.includes(`<bdi>${orderId}</bdi>`))
  assert.ok(card, `${orderId} is not on the phone: ${wordsOf(phone.text)}`)
  const { action, fields } = formsOf(card).find((form) => form.button === button)!
  return ask(service, goesTo(await ask(service, action, fields)))
}

onBothStores('the sandbox’s phone', (store) => {
  const running = sharedService(store)

  test('a payment is on its payer’s phone, and ends as its payer wants', async () => {
    const service = await running()
    for (const [button, code] of [
      ['Approve', '01'],
      ['Decline', '141'],
      ['Let it expire', '141'],
    ] as const) {
      const order = await createOrder(service, `P_${button.replaceAll(' ', '_')}`, ofPayer)
      await pay(service, order, PENDING)
      assert.match(wordsOf((await ask(service, '/sandbox/phone')).text), new RegExp(`${MOBILE} 1 payment waits`))
      const after = await press(service, await ask(service, PHONE), order.orderId, button)
      assert.ok(!after.text.includes(`<bdi>${order.orderId}</bdi>`), 'it waits no more')
      assert.equal(await orderCode(service, order), code, button)
    }
    const [, , last] = await bankJournal(service)
    assert.equal(last!.outcome, 'timedOut')
  })

  test('a code is paid on any phone by its text, and by the link beside it on the payment page', async () => {
    const service = await running()
    const { order, page } = await newPage(service, 'SCANNED')
    const visitor = new Visitor(service, page)
    const shown = await visitor.send({ panel: 'upi' })
    const address = /href="(\/sandbox\/phone\/none\?code=[^"]*)"/.exec(shown.text)![1]!.replaceAll('&#38;', '&')
    const code = new URLSearchParams(address.split('?')[1]).get('code')!
    assert.match(code, /^upi:\/\/pay\?/)
    assert.ok((await ask(service, address)).text.includes('<bdi>SCANNED</bdi>'))
    assert.match(wordsOf((await ask(service, `${PHONE}?code=upi%3A%2F%2Fpay%3Ftr%3D1`)).text), /No payment waits with this code\./)
    const tr = new URL(code).searchParams.get('tr')!
    await press(service, await ask(service, `${PHONE}?code=${tr}`), 'SCANNED', 'Approve')
    assert.equal(await orderCode(service, order), '01')
  })

  test('messages and mandates are there, and a mandate is withdrawn', async () => {
    const service = await running()
    const terms = { userInfo: { custId: 'C9', mobile: MOBILE }, ...fix('100'), communicationManager: true }
    const { body } = await initiate(service, subscription('MANDATE', terms))
    await pay(service, { orderId: 'MANDATE', txnToken: body.txnToken }, { paymentMode: 'UPI', payerAccount: 'asha@upi' })
    const phone = await ask(service, PHONE)
    assert.match(wordsOf(phone.text), /Mandates Demo Stores · Active ₹[\d,.]+ every/)
    const link = /<a href="(\/m\/[A-Za-z0-9_-]{22})">http/.exec(phone.text)
    assert.match(wordsOf((await ask(service, link![1]!)).text), /Your mandate for Demo Stores/)
    const after = await press(service, phone, body.subscriptionId, 'Withdraw')
    assert.match(wordsOf(after.text), /The mandate is withdrawn\./)
    const again = await ask(service, PHONE)
    assert.match(wordsOf(again.text), /Demo Stores · Withdrawn by you/)
    assert.ok(!formsOf(again.text).some(({ fields }) => fields['subscriptionId'] === body.subscriptionId), 'what has ended has no buttons')
  })

  test('a matter stands once, the newest first, with the shop and its amount; what ended elsewhere is gone', async () => {
    const service = await running()
    const mobile = '9876500001'
    const phone = `/sandbox/phone/${mobile}`
    const links: string[] = []
    const ids = ['FIRST', 'SECOND', 'THIRD', 'FOURTH', 'FIFTH', 'SIXTH']
    for (const [at, orderId] of ids.entries()) {
      const order = await createOrder(service, orderId, {
        userInfo: { custId: 'C1', mobile },
        txnAmount: { value: `${1_000 + at}.00`, currency: 'INR' },
      })
      const { body } = await pay(service, order, { paymentMode: 'UPI_INTENT' })
      links.push(body.deepLinkInfo.deepLink)
      service.clock.advance(1_000)
    }
    const { text } = await ask(service, phone)
    const shown = [...text.matchAll(/Order <bdi>([A-Z]+)<\/bdi>/g)].map(([, orderId]) => orderId)
    assert.deepEqual(shown, ids.toReversed())
    assert.match(wordsOf(text), /₹1,005\.00 to Demo Stores Order SIXTH.*1 older.*Order FIRST/)
    // After a scan the oldest comes first, and still once.
    const tr = new URL(links[0]!).searchParams.get('tr')!
    const scanned = [...(await ask(service, `${phone}?code=${tr}`)).text.matchAll(/Order <bdi>([A-Z]+)<\/bdi>/g)].map(
      ([, orderId]) => orderId,
    )
    assert.deepEqual(scanned, ['FIRST', ...ids.toReversed().slice(0, -1)])
    const state = async () => (await (await fetch(`${service.url}${phone}/state`)).json()) as { version: string }
    const before = await state()
    assert.deepEqual(await state(), before)
    await press(service, await ask(service, phone), 'SIXTH', 'Decline')
    assert.notDeepEqual(await state(), before)
    assert.ok(!(await ask(service, phone)).text.includes('<bdi>SIXTH</bdi>'))
  })

  test('a request that is no phone, no action, repeated or hostile is answered by a page and changes nothing', async () => {
    const service = await running()
    const order = await createOrder(service, 'ONCE', ofPayer)
    const { body } = await pay(service, order, PENDING)
    const key = String(body.txnId)
    for (const [path, form, status] of [
      ['/sandbox/phone/1', undefined, 404],
      ['/sandbox/phone/%3Cscript%3E', undefined, 404],
      [PHONE, { key, action: 'steal' }, 400],
      [PHONE, { action: 'approve' }, 400],
      [PHONE, `key=${key}&key=${key}&action=approve`, 400],
    ] as const)
      assert.equal((await ask(service, path, form as Record<string, string>)).status, status, path)
    const gone = await ask(service, goesTo(await ask(service, PHONE, { key: 'NOBODY:1', action: 'approve' })))
    assert.match(wordsOf(gone.text), /This no longer waits for an answer\./)
    assert.equal(await orderCode(service, order), '402')
    const hostile = '"><script>alert(1)</script>'
    const { text } = await ask(service, `${PHONE}?code=${encodeURIComponent(hostile)}&said=__proto__`)
    assert.ok(!text.includes('<script>alert'))
  })
})

test('production has no phone', async () => {
  const env = {
    MOHUR_MODE: 'production',
    MOHUR_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    MOHUR_PUBLIC_URL: 'https://pay.example',
  }
  const service = await startService('sqlite', { env, world: demoWorld })
  try {
    assert.equal((await ask(service, '/sandbox/phone')).status, 404)
    assert.equal((await ask(service, PHONE)).status, 404)
  } finally {
    await service.close()
  }
})
