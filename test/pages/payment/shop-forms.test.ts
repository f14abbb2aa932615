// The forms by which shops send their payers: those that make the order, those with a token, an app's callback address. A page names a
// form's fault, and then nothing is charged, run or kept.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentOfForm } from '../../../src/api/older-clients/order-form.ts'
import { joinedValues, sign, verify } from '../../../src/interface/checksum.ts'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { orderKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { fix, initiate, subscription } from '../../support/mandates/subscription.ts'
import { cancelCallbacks } from '../../support/pages/cancels.ts'
import { type Answered, ask, CALLBACK, CARD_FIELDS, formOf, goesTo, Visitor, withoutIds, wordsOf } from '../../support/pages/pages.ts'
import { checksummed, type Form, OPTIONAL, orderForm, renamed, split } from '../../support/paying/order-forms.ts'
import { bankJournal, CARD, createOrder, pay, statusOf } from '../../support/paying/paying.ts'
import { promotionWorld } from '../../support/paying/promotions.ts'
import { KEY, MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { assertHolds } from '../../support/store/verify.ts'
import { Random } from '../../support/text/random.ts'

const SEED = 11
const [THEIA, PROCESS] = pagePaths.orderForms
const PAGE = /^\/pay\/[0-9a-f]{32}$/
const CARD_INFO = '|4111111111111111|123|122032'

const orderOf = ({ ports }: Service, orderId: string) => ports.query.row(orderKey(MID, orderId))
const countOrders = async ({ ports }: Service) => (await ports.query.rows({ find: 'orders', limit: 10_000 })).length
const captures = async (service: Service, orderId: string): Promise<number> => {
  const keys = new Set((await service.ports.query.rows(transactionsOfOrder(MID, orderId))).map(({ txnId }) => `${MID}:${txnId}`))
  return (await bankJournal(service)).filter(({ kind, key, outcome }) => kind === 'authorize' && outcome === 'success' && keys.has(key))
    .length
}
/** The form that goes to the shop, verified as the shop does. */
function callbackIn({ text }: Answered): Form {
  const { action, fields } = formOf(text, { MID })
  assert.equal(action, CALLBACK)
  const { CHECKSUMHASH, ...reported } = fields
  assert.ok(verify(joinedValues(reported), CHECKSUMHASH, KEY), JSON.stringify(fields))
  return fields
}

onBothStores('forms of shops', (store) => {
  const running = sharedService(store, { world: promotionWorld([{ promocode: 'TEN', percent: '10' }]) })
  let orders = 0
  const newForm = (more: Form = {}) => checksummed(orderForm(`F${++orders}`, { CALLBACK_URL: CALLBACK, ...more }))

  for (const path of pagePaths.orderForms)
    test(`a form posted to ${path} makes the order, and its payer pays on the page`, async () => {
      const service = await running()
      const form = newForm({ EMAIL: 'asha@shop.example', MOBILE_NO: '+91 98765 43210', MERC_UNQ_REF: 'REF 1' })
      const orderId = form['ORDER_ID']!
      const visitor = new Visitor(service, goesTo(await ask(service, `${path}?ORDER_ID=${orderId}`, form)))
      assert.match(visitor.page, PAGE)
      const order = (await orderOf(service, orderId))!
      assert.deepEqual([order.status, order.amountPaise, order.callbackUrl], ['CREATED', 100_00, CALLBACK])
      assert.deepEqual(order.details.userInfo, { custId: 'C1', mobile: '9876543210', email: 'asha@shop.example' })
      const paid = await visitor.send({ panel: 'card' }, CARD_FIELDS)
      const { STATUS, ORDERID, MERC_UNQ_REF } = callbackIn(paid)
      assert.deepEqual([STATUS, ORDERID, MERC_UNQ_REF], ['TXN_SUCCESS', orderId, 'REF 1'])
      assert.equal((await statusOf(service, { orderId })).body.resultInfo.resultCode, '01')
      assert.equal(await captures(service, orderId), 1)
    })

  test('a form whose reference has a line break is taken as it was signed, and as its browser posts it', async () => {
    const service = await running()
    for (const text of ['two\nlines', 'two\r\nlines', '\nthree\n\nlines']) {
      const { CHECKSUMHASH, ...signed } = newForm({ MERC_UNQ_REF: text, EMAIL: '' })
      const { EMAIL, ...given } = signed
      for (const checksum of [CHECKSUMHASH, checksummed(given)['CHECKSUMHASH']]) {
        const posted = { ...signed, MERC_UNQ_REF: text.replace(/\r?\n/g, '\r\n'), CHECKSUMHASH: checksum! }
        const visitor = new Visitor(service, goesTo(await ask(service, THEIA, posted)))
        await visitor.look()
        const order = (await orderOf(service, signed['ORDER_ID']!))!
        assert.deepEqual(order.details.extendInfo, { mercUnqRef: text })
        if (checksum === CHECKSUMHASH) continue
        assert.equal(callbackIn(await visitor.send({ panel: 'card' }, CARD_FIELDS))['MERC_UNQ_REF'], text.trim().replace(/\r\n|\n/g, ' '))
      }
      const other = { ...signed, MERC_UNQ_REF: text.replace(/\r?\n/g, '\r\n '), CHECKSUMHASH: CHECKSUMHASH! }
      assert.equal((await ask(service, THEIA, other)).status, 400, 'another text is not what was signed')
    }
  })

  test('the same form again opens its page and shows how the order stands; another of that number is a 409 with the way back', async () => {
    const service = await running()
    const form = newForm()
    const orderId = form['ORDER_ID']!
    const first = goesTo(await ask(service, THEIA, form))
    const again = checksummed({ ...form }, 'abcd') // as its shop writes it again, with another salt
    const second = goesTo(await ask(service, THEIA, again))
    assert.notEqual(first, second)
    assert.equal((await orderOf(service, orderId))!.version, 1)
    service.clock.advance(16 * 60_000) // longer than a token lives
    const third = new Visitor(service, goesTo(await ask(service, THEIA, form)))
    for (const more of [{ TXN_AMOUNT: '1.00' }, { CUST_ID: 'C2' }, { CALLBACK_URL: 'https://other.example/' }]) {
      const taken = await ask(service, THEIA, checksummed({ ...form, ...more }))
      assert.equal(taken.status, 409)
      assert.match(taken.text, /<a class="button second" href="https:\/\/shop\.example" target="_top" rel="noopener">/)
      assert.ok(!taken.text.includes('other.example'))
    }
    await createOrder(service, `${orderId}_API`)
    assert.equal(
      (await ask(service, THEIA, checksummed({ ...form, ORDER_ID: `${orderId}_API` }))).status,
      409,
      'nor one of an order of the API',
    )
    callbackIn(await third.send({ panel: 'card' }, CARD_FIELDS))
    const after = await new Visitor(service, goesTo(await ask(service, THEIA, form))).look()
    assert.equal(callbackIn(after)['STATUS'], 'TXN_SUCCESS')
    assert.equal(await captures(service, orderId), 1)
    await assertHolds(service)
  })

  test('only one mode, its bank and an offer are what the form says', async () => {
    const service = await running()
    const form = newForm({ PAYMENT_MODE_ONLY: 'YES', PAYMENT_TYPE_ID: 'NB', BANK_CODE: 'HDFC', PROMO_CAMP_ID: 'TEN' })
    const page = await new Visitor(service, goesTo(await ask(service, THEIA, form))).look()
    const { paymentModes, details } = (await orderOf(service, form['ORDER_ID']!))!
    assert.deepEqual(paymentModes, { enable: [{ mode: 'NET_BANKING', banks: ['HDFC'] }] })
    assert.equal(details.simplifiedPaymentOffers?.promoCode, 'TEN')
    assert.ok(formOf(page.text, { panel: 'bank' }))
    assert.throws(() => formOf(page.text, { panel: 'card' }))
  })

  test('a page names the wrong field of a form, and no order is made', async () => {
    const service = await running()
    const before = await countOrders(service)
    const form = newForm()
    const refused: readonly (readonly [form: Form | string, field: string | undefined])[] = [
      [{ ...form, TXN_AMOUNT: '1.00' }, 'CHECKSUMHASH'],
      [{ ...form, CHECKSUMHASH: sign(joinedValues(form), 'AAAAAAAAAAAAAAAA', 'salt') }, 'CHECKSUMHASH'],
      [{ ...form, CHECKSUMHASH: '' }, 'CHECKSUMHASH'],
      [checksummed({ ...form, MID: 'NOBODY' }), 'MID'],
      [checksummed({ ...form, WEBSITE: 'NOBODY' }), 'WEBSITE'],
      [checksummed({ ...form, TXN_AMOUNT: '0' }), 'TXN_AMOUNT'],
      [checksummed({ ...form, STATUS: 'TXN_SUCCESS' }), 'STATUS'],
      [checksummed({ ...form, THEME: 'x' }), 'THEME'],
      [checksummed({ ...form, '<script>': 'x' }), '<script>'],
      [checksummed({ ...form, 'x-y': '1' }), 'x-y'],
      [checksummed({ ...form, ['a'.repeat(60)]: '1' }), 'a'.repeat(40)],
      [checksummed({ ...form, IS_USER_VERIFIED: 'perhaps' }), 'IS_USER_VERIFIED'],
      [checksummed({ ...form, MERC_UNQ_REF: 'a|b' }), 'MERC_UNQ_REF'],
      [`${new URLSearchParams(form)}&MID=${MID}`, undefined],
      [`${new URLSearchParams(form)}&${Array.from({ length: 100 }, (_, at) => `f${at}=`).join('&')}`, undefined],
      ['MID=%FF', undefined],
    ]
    for (const [given, field] of refused) {
      const answer = await ask(service, THEIA, given)
      assert.equal(answer.status, 400, JSON.stringify(given))
      const named = /For the shop: the field (\S+) is missing or wrong\./.exec(wordsOf(answer.text))?.[1]
      assert.equal(named, field, JSON.stringify(given))
      assert.ok(!answer.text.includes('<script>'))
    }
    assert.equal((await ask(service, `${PROCESS}?ORDER_ID=OTHER`, form)).status, 400)
    assert.equal((await ask(service, THEIA, 'x'.repeat(65_537))).status, 413)
    assert.equal((await service.post(THEIA, JSON.stringify(form))).status, 415)
    assert.equal(await countOrders(service), before)
    // The merchant need not sign orders of the API, but an unsigned form belongs to no merchant.
    await service.call('PUT', '/sandbox/world', {}, JSON.stringify({ merchants: [{ mid: MID, checksumEnabled: false }] }))
    const { CHECKSUMHASH: _, ...unsigned } = form
    assert.equal((await ask(service, THEIA, unsigned)).status, 400)
    await service.call('PUT', '/sandbox/world', {}, JSON.stringify({ merchants: [{ mid: MID, checksumEnabled: true }] }))
    assert.equal(await countOrders(service), before)
  })

  test('an address of a form that brings a token says by a page that it takes a form', async () => {
    const service = await running()
    for (const path of [pagePaths.orderPay, pagePaths.upiPollPage]) {
      const answer = await ask(service, `${path}?ORDER_ID=O1`)
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'], path)
      assert.match(wordsOf(answer.text), /takes a form.*method POST/)
    }
  })

  test('a form for a subscription gets a page that names what takes its place', async () => {
    const answer = await ask(await running(), THEIA, newForm({ REQUEST_TYPE: 'SUBSCRIBE' }))
    assert.equal(answer.status, 400)
    assert.match(wordsOf(answer.text), /field REQUEST_TYPE is missing or wrong\. For the shop: .*Initiate Subscription/)
  })

  test('fields that frameworks add to a form are passed over, and make it no other form', async () => {
    const service = await running()
    const form = newForm()
    const added = {
      rails: { utf8: '✓', authenticity_token: 'a|b==', commit: 'Pay now' },
      laravel: { _token: 'abc' },
      drupal: { form_build_id: 'form-1', form_id: 'checkout', form_token: 't', op: 'Pay' },
      magento: { form_key: 'b0|Kx' },
      kit: { txnDate: '2026-06-15 10:00:00', submit: 'Confirm' },
      kitWithPipes: { txnDate: '|', submit: 'a|b' },
    }
    for (const more of Object.values(added)) assert.match(goesTo(await ask(service, THEIA, { ...more, ...form })), PAGE)
    assert.equal((await orderOf(service, form['ORDER_ID']!))?.version, 1)
    // Signed with the other fields they are part of what the shop meant, and Mohur does not know which part.
    const before = await countOrders(service)
    for (const [name, value] of Object.values(added).flatMap((more) => Object.entries(more)))
      assert.equal((await ask(service, THEIA, checksummed({ ...newForm(), [name]: value }))).status, 400, name)
    assert.equal(await countOrders(service), before)
  })

  test('additions of a kit are passed over by their exact names alone: once, in the body, and beside a right checksum', async () => {
    const service = await running()
    const before = await countOrders(service)
    const added = { txnDate: '2026-06-15', submit: 'Confirm' }
    for (const name of ['TxnDate', 'txndate', 'TXNDATE', 'txnDate ', 'Submit', 'SUBMIT', 'submit[]', 'submit.x', 'form-key'])
      assert.equal((await ask(service, THEIA, { ...newForm(), [name]: 'x' })).status, 400, name)
    const { CHECKSUMHASH: _, ...unsigned } = newForm()
    const { TXN_AMOUNT, ...lacking } = newForm()
    for (const form of [
      unsigned,
      { ...newForm(), TXN_AMOUNT: '1.00' },
      { ...lacking, submit: TXN_AMOUNT! },
      { ...lacking, txnDate: TXN_AMOUNT! },
    ])
      assert.equal((await ask(service, THEIA, { ...added, ...form })).status, 400, JSON.stringify(form))
    const text = new URLSearchParams(newForm())
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const doubled of ['txnDate=1&txnDate=1', 'submit=Confirm&submit=Confirm'])
      assert.equal((await service.call('POST', THEIA, headers, `${text}&${doubled}`)).status, 400, doubled)
    // The query of a form's address is not part of the form.
    const moved = newForm()
    assert.match(goesTo(await ask(service, `${THEIA}?${new URLSearchParams(added)}`, moved)), PAGE)
    assert.equal(await countOrders(service), before + 1)
  })

  test('empty fields may have been signed or not, all of them or none', async () => {
    const service = await running()
    const empty = { email: '', phone: '', EMAIL: '' }
    for (const form of [newForm(empty), { ...newForm(), ...empty }]) assert.match(goesTo(await ask(service, THEIA, form)), PAGE)
    // Some of each is neither.
    assert.equal((await ask(service, THEIA, { ...newForm({ email: '' }), phone: '' })).status, 400)
  })

  test('unused fields that older kits sign are known', async () => {
    const service = await running()
    const form = newForm({
      MSISDN: '9876543210',
      EMAIL: 'asha@shop.example',
      VERIFIED_BY: 'EMAIL',
      IS_USER_VERIFIED: 'YES',
      theme: 'merchant',
    })
    assert.match(goesTo(await ask(service, THEIA, form)), PAGE)
    const order = (await orderOf(service, form['ORDER_ID']!))!
    assert.deepEqual(order.details.userInfo, { custId: 'C1', mobile: '9876543210', email: 'asha@shop.example' })
    assert.match(goesTo(await ask(service, THEIA, newForm({ CHANNEL_ID: 'WEBSTAGING' }))), PAGE)
    assert.equal((await ask(service, THEIA, newForm({ CHANNEL_ID: 'NOBODY' }))).status, 400)
  })

  /** A framework's additions, and empty fields. They change no meaning. */
  const BESIDE = { _token: 'abc', form_id: 'checkout', phone: '', zip: '' }
  const FORGED = store === 'sqlite' ? sized(1_000, 10_000) : 100 // its decision reads no row in which the stores could differ
  test(`none of ${FORGED} signed forms, split values and callbacks under other names makes an order that its merchant did not mean`, async () => {
    const service = await running()
    const random = new Random(SEED)
    const paid = await createOrder(service, 'CALLED_BACK')
    const callbacks: Form[] = [(await pay(service, paid, CARD)).body.txnInfo, ...(await cancelCallbacks(service, 'CALLED_OFF'))]
    const before = await countOrders(service)
    const hostile: readonly Form[] = [
      { MERC_UNQ_REF: 'a|b' },
      { MERC_UNQ_REF: `x|${MID}|O2|1.00|DEFAULT` },
      { EMAIL: 'a|b@shop.example' },
      { CUST_ID: 'C1|C2' },
      { ORDER_ID: 'O1|1.00' },
      { MOBILE_NO: '9876543210|O2' },
      { CALLBACK_URL: 'https://shop.example/|WEB' },
    ]
    /** A form in other hands, and what its merchant meant by its values. */
    const draw = (): { form: Form; meant?: Form } => {
      const chosen = Object.fromEntries(Object.entries(OPTIONAL).filter(() => random.below(2) === 0))
      const meant = orderForm(`SIGNED_${random.below(1_000_000)}`, chosen)
      switch (random.below(3)) {
        case 0:
          return { form: split(checksummed({ ...meant, ...random.pick(hostile) }), random) }
        case 1:
          return { form: renamed(random.pick(callbacks), random) }
        default:
          return { form: renamed(checksummed(meant), random), meant }
      }
    }
    const counts = { refused: 0, meant: 0 }
    while (counts.refused < FORGED) {
      const { form, meant } = draw()
      const given: Form = random.below(2) === 0 ? { ...form, ...BESIDE } : form
      const { status } = await ask(service, random.pick(pagePaths.orderForms), given)
      if (status === 303) {
        assert.ok(meant && contentOfForm(form) === contentOfForm(meant), JSON.stringify([form, meant]))
        counts.meant++
      } else {
        assert.equal(status, 400, JSON.stringify(given))
        counts.refused++
      }
    }
    assert.equal(await countOrders(service), before + counts.meant, `seed ${SEED}: ${JSON.stringify(counts)}`)
  })

  // ------------------------------------------------------------------------------------------ forms that bring a token

  const byToken = async (more: object = {}) => {
    const order = await createOrder(await running(), `T${++orders}`, { callbackUrl: CALLBACK, ...more })
    return { ...order, query: `?mid=${MID}&orderId=${order.orderId}` }
  }

  test('the order’s form pays at once with what it brings, and else shows the page', async () => {
    const service = await running()
    const { txnToken, query, orderId } = await byToken()
    const post = (fields: Form) => ask(service, pagePaths.orderPay + query, { txnToken, ...fields })
    const choices = await new Visitor(service, goesTo(await post({}))).look()
    assert.ok(formOf(choices.text, { panel: 'card' }))
    const wrong = await new Visitor(service, goesTo(await post({ paymentMode: 'CREDIT_CARD', cardInfo: '|4111|1|1' }))).look()
    assert.ok(formOf(wrong.text, { panel: 'card' }))
    assert.ok(!withoutIds(wrong.text).includes('4111'))
    const atBank = await new Visitor(service, goesTo(await post({ paymentMode: 'NET_BANKING', channelCode: 'HDFC' }))).look()
    const toBank = formOf(atBank.text, '/sandbox/bank/page')
    const decline = formOf((await ask(service, toBank.action, toBank.fields)).text, { action: 'decline' })
    const back = goesTo(await ask(service, decline.action, decline.fields))
    const returned = await new Visitor(service, '').follow(back)
    assert.match(wordsOf(returned.text), /Nothing was taken\. .*You can try 4 more times\./)
    for (const id of [...returned.text.matchAll(/\/pay\/([0-9a-f]{32})/g)].map(([, id]) => id!))
      assert.ok(!back.includes(id), 'the bank is told the page’s id')
    const paid = await new Visitor(service, goesTo(await post({ paymentMode: 'CREDIT_CARD', cardInfo: CARD_INFO }))).look()
    assert.equal(callbackIn(paid)['STATUS'], 'TXN_SUCCESS')
    assert.equal(await captures(service, orderId), 1)
  })

  test('a card that asks for its code asks on Mohur’s page, and a subscription is agreed to by its form', async () => {
    const service = await running()
    const { txnToken, query } = await byToken()
    const card = { paymentMode: 'CREDIT_CARD', cardInfo: '|4000000000003220|123|122032' }
    const visitor = new Visitor(service, goesTo(await ask(service, pagePaths.orderPay + query, { txnToken, ...card })))
    await visitor.look()
    assert.equal(callbackIn(await visitor.send('/otp', { otp: '123123' }))['STATUS'], 'TXN_SUCCESS')

    const orderId = `S${++orders}`
    const { body } = await initiate(service, subscription(orderId, { callbackUrl: CALLBACK, ...fix('100') }))
    const consent = { txnToken: body.txnToken, SUBSCRIPTION_ID: body.subscriptionId, paymentMode: 'UPI', payerAccount: 'asha@upi' }
    const agreed = await new Visitor(
      service,
      goesTo(await ask(service, `${pagePaths.orderPay}?mid=${MID}&orderId=${orderId}`, consent)),
    ).look()
    assert.equal(callbackIn(agreed)['STATUS'], 'TXN_SUCCESS')
  })

  test('the form of Process Transaction leads to the bank, to the shop with the end, or to the page; JSON is answered as ever', async () => {
    const service = await running()
    const pays = async (fields: Form) => {
      const { txnToken, query, orderId } = await byToken()
      return { orderId, answer: await ask(service, pagePaths.payByForm + query, { txnToken, ...fields }) }
    }
    const { answer: ended } = await pays({ paymentMode: 'PPBL' })
    assert.equal(callbackIn(ended)['STATUS'], 'TXN_SUCCESS')
    assert.match(ended.headers.get('content-security-policy')!, /form-action 'self' https:\/\/shop\.example/)
    const { answer: failed } = await pays({ paymentMode: 'UPI', payerAccount: 'declined@upi' })
    assert.equal(callbackIn(failed)['RESPCODE'], '227')
    const { answer: bank } = await pays({ paymentMode: 'NET_BANKING', channelCode: 'HDFC' })
    assert.ok(formOf(bank.text, '/sandbox/bank/page').fields['key'])
    for (const fields of [{ paymentMode: 'UPI', payerAccount: 'pending@upi' }, { paymentMode: 'NET_BANKING' }, {}] as Form[])
      assert.match(goesTo((await pays(fields)).answer), PAGE)
    assert.equal(
      (await pay(service, await createOrder(service, `J${++orders}`), { paymentMode: 'PPBL' })).body.resultInfo.resultCode,
      '0000',
    )
  })

  test('sixty codes of offers a minute may be tried with one token, by forms and JSON together', async () => {
    const service = await running()
    const [guessed, other] = [await byToken(), await byToken()]
    const guess = (at: number) =>
      ask(service, [pagePaths.orderPay, pagePaths.payByForm][at % 2]! + guessed.query, {
        ...{ txnToken: guessed.txnToken, paymentMode: 'PPBL', promoCode: `GUESS${at}` },
      })
    const statuses = await Promise.all(Array.from({ length: 130 }, async (_, at) => (await guess(at)).status))
    const refused = statuses.filter((status) => status === 429).length
    assert.ok(refused >= 10 && refused <= 70, String(refused)) // 70, unless the minute changed in between
    assert.deepEqual([...new Set(statuses)].sort(), [303, 429])
    assert.ok(Number((await guess(0)).headers.get('retry-after')) > 0)
    const json = await Promise.all(Array.from({ length: 61 }, () => pay(service, guessed, { ...CARD, promoCode: 'GUESS' })))
    assert.ok(json.some(({ status }) => status === 429))
    for (const [order, fields] of [
      [other, { promoCode: 'GUESS' }],
      [guessed, {}],
    ] as const)
      assert.notEqual(
        (await ask(service, pagePaths.orderPay + order.query, { txnToken: order.txnToken, paymentMode: 'PPBL', ...fields })).status,
        429,
      )
    assert.equal(await captures(service, guessed.orderId), 1)
  })

  test('a browser that waits for a UPI app gets the page’s address where it can show a page, as its channel says', async () => {
    const service = await running()
    const { txnToken, orderId, query } = await byToken()
    const body = { requestType: 'NATIVE', mid: MID, orderId, paymentMode: 'UPI', payerAccount: 'pending@upi' }
    const text = JSON.stringify({ head: { txnToken, channelId: 'WEB' }, body })
    const { redirectForm } = (await service.post(pagePaths.payByForm + query, text)).body.bankForm
    assert.equal(redirectForm.actionUrl, `${service.url}${pagePaths.upiPollPage}${query}`)
    const page = await new Visitor(service, goesTo(await ask(service, redirectForm.actionUrl, redirectForm.content))).look()
    assert.match(wordsOf(page.text), /pending@upi/)
    const other = await byToken()
    const quiet = JSON.stringify({ head: { txnToken: other.txnToken }, body: { ...body, orderId: other.orderId } })
    assert.equal((await service.post(pagePaths.payByForm + other.query, quiet)).body.bankForm, undefined)
  })

  test('a token that is wrong, old, of another order or said in two ways opens nothing and pays nothing', async () => {
    const service = await running()
    const { txnToken, query, orderId } = await byToken()
    const other = await byToken()
    const means = { paymentMode: 'PPBL' }
    for (const path of [pagePaths.orderPay, pagePaths.payByForm, pagePaths.upiPollPage]) {
      const post = async (at: string, fields: Form) => (await ask(service, path + at, { ...means, ...fields })).status
      assert.equal(await post(query, {}), 400, path)
      assert.equal(await post('', { txnToken }), 400, path)
      assert.equal(await post(query, { txnToken: 'x' }), 404, path)
      assert.equal(await post(query, { txnToken: other.txnToken }), 404, path)
      assert.equal(await post(query, { txnToken, orderId: other.orderId }), 400, path)
      assert.equal(await post('?mid=NOBODY&orderId=X', { txnToken }), 404, path)
      assert.equal((await ask(service, `${path}${query}`, `txnToken=${txnToken}&txnToken=${txnToken}`)).status, 400, path)
    }
    service.clock.advance(15 * 60_000)
    for (const path of [pagePaths.orderPay, pagePaths.payByForm, pagePaths.upiPollPage])
      assert.equal((await ask(service, path + query, { ...means, txnToken })).status, 410, path)
    assert.equal((await service.ports.query.rows(transactionsOfOrder(MID, orderId))).length, 0)
  })

  // ------------------------------------------------------------------------------------------ an app's callback address

  test('an app’s callback address holds the fields of a callback that is signed, and of nothing else', async () => {
    const service = await running()
    const { orderId, txnToken } = await byToken()
    const fields: Form = (await pay(service, { orderId, txnToken }, CARD)).body.txnInfo
    const held = async (form: Form, query = `?ORDER_ID=${orderId}`) => {
      const answer = await ask(service, pagePaths.callbackPage + query, form)
      assert.equal(answer.status, 200)
      const value = /<input type="hidden" id="response" value="([^"]*)">/.exec(answer.text)?.[1]
      return value === undefined ? undefined : JSON.parse(value.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code))))
    }
    assert.deepEqual(await held(fields), fields)
    assert.deepEqual(await held(fields, ''), fields)
    assert.equal(await held(fields, '?ORDER_ID=OTHER'), undefined)
    assert.equal(await held({ ...fields, STATUS: 'TXN_FAILURE' }), undefined)
    assert.equal(await held({ ...fields, EXTRA: '' }), undefined)
    assert.equal(await held({}), undefined)
    assert.equal(await held(checksummed(orderForm('X'))), undefined, 'a form that makes an order is none')
    const byGet = await ask(service, `${pagePaths.callbackPage}?ORDER_ID=${orderId}`)
    assert.match(wordsOf(byGet.text), /The app that brought you here/)
    assert.ok(!byGet.text.includes('id="response"'))
  })
})
