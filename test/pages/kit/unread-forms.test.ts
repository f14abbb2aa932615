// A form that cannot be read. The page names its fault in the reader's language, and nothing is written (docs/pages.md, "Forms of shops").

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../../src/engine/store.ts'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { languages } from '../../../src/pages/kit/messages/messages.ts'
import { newPage, wordsOf } from '../../support/pages/pages.ts'
import { checksummed, orderForm } from '../../support/paying/order-forms.ts'
import { onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { watched } from '../../support/store/faults.ts'

const FORM = 'application/x-www-form-urlencoded'
const SEND_EN = `Send it as ${FORM}.`
const SEND_HI = `इसे ${FORM} में भेजें।`
const ESCAPE_EN = 'is invalid. Encode texts as UTF-8, and % itself as %25.'
const ESCAPE_HI = 'में % के बाद का कोड ग़लत है। UTF-8 में भेजें, और % को %25 लिखें।'
const FIELDS = Array.from({ length: 101 }, (_, at) => `f${at}=`).join('&')

interface Unread {
  body: string | Uint8Array
  /** Absent: a form's; null: none is sent. */
  type?: string | null
  status: number
  en: string
  hi: string
}

/** By its type: paths that take JSON too answer another type as an operation. */
const TYPES: readonly Unread[] = [
  ...['multipart/form-data; boundary=x', 'application/json', 'Text/Plain;charset=utf-8', 'application/vnd.shop+xml'].map((type) => {
    const came = type.split(';')[0]!.toLowerCase()
    return { body: '{}', type, status: 415, en: `It came as ${came}. ${SEND_EN}`, hi: `यह ${came} टाइप में आया है। ${SEND_HI}` }
  }),
  ...[
    '<script>alert(1)</script>/x',
    `${'a'.repeat(65)}/b`,
    `${'a'.repeat(4_000)}/b`,
    'form',
    "a'b/c",
    'a/b"c',
    'a/b,c/d',
    `${FORM},${FORM}`,
  ].map((type) => ({
    body: 'a=1',
    type,
    status: 415,
    en: `It came as another type. ${SEND_EN}`,
    hi: `यह किसी दूसरे टाइप में आया है। ${SEND_HI}`,
  })),
  {
    ...{ body: new TextEncoder().encode('a=1'), type: null, status: 415 },
    ...{ en: `It came without a content type. ${SEND_EN}`, hi: `इसका टाइप नहीं बताया गया है। ${SEND_HI}` },
  },
]
const FORMS: readonly Unread[] = [
  { body: FIELDS, status: 400, en: 'It has more than 100 fields.', hi: 'इसमें 100 से ज़्यादा फ़ील्ड हैं।' },
  { body: 'MID=1&x=2&MID=1', status: 400, en: 'It has the field MID twice.', hi: 'इसमें MID फ़ील्ड दो बार है।' },
  { body: `a=${'x'.repeat(65_535)}`, status: 413, en: 'It is longer than 64 KiB.', hi: 'यह 64 KiB से बड़ा है।' },
  ...['MID=100%', 'MID=%zz', 'MID=%FF', 'MID=%ED%A0%80'].map((body) => ({
    ...{ body, status: 400, en: `A % escape in the field MID ${ESCAPE_EN}`, hi: `MID फ़ील्ड ${ESCAPE_HI}` },
  })),
  { body: '%FFx=1', status: 400, en: `A % escape in the field %FFx ${ESCAPE_EN}`, hi: `%FFx फ़ील्ड ${ESCAPE_HI}` },
  { body: 'MID=a%00', status: 400, en: 'The character U+0000 is in the field MID.', hi: 'MID फ़ील्ड में U+0000 अक्षर है।' },
  { body: Uint8Array.of(0x61, 0x3d, 0xff), status: 400, en: 'Its text is not UTF-8.', hi: 'यह UTF-8 में नहीं है।' },
]

const ALL = [...TYPES, ...FORMS]
/** The first address gets every form, each other address every fourth. Together they get all of them. */
const EVERY = 4

/** The name of a field, and its text on a page. */
const HOSTILE: readonly (readonly [name: string, shown: string])[] = [
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ['"><img src=x onerror=alert(1)>', '"><img src=x onerror=alert(1)>'],
  ['&lt;b&gt;', '&lt;b&gt;'],
  ['n'.repeat(10_240), 'n'.repeat(40)],
  ['\u0001\u001b[31m\u007f\r\n\t\u0085', '\uFFFD\uFFFD[31m\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD'],
  ['\u202Eexe.gnp\u2066\u200B\u2028\uFEFF', '\uFFFDexe.gnp\uFFFD\uFFFD\uFFFD\uFFFD'],
  [`${'💥'.repeat(100)}`, '💥'.repeat(40)],
  [' MID ', '␣MID␣'],
  ['  ', '␣␣'],
  ['\u00a0', '␣'],
  ['__proto__', '__proto__'],
  ['हिन्दी', 'हिन्दी'],
]
const UNSEEN = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u200b\u202a-\u202e\u2066-\u2069\ufeff]/u

const send = async ({ url }: Pick<Service, 'url'>, path: string, { body, type = FORM }: Pick<Unread, 'body' | 'type'>, headers: object) => {
  const response = await fetch(url + path, {
    ...{ method: 'POST', redirect: 'manual', body: body as string },
    headers: { ...headers, ...(type !== null && { 'content-type': type }) },
  })
  const text = await response.text()
  return { status: response.status, text, words: wordsOf(text.replace(/<\/?bdi>/g, '')), type: response.headers.get('content-type') }
}

onBothStores('a form that cannot be read', (store) => {
  let written = 0
  const countWrites = (store: Store) =>
    watched(store, {
      write({ changes, events, tasks }) {
        written += changes.length + events.length + tasks.length
      },
    })
  const running = sharedService(store, { store: countWrites })

  const forPayers = async (service: Service) => {
    const { page } = await newPage(service, `UNREAD_${store}_${++pages}`)
    const ofPage = ['pay', 'price', 'otp', 'check', 'cancel', 'sign-in', 'sign-in/otp', 'remove-card', 'more-time', 'language', 'leave']
    const link = `/m/${'a'.repeat(22)}`
    const mandate = `/mandate/${'0'.repeat(32)}`
    return [
      ...[...pagePaths.orderForms, pagePaths.orderPay, pagePaths.upiPollPage, pagePaths.callbackPage, pagePaths.showPaymentPage],
      ...[...ofPage.map((name) => `${page}/${name}`), `${link}/code`, `${mandate}/open`, `${mandate}/pause`, `${mandate}/language`],
      ...['/sandbox/shop/orders', '/sandbox/shop/order?orderId=SHOP_COFFEE_1', '/sandbox/shop/callback', '/sandbox/shop/refund'],
      ...['/sandbox/phone/none', '/sandbox/drawer', '/sandbox/reset'],
    ]
  }
  let pages = 0

  for (const language of ['en', 'hi'] as const)
    test(`gets a sentence that says why, on every page of payers and of the sandbox: ${language}`, async (t) => {
      const service = await running()
      const { nothingTaken } = languages[language].texts.cancel
      const headers = { 'accept-language': language }
      const addresses = await forPayers(service)
      const before = written
      let asked = 0
      for (const [at, path] of addresses.entries())
        for (const given of at === 0 ? ALL : ALL.filter((_, each) => (each + at) % EVERY === 0)) {
          const { status, words, type, text } = await send(service, path, given, headers)
          const what = `${path} ${String(given.type ?? given.body).slice(0, 40)}: ${words}`
          assert.equal(status, given.status, what)
          assert.equal(type, 'text/html; charset=utf-8')
          assert.ok(words.includes(`${languages[language].texts.errors.form.title} ${given[language]} ${nothingTaken}`), what)
          assert.ok(text.includes(`<html lang="${language}-IN"`), what)
          assert.doesNotMatch(words, /too many fields|<script>|aaaaa/, what)
          asked++
        }
      // JSON at this path is an operation. Only a request that names the type of a form gets a page.
      for (const given of FORMS) {
        const { status, words } = await send(service, pagePaths.payByForm, given, headers)
        assert.equal(status, given.status)
        assert.ok(words.includes(`${given[language]} ${nothingTaken}`), words)
      }
      assert.equal(written, before, 'something was written')
      t.diagnostic(`${asked} forms at ${addresses.length} addresses, nothing written`)
    })

  test('gets that sentence from /docs and the console too, in English', async () => {
    const service = await running()
    const headers = { 'accept-language': 'hi', 'sec-fetch-site': 'same-origin' }
    const before = written
    for (const [path, title] of [
      ['/docs/checksum', 'What was sent cannot be read'],
      ['/docs/createOrder', 'What was sent cannot be read'],
      ['/console/sign-in', 'This form cannot be read'],
    ] as const)
      for (const given of ALL) {
        const { status, words } = await send(service, path, given, headers)
        assert.equal(status, path.startsWith('/console') ? 400 : given.status, `${path}: ${words}`)
        assert.ok(words.includes(`${title} ${given.en}`), `${path}: ${words}`)
      }
    assert.equal(written, before)
  })

  test('shows a name that came as text, cut, with a sign for each invisible character', async () => {
    const service = await running()
    const before = written
    const encoded = (name: string) => encodeURIComponent(name)
    const sentences: readonly (readonly [form: (name: string) => string, en: (shown: string) => string, hi: (shown: string) => string])[] =
      [
        [(name) => `${name}=1&${name}=2`, (shown) => `It has the field ${shown} twice.`, (shown) => `इसमें ${shown} फ़ील्ड दो बार है।`],
        [(name) => `${name}=%zz`, (shown) => `A % escape in the field ${shown} ${ESCAPE_EN}`, (shown) => `${shown} फ़ील्ड ${ESCAPE_HI}`],
        [(name) => `${name}=%00`, (shown) => `The character U+0000 is in the field ${shown}.`, (shown) => `${shown} फ़ील्ड में U+0000 अक्षर है।`],
      ]
    for (const path of [pagePaths.orderForms[0], '/sandbox/drawer', '/docs/checksum', '/console/sign-in'])
      for (const [form, en, hi] of sentences)
        for (const [name, shown] of HOSTILE)
          for (const language of ['en', 'hi'] as const) {
            const headers = { 'accept-language': language, 'sec-fetch-site': 'same-origin' }
            const { status, text, words } = await send(service, path, { body: form(encoded(name)) }, headers)
            const isForPayers = path !== '/docs/checksum' && path !== '/console/sign-in'
            const says = language === 'hi' && isForPayers ? hi : en
            assert.equal(status, 400)
            assert.ok(words.includes(says(shown)), `${path}: ${words}`)
            assert.doesNotMatch(text, /<script>alert|<img/)
            assert.doesNotMatch(text, UNSEEN)
            assert.ok(text.length < 10_000, `${path}: ${text.length} characters`)
          }
    for (const [form, en, hi] of [
      ['=1&=2', 'It has a field without a name twice.', 'इसमें बिना नाम की फ़ील्ड दो बार है।'],
      ['=%zz', `A % escape in a field without a name ${ESCAPE_EN}`, `बिना नाम की फ़ील्ड ${ESCAPE_HI}`],
    ] as const) {
      assert.ok((await send(service, pagePaths.orderForms[0], { body: form }, {})).words.includes(en))
      assert.ok((await send(service, pagePaths.orderForms[0], { body: form }, { 'accept-language': 'hi' })).words.includes(hi))
    }
    assert.equal(written, before)
  })

  test('or is read and holds a wrong field: its name is shown in the same way', async () => {
    const service = await running()
    const before = written
    for (const [name, shown] of [
      ...HOSTILE.map(([name, shown]) => [name, `the field ${shown}`] as const),
      ['', 'a field without a name'] as const,
    ]) {
      const body = new URLSearchParams(checksummed({ ...orderForm('UNREAD'), [name]: 'x' })).toString()
      const { status, text, words } = await send(service, pagePaths.orderForms[0], { body }, {})
      assert.equal(status, 400)
      assert.ok(words.includes(`For the shop: ${shown} is missing or wrong.`), words)
      assert.doesNotMatch(text, UNSEEN)
    }
    assert.equal(written, before)
  })

  test('a field that a page’s own form lacks is named, and no page speaks of too many fields where there are not', async () => {
    const service = await running()
    const { page } = await newPage(service, `LACKS_${store}`)
    const back = { back: page }
    for (const [path, fields, field] of [
      [`${page}/language`, { language: 'xx' }, 'language'],
      ['/sandbox/shop/orders', { article: 'TEA' }, 'article'],
      ['/sandbox/phone/none', { key: 'k', action: 'x' }, 'action'],
      ['/sandbox/phone/none', { mid: 'M', action: 'approve' }, 'subscriptionId'],
      ['/sandbox/phone/none', { mid: 'M', subscriptionId: 'S', action: 'x' }, 'action'],
      ['/sandbox/drawer', { back: '/elsewhere' }, 'back'],
      ['/sandbox/drawer', { ...back, act: 'next' }, 'mid'],
      ['/sandbox/drawer', { ...back, mid: 'M', orderId: 'O', act: 'next', next: 'x' }, 'next'],
      ['/sandbox/drawer', { ...back, mid: 'M', orderId: 'O', act: 'x' }, 'act'],
    ] as const) {
      const { status, words } = await send(service, path, { body: new URLSearchParams(fields).toString() }, {})
      assert.equal(status, 400, path)
      assert.ok(words.includes(`For the shop: the field ${field} is missing or wrong.`), `${path}: ${words}`)
    }
    const reset = await send(service, '/sandbox/reset', { body: '' }, { 'sec-fetch-site': 'cross-site' })
    assert.equal(reset.status, 400)
    assert.match(reset.words, /It came from a page of another site\. Open its own page, and send it from there\./)
    const long = await send(service, '/sandbox/shop/callback', { body: `ORDERID=SHOP_1&RESPMSG=${'x'.repeat(6_144)}` }, {})
    assert.equal(long.status, 400)
    assert.match(long.words, /It is longer than 6 KiB\./)
  })
})
