// Shops that redirect their payers with a signed form in the address (docs/pages.md, "Forms in an address"). The GET shows the form's
// request and writes nothing. The page posts the form, and the post makes the order, once.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { changeMerchant } from '../../../src/domain/merchant/change-merchant.ts'
import type { Store } from '../../../src/engine/store.ts'
import { joinedValues, sign, verify } from '../../../src/interface/checksum.ts'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { orderKey } from '../../../src/tables/keys.ts'
import { type Answered, ask, CALLBACK, CARD_FIELDS, formOf, formsOf, goesTo, Visitor, wordsOf } from '../../support/pages/pages.ts'
import { checksummed, type Form, OPTIONAL, orderForm } from '../../support/paying/order-forms.ts'
import { bankJournal, CARD, createOrder, pay } from '../../support/paying/paying.ts'
import { promotionWorld } from '../../support/paying/promotions.ts'
import { serveProcess } from '../../support/run/process.ts'
import { KEY, MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { watched } from '../../support/store/faults.ts'
import { Random } from '../../support/text/random.ts'

const SEED = 17
const [THEIA] = pagePaths.orderForms
const PAGE = /^\/pay\/[0-9a-f]{32}$/
const EMI_MID = 'EMIFORMS000000000001'
const SHOP = 'Demo Stores'

const link = (form: Form, path: string = THEIA) => `${path}?${new URLSearchParams(form)}`
/**
 * A query as a framework for Java writes it. A plus sign and characters that a query may contain stay as they are. A null value has no
 * equals sign.
 */
const writtenByJava = (form: Readonly<Record<string, string | null>>) =>
  Object.entries(form)
    .map(([name, value]) =>
      value === null ? name : `${name}=${encodeURIComponent(value).replace(/%(3A|2F|3F|2B|40)/g, decodeURIComponent)}`,
    )
    .join('&')
const orderOf = ({ ports }: Service, orderId: string) => ports.query.row(orderKey(MID, orderId))

/** Sends the path exactly as written, by any method, because `fetch` rewrites addresses. */
const sent = ({ url }: Pick<Service, 'url'>, method: string, path: string) =>
  new Promise<{ status: number; text: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const asked = request({ hostname, port, method, path, agent: false }, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part) => parts.push(part))
      reply.on('end', () => resolve({ status: reply.statusCode!, text: Buffer.concat(parts).toString(), headers: reply.headers }))
    })
    asked.on('error', reject)
    asked.end()
  })

onBothStores('a checkout form in an address', (store) => {
  let written = 0
  const countWrites = (real: Store) =>
    watched(real, {
      write({ changes, events, tasks }) {
        written += changes.length + events.length + tasks.length
      },
    })
  const base = promotionWorld([{ promocode: 'TEN', percent: '10', payMethods: ['CREDIT_CARD'] }])
  const merchants = [...base.merchants!, { mid: EMI_MID, keys: [{ clientId: 'C11', key: KEY }], debitCardEmi: true }]
  const running = sharedService(store, { world: { ...base, merchants }, store: countWrites })
  let orders = 0
  const newForm = (more: Form = {}) => checksummed(orderForm(`G${++orders}`, { CALLBACK_URL: CALLBACK, ...more }))
  const pressed = async (service: Service, { text }: Answered) => {
    const [{ action, fields }, ...others] = formsOf(text) as [ReturnType<typeof formOf>]
    assert.equal(others.length, 0)
    return ask(service, action, fields)
  }

  for (const path of pagePaths.orderForms)
    test(`at ${path} is shown with the shop and the amount, and one press makes its order`, async () => {
      const service = await running()
      const form = newForm({ EMAIL: 'asha@shop.example', MOBILE_NO: '9876543210', MERC_UNQ_REF: 'two\nlines & "more"' })
      const orderId = form['ORDER_ID']!
      const before = written
      const shown = await ask(service, link(form, path))
      assert.equal(shown.status, 200)
      assert.ok(wordsOf(shown.text).includes(`Pay ₹100.00 to ${SHOP}`), wordsOf(shown.text))
      assert.ok(wordsOf(shown.text).includes(`Order ${orderId}`))
      assert.deepEqual(formsOf(shown.text), [{ method: 'post', action: path, fields: form, button: 'Continue' }])
      assert.match(shown.text, /<form [^>]*data-goes/)
      assert.match(shown.headers.get('content-security-policy')!, /form-action 'self'; frame-ancestors 'none'/)
      assert.equal(shown.headers.get('cache-control'), 'no-store')
      assert.equal(shown.headers.get('referrer-policy'), 'no-referrer')
      assert.equal(shown.headers.get('set-cookie'), null)
      assert.deepEqual([written - before, await orderOf(service, orderId)], [0, undefined])

      const visitor = new Visitor(service, goesTo(await pressed(service, shown)))
      for (let again = 0; again < 2; again++) assert.match(goesTo(await pressed(service, shown)), PAGE)
      assert.deepEqual([(await orderOf(service, orderId))?.version, (await orderOf(service, orderId))?.amountPaise], [1, 100_00])
      const { fields } = formOf((await visitor.send({ panel: 'card' }, CARD_FIELDS)).text, { MID })
      const { CHECKSUMHASH, ...reported } = fields
      assert.ok(verify(joinedValues(reported), CHECKSUMHASH, KEY))
      assert.deepEqual([reported['STATUS'], reported['ORDERID']], ['TXN_SUCCESS', orderId])
    })

  test('whose line breaks a browser would write otherwise is refused, as its post would be', async () => {
    const service = await running()
    for (const reference of ['a\rb', 'a\r\nb\nc', 'a\n\rb']) {
      const form = newForm({ MERC_UNQ_REF: reference })
      const shown = await ask(service, link(form))
      const posted = await ask(service, THEIA, { ...form, MERC_UNQ_REF: reference.replace(/\r\n?|\n/g, '\r\n') })
      assert.deepEqual([shown.status, wordsOf(shown.text)], [400, wordsOf(posted.text)], JSON.stringify(reference))
      assert.equal(posted.status, 400)
    }
  })

  test('is read as a municipal payment service writes it: without an e-mail address, a plus sign in its checksum', async () => {
    const service = await running()
    const fields = {
      CUST_ID: '9876543210',
      MOBILE_NO: '9876543210',
      EMAIL: '',
      CALLBACK_URL: 'https://city.example/pay?txn=PB_PG_1&ulb=pb.a',
    }
    let form = newForm(fields)
    for (let salt = 1_000; !form['CHECKSUMHASH']!.includes('+'); salt++) form = checksummed(orderForm(form['ORDER_ID']!, fields), `${salt}`)
    const shown = await sent(service, 'GET', `${THEIA}?${writtenByJava({ ...form, EMAIL: null })}`)
    assert.equal(shown.status, 200, wordsOf(shown.text))
    assert.deepEqual(formsOf(shown.text)[0]!.fields, form)
    const visitor = new Visitor(service, goesTo(await ask(service, THEIA, formsOf(shown.text)[0]!.fields)))
    const paid = formOf((await visitor.send({ panel: 'card' }, CARD_FIELDS)).text, { MID })
    assert.deepEqual([paid.action, paid.fields['STATUS']], [fields.CALLBACK_URL, 'TXN_SUCCESS'])
  })

  test('may be written in any script, within the size of a request’s headers', async () => {
    const service = await running()
    const form = newForm({ MERC_UNQ_REF: 'भुगतान' })
    const shown = await ask(service, link(form))
    assert.deepEqual([shown.status, formsOf(shown.text)[0]?.fields], [200, form])
    assert.equal((await sent(service, 'GET', `${link(form)}&theme=${'x'.repeat(16 * 1024)}`)).status, 431)
  })

  test('holds what its shop has signed: fields of frameworks, and empty ones beside, change nothing of its page', async () => {
    const service = await running()
    const form = newForm()
    const { text } = await ask(service, link(form))
    const beside: readonly Form[] = [
      { utf8: 'STRANGER', commit: 'STRANGER', _token: 'a|b', form_id: 'STRANGER', txnDate: 'STRANGER' },
      { STRANGER: '', EMAIL: '' },
    ]
    for (const more of beside) assert.equal((await ask(service, link({ ...more, ...form }))).text, text, JSON.stringify(more))
  })

  test('shows how its order stands: the amount that is being paid, what was paid, and that it is closed', async () => {
    const service = await running()
    const headingOf = async (form: Form) => /<h1[^>]*>(.*?)<\/h1>/.exec((await ask(service, link(form))).text)![1]
    const form = newForm({ PROMO_CAMP_ID: 'TEN' })
    const visitor = new Visitor(service, goesTo(await ask(service, THEIA, form)))
    assert.equal(await headingOf(form), `Pay ₹100.00 to ${SHOP}`)
    await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber: '4000000000003220' })
    assert.equal((await orderOf(service, form['ORDER_ID']!))?.status, 'IN_PROCESS')
    assert.equal(await headingOf(form), `Pay ₹90.00 to ${SHOP}`)
    await visitor.send('/otp', { otp: '123123' })
    assert.equal(await headingOf(form), '₹90.00 paid')
    const captured = (await bankJournal(service)).length
    const before = written
    const again = await pressed(service, await ask(service, link(form)))
    assert.equal(formOf((await new Visitor(service, goesTo(again)).look()).text, { MID }).fields['STATUS'], 'TXN_SUCCESS')
    assert.equal((await bankJournal(service)).length, captured, 'nothing is paid twice')
    assert.equal(written - before, 1, 'the page that the press has opened')

    const closed = newForm()
    await ask(service, THEIA, closed)
    await service.signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId: closed['ORDER_ID'] })
    assert.equal(await headingOf(closed), 'This order is closed')
  })

  test('goes by itself, but not for a browser that looks ahead; a HEAD has no body', async () => {
    const service = await running()
    const form = newForm()
    const { text } = await ask(service, link(form))
    const before = written
    const ahead = [{ 'sec-purpose': 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }, { purpose: 'preview' }]
    for (const headers of ahead) {
      const looked = await ask(service, link(form), undefined, headers as Form)
      assert.deepEqual([looked.status, looked.text], [200, text.replace(' data-goes', '')], JSON.stringify(headers))
    }
    const { status, text: none, headers } = await sent(service, 'HEAD', link(form))
    assert.deepEqual([status, none, headers['cache-control']], [200, '', 'no-store'])
    assert.equal((await sent(service, 'HEAD', link({ ...form, TXN_AMOUNT: '1.00' }))).status, 400)
    assert.deepEqual([written - before, await orderOf(service, form['ORDER_ID']!)], [0, undefined])
    for (const method of ['PUT', 'DELETE', 'PATCH']) assert.equal((await sent(service, method, link(form))).status, 404, method)
  })

  test('is refused by the very page that refuses it as a form, byte for byte', async (t) => {
    const service = await running()
    const form = newForm()
    const [other, posted, old] = [newForm({ TXN_AMOUNT: '250.00' }), newForm(), newForm()]
    for (const each of [posted, old]) assert.match(goesTo(await ask(service, THEIA, each)), PAGE)
    const paid = await createOrder(service, `PAID_${orders}`, { callbackUrl: CALLBACK })
    const callback: Form = (await pay(service, paid, CARD)).body.txnInfo
    const { MOBILE_NO: _, ...lacking } = orderForm('NO_NUMBER', { MID: EMI_MID, MOBILE_NO: '' })
    const text = new URLSearchParams(form).toString()
    const refused: Readonly<Record<string, readonly [form: Form | string, status: number, names?: string]>> = {
      'another amount': [{ ...form, TXN_AMOUNT: '1.00' }, 400, 'CHECKSUMHASH'],
      'another key': [{ ...form, CHECKSUMHASH: sign(joinedValues(form), 'AAAAAAAAAAAAAAAA', 'salt') }, 400, 'CHECKSUMHASH'],
      'the checksum of another order': [{ ...form, CHECKSUMHASH: other['CHECKSUMHASH']! }, 400, 'CHECKSUMHASH'],
      'no checksum': [{ ...form, CHECKSUMHASH: '' }, 400, 'CHECKSUMHASH'],
      'a merchant that nobody knows': [checksummed({ ...form, MID: 'NOBODY' }), 400, 'MID'],
      'a website that the shop has not': [checksummed({ ...form, WEBSITE: 'NOBODY' }), 400, 'WEBSITE'],
      'no amount': [checksummed({ ...form, TXN_AMOUNT: '0' }), 400, 'TXN_AMOUNT'],
      'no fields': ['', 400, 'CHANNEL_ID'],
      'an order alone': ['ORDER_ID=O1', 400, 'CHANNEL_ID'],
      'a field of a callback': [checksummed({ ...form, STATUS: 'TXN_SUCCESS' }), 400, 'STATUS'],
      'a field of a callback, unsigned': [{ ...form, STATUS: 'TXN_SUCCESS' }, 400, 'STATUS'],
      'a callback': [callback, 400],
      'a pipe': [checksummed({ ...form, MERC_UNQ_REF: 'a|b' }), 400, 'MERC_UNQ_REF'],
      'a subscription': [checksummed({ ...form, REQUEST_TYPE: 'SUBSCRIBE' }), 400, 'REQUEST_TYPE'],
      'a name twice': [`${text}&MID=${MID}`, 400],
      'an escape that is none': [`${text}&EMAIL=%FF`, 400],
      'a character that no store keeps': [`${text}&EMAIL=%00`, 400],
      'more than a hundred fields': [`${text}&${Array.from({ length: 100 }, (_each, at) => `f${at}=`).join('&')}`, 400],
      'no number where debit cards pay EMI': [checksummed(lacking), 400, 'MOBILE_NO'],
      'another order of that number': [checksummed({ ...posted, TXN_AMOUNT: '1.00' }), 409],
    }
    const before = written
    const asForm = async (given: Form | string) => [await ask(service, THEIA, given), await sent(service, 'GET', addressOf(given))] as const
    const addressOf = (given: Form | string) => (typeof given === 'string' ? `${THEIA}?${given}` : link(given))
    for (const [what, [given, status, names]] of Object.entries(refused)) {
      const [byPost, byGet] = await asForm(given)
      assert.deepEqual([byPost.status, byGet.status], [status, status], what)
      assert.equal(byGet.text, byPost.text, what)
      if (names !== undefined) assert.ok(wordsOf(byGet.text).includes(`the field ${names} is missing or wrong`), what)
    }
    assert.equal(written, before, 'something was written')

    const disable = (status: 'DISABLED' | 'ACTIVE') =>
      service.ports.engine.submit(changeMerchant, { mid: MID, settings: { status }, by: 'command', now: service.clock.now() })
    await disable('DISABLED')
    for (const given of [form, posted]) {
      const [byPost, byGet] = await asForm(given)
      assert.deepEqual([byGet.status, byGet.text], [400, byPost.text])
      assert.ok(wordsOf(byGet.text).includes('the field MID is missing or wrong'))
    }
    await disable('ACTIVE')
    service.clock.advance(24 * 3_600_000)
    const [byPost, byGet] = await asForm(old)
    assert.deepEqual([byGet.status, byGet.text], [410, byPost.text], 'the order’s time is over')
    t.diagnostic(`${Object.keys(refused).length + 3} refusals by GET, each equal to its refusal by POST`)
  })

  const UNSIGNED = store === 'sqlite' ? sized(300, 10_000) : 100 // its decision reads no row in which the stores could differ
  test(`shows no text of ${UNSIGNED} forms that no shop has signed`, async (t) => {
    const service = await running()
    const random = new Random(SEED)
    const NAMES = [...Object.keys(orderForm('')), ...Object.keys(OPTIONAL), 'STATUS', 'TXNID', 'commit', 'utf8', 'ORDERID']
    /** The same draw with other texts: any of them on the page would make a difference. */
    const draw = (): ((text: string) => string) => {
      const form = newForm()
      const [name, place, ending] = [random.pick(NAMES), random.below(8), random.pick(['=', '', '=%FF', '=%00', '=1&', '=a|b'])]
      const encoded = new URLSearchParams(form).toString()
      switch (place) {
        case 0:
          return (text) => new URLSearchParams({ ...form, [name]: text }).toString()
        case 1:
          return (text) => `${encoded}&${text}${ending}`
        case 2:
          return (text) => `${encoded}&${text}=1&${text}=2`
        case 3:
          return (text) => new URLSearchParams(checksummed({ ...form, [text]: 'x' })).toString()
        case 4:
          return (text) => `${text}=${text}&${name}=${text}`
        case 5:
          return (text) => new URLSearchParams({ ...form, CHECKSUMHASH: text }).toString()
        case 6:
          return (text) => new URLSearchParams({ MID: text, ...OPTIONAL, [name]: text }).toString()
        default:
          return (text) => `${new URLSearchParams({ ...form, MID: text, CALLBACK_URL: `https://${text}.example/` })}`
      }
    }
    let shown = 0
    let differ = 0
    const statuses = new Map<number, number>()
    const before = written
    for (let at = 0; at < UNSIGNED; at++) {
      const write = draw()
      const [one, two] = ['CALLNOW9123456780', 'PAYME0000000000000000']
      const [first, second] = [await sent(service, 'GET', `${THEIA}?${write(one)}`), await sent(service, 'GET', `${THEIA}?${write(two)}`)]
      if (first.text.includes(one) || second.text.includes(two)) shown++
      if (first.text !== second.text) differ++
      statuses.set(first.status, (statuses.get(first.status) ?? 0) + 1)
    }
    t.diagnostic(`seed ${SEED}: ${UNSIGNED} forms, ${JSON.stringify([...statuses])}: text shown ${shown}, pages that differ ${differ}`)
    assert.deepEqual([shown, differ, written - before], [0, 0, 0])
  })

  const LOOKS = store === 'sqlite' ? sized(300, 10_000) : sized(100, 10_000)
  test(`${LOOKS} looks write nothing`, async (t) => {
    const service = await running()
    const form = newForm()
    const made = newForm()
    await ask(service, THEIA, made)
    const links = [form, made, { ...form, TXN_AMOUNT: '1.00' }, checksummed({ ...made, TXN_AMOUNT: '1.00' }), { ...form, MID: 'NOBODY' }]
    const counted = async () => {
      const tables = ['orders', 'pages', 'transactions', 'checkoutOtps', 'events'] as const
      return Promise.all(tables.map(async (table) => (await service.ports.query.rows({ find: table, limit: 100_000 })).length))
    }
    const [before, rows] = [written, await counted()]
    const statuses = new Map<number, number>()
    for (let at = 0; at < LOOKS; at++) {
      const path = pagePaths.orderForms[at % pagePaths.orderForms.length]!
      const { status } = await ask(service, link(links[at % links.length]!, path))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    assert.deepEqual([written - before, await counted()], [0, rows])
    t.diagnostic(`${LOOKS} GETs, ${JSON.stringify([...statuses])}: rows, events and tasks written ${written - before}`)
  })
})

test('no log contains the query of a form’s address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-get-'))
  const service = await serveProcess({ MOHUR_DATA: folder, MOHUR_LOG: 'debug' })
  try {
    const form = checksummed(orderForm('SEEN-IN-NO-LOG', { EMAIL: 'seen-in-no-log@shop.example' }))
    const queries = [
      ...[form, { ...form, MID: 'SEEN-IN-NO-LOG' }, { ...form, TXN_AMOUNT: '1' }].map((each) => new URLSearchParams(each).toString()),
      ...['%zz=SEEN-IN-NO-LOG', 'SEEN-IN-NO-LOG=%FF', 'MID=1&MID=SEEN-IN-NO-LOG', `SEEN-IN-NO-LOG=${'x'.repeat(20_000)}`],
    ]
    const statuses: number[] = []
    for (const query of queries)
      for (const path of [...pagePaths.orderForms, '/order//process', '/order/%zz', '/theia/none'])
        for (const method of ['GET', 'PUT']) statuses.push((await sent(service, method, `${path}?${query}`)).status)
    assert.deepEqual([...new Set(statuses)].sort(), [200, 400, 404, 431], 'each kind of answer is among them')
  } finally {
    await service.kill('SIGTERM')
    rmSync(folder, { recursive: true })
  }
  assert.doesNotMatch(service.log().toString(), /SEEN-IN-NO-LOG|seen-in-no-log|CHECKSUMHASH|TXN_AMOUNT/i)
})
