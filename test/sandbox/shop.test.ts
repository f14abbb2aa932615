// The sandbox's demo shop (docs/sandbox.md) as a developer tries it: from a press in the shop to what the shop has received about its
// order.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { joinedValues, sign } from '../../src/interface/checksum.ts'
import { pagePaths } from '../../src/interface/page-paths.ts'
import { demoWorld } from '../../src/sandbox/world.ts'
import { PATIENCE_MS } from '../support/pages/browser.ts'
import { type Answered, ask, CARD_FIELDS, formOf, formsOf, goesTo, Visitor, wordsOf } from '../support/pages/pages.ts'
import { serveProcess } from '../support/run/process.ts'
import { KEY, MID, onBothStores, type Service, sharedService, startService } from '../support/run/service.ts'

const SHOP = '/sandbox/shop'
const AS_BROWSER = { accept: 'text/html,application/xhtml+xml' }
const BUTTONS = { 'Pay ₹499.00 on the payment page': 'COFFEE', 'Subscribe for ₹199.00 a month': 'MONTHLY', 'Pay ₹499.00 by a form': 'FORM' }

const bash = async (script: string) => (await promisify(execFile)('bash', ['-c', script], { timeout: PATIENCE_MS })).stdout

/** Presses a button of the shop's, as a browser without script does. Returns the address of the payment page that follows. */
async function press(service: Pick<Service, 'url'>, button: string): Promise<string> {
  const { action, fields } = formsOf((await ask(service, SHOP)).text).find((form) => form.button === button)!
  const came = await ask(service, action, fields)
  if (came.status === 303) return goesTo(came)
  const onward = formOf(came.text, pagePaths.showPaymentPage)
  return goesTo(await ask(service, onward.action, onward.fields))
}

/** Pays by card, and takes the page's form to the shop. */
async function payAndReturn(service: Service, page: string): Promise<Answered & { address: string }> {
  const visitor = new Visitor(service, page)
  const ended = await visitor.send({ panel: 'card' }, CARD_FIELDS)
  const { action, fields } = formsOf(ended.text).find((form) => form.fields['CHECKSUMHASH'])!
  assert.ok(action.startsWith(`${service.url}${SHOP}/`), action)
  const address = goesTo(await ask(service, action, fields, AS_BROWSER))
  return { ...(await ask(service, address)), address }
}

onBothStores('the demo shop', (store) => {
  const running = sharedService(store)

  for (const [button, article] of Object.entries(BUTTONS))
    test(`"${button}" ends with what the shop has seen, without script`, async () => {
      const service = await running()
      const { text, address } = await payAndReturn(service, await press(service, button))
      const words = wordsOf(text)
      assert.match(address, new RegExp(`orderId=SHOP_${article}_\\d{8}_[0-9a-f]{8}$`))
      assert.match(words, /Thank you .*It brought a callback, and its checksum is right\..*TXN_SUCCESS \(01\)/)
      if (article === 'COFFEE') assert.match(words, /Payment verified and accepted at \d\d:/)
      if (article === 'MONTHLY') assert.match(words, /State ACTIVE/)
      const { action, fields } = formsOf(text).find((form) => /^Refund ₹/.test(form.button))!
      const given = await ask(service, goesTo(await ask(service, action, fields)))
      assert.match(wordsOf(given.text), /Its? .*checksum is right.*Refund Status TXN_SUCCESS \(10\)/)
      assert.ok(!formsOf(given.text).some((form) => form.button.startsWith('Refund')), 'it is given back once')
      if (article === 'COFFEE') assert.match(wordsOf(given.text), /Refund verified and accepted at/)
    })

  test('the lines that the shop shows send what it has sent, and hold no key', async () => {
    const service = await running()
    const { text } = await payAndReturn(service, await press(service, 'Pay ₹499.00 on the payment page'))
    assert.ok(!text.includes(KEY))
    const [, shown] = /<pre[^>]*>(.*?)<\/pre>/s.exec(text)!
    const lines = shown!.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)))
    const bodies = [...lines.matchAll(/^BODY='(.*)'$/gm)].map(([, body]) => body!)
    const cases = bodies.map((body) => `'${body}') echo '${sign(body, KEY, 'salt')}' ;;`)
    const stdout = await bash(`npx() { case "$5" in\n${cases.join('\n')}\nesac; }\nKEY=${KEY}\n${lines}`)
    assert.equal(bodies.length, 2)
    assert.match(stdout, /"resultStatus":"TXN_SUCCESS"/)
    assert.match(stdout, /"resultInfo":\{"resultStatus":"F","resultCode":"(325|201|324)"/, 'the order is there already')
  })

  test('a callback that its key has not signed, or of another order, is not believed, and its text is text', async () => {
    const service = await running()
    const paid = await payAndReturn(service, await press(service, 'Pay ₹499.00 on the payment page'))
    const hostile = '"><script>alert(1)</script>'
    const unpaid = 'SHOP_COFFEE_20260615_00000000'
    const forged = { MID, ORDERID: unpaid, STATUS: 'TXN_SUCCESS', [hostile]: hostile, CHECKSUMHASH: 'forged' }
    const brought = await ask(service, `${SHOP}/order?orderId=${unpaid}`, forged, AS_BROWSER)
    const { text } = await ask(service, goesTo(brought))
    assert.match(wordsOf(text), /this shop’s key has not signed/)
    assert.doesNotMatch(wordsOf(text), /Thank you|TXN_SUCCESS \(/)
    assert.ok(text.includes('&#60;script&#62;alert') && !text.includes('<script>alert'))

    const { searchParams } = new URL(paid.address, service.url)
    searchParams.set('orderId', unpaid)
    const other = await ask(service, `${SHOP}/order?${searchParams}`)
    assert.match(wordsOf(other.text), /It brought the callback of another order\./)
    for (const [path, form, status] of [
      [`${SHOP}/order`, undefined, 404],
      [`${SHOP}/order?orderId=${encodeURIComponent(hostile)}`, undefined, 404],
      [`${SHOP}/order?orderId=A&orderId=B`, undefined, 404],
      [`${SHOP}/callback`, { STATUS: 'TXN_SUCCESS' }, 404],
      [`${SHOP}/order?orderId=${unpaid}`, { ORDERID: 'x'.repeat(7_000) }, 400],
      [`${SHOP}/orders`, { article: 'GOLD' }, 400],
      [`${SHOP}/notification?orderId=${unpaid}`, forged, 400],
    ] as const)
      assert.equal((await ask(service, path, form as Record<string, string>, AS_BROWSER)).status, status, path)
    const fields = { ORDERID: unpaid, STATUS: 'TXN_SUCCESS' }
    const signed = { ...fields, CHECKSUMHASH: sign(joinedValues(fields), KEY, 'salt') }
    assert.equal((await ask(service, `${SHOP}/notification?orderId=${unpaid}`, signed)).status, 200)
  })
})

test('production has no demo shop', async () => {
  const env = {
    MOHUR_MODE: 'production',
    MOHUR_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    MOHUR_PUBLIC_URL: 'https://pay.example',
  }
  const service = await startService('sqlite', { env, world: demoWorld })
  try {
    for (const path of [SHOP, `${SHOP}/order?orderId=A`, `${SHOP}/shop.js`, '/sandbox/sandbox.css'])
      assert.equal((await ask(service, path)).status, 404, path)
    for (const path of [
      `${SHOP}/orders`,
      `${SHOP}/order?orderId=A`,
      `${SHOP}/callback`,
      `${SHOP}/notification?orderId=A`,
      `${SHOP}/refund?orderId=A`,
    ])
      assert.equal((await ask(service, path, {})).status, 404, path)
  } finally {
    await service.close()
  }
})

describe('from `npm start`', { timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-shop-'))
  let service: Awaited<ReturnType<typeof serveProcess>>
  before(async () => {
    service = await serveProcess({ MOHUR_DATA: folder, MOHUR_LOG: 'warn' })
  })
  after(async () => {
    await service.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })

  test('the shop’s address is printed first, and the order that can be pasted ends at a page that shows its callback', async () => {
    const printed = () => service.log().toString()
    while (!printed().includes('README.md has the next steps')) await ask(service, '/healthz')
    const said = printed()
    assert.match(said, new RegExp(`^Mohur listens on .*\\n\\nA demo shop to pay in: ${service.url}/sandbox/shop\\n`))
    const [command] = /^curl [\s\S]+?'$(?=\n\n)/m.exec(said)!
    const { body } = JSON.parse(await bash(command)) as { body: { txnToken: string } }
    const [, orderId] = /orderId=(\w+)/.exec(command)!
    const opened = await ask(service, pagePaths.showPaymentPage, { mid: MID, orderId: orderId!, txnToken: body.txnToken })
    const { text } = await payAndReturn(service as unknown as Service, goesTo(opened))
    assert.match(wordsOf(text), new RegExp(`Thank you Order ${orderId} .*its checksum is right.*TXN_SUCCESS \\(01\\)`))
  })
})
