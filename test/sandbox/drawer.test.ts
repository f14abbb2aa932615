// The sandbox's drawer below every payer's page (docs/sandbox.md). The code is there, each outcome comes true, and production has none.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { demoWorld } from '../../src/sandbox/world.ts'
import { askedFor, linkOf, walletMandate } from '../support/pages/mandate-page.ts'
import { type Answered, ask, drawerIn, formOf, formsOf, goesTo, newPage, openPage, Visitor, wordsOf } from '../support/pages/pages.ts'
import { bankJournal, createOrder, orderCode } from '../support/paying/paying.ts'
import { serveProcess } from '../support/run/process.ts'
import { MID, onBothStores, type Service, sharedService, startService } from '../support/run/service.ts'

const CARD = { expiry: '12/32', cvv: '123' }
const drawerForms = (text: string) => formsOf(drawerIn(text).replace('<aside class="sheet alone drawer"', '<aside'))
const drawerWords = (text: string) => wordsOf(drawerIn(text).replace('<aside class="sheet alone drawer"', '<aside'))

/** Presses the drawer's button with this `value`. */
async function press(service: Service, visitor: Visitor, act: string, more: Record<string, string> = {}): Promise<Answered> {
  assert.ok(drawerIn(visitor.last.text).includes(`value="${act}"`), `${act} is not in the drawer: ${drawerWords(visitor.last.text)}`)
  const { action, fields } = drawerForms(visitor.last.text).find((form) => form.action === '/sandbox/drawer' && 'orderId' in form.fields)!
  return visitor.follow(goesTo(await ask(service, action, { ...fields, ...more, act })))
}

onBothStores('the sandbox’s drawer', (store) => {
  const running = sharedService(store)

  test('each outcome of a waiting payment is what the order then says', async () => {
    const service = await running()
    const ends = { approve: '01', decline: '141', insufficient: '235', expire: '141', late: '402', lost: '402' }
    for (const [act, code] of Object.entries(ends)) {
      const { order, page } = await newPage(service, `DRAWER_${act.toUpperCase()}`)
      const visitor = new Visitor(service, page)
      await visitor.send({ panel: 'upi' })
      await press(service, visitor, act)
      assert.equal(await orderCode(service, order), code, act)
    }
    const lost = (await bankJournal(service)).at(-1)!
    assert.equal(lost.outcome, 'success', 'the bank has taken it, and has told nobody')
    const visitor = new Visitor(service, await openPage(service, await createOrder(service, 'UNUSED')))
    assert.match(drawerWords((await visitor.look()).text), /Clock \+ 15 minutes Open the phone/)
  })

  test('the bank’s next outcome is set, shown, played once and taken back', async () => {
    const service = await running()
    const { order, page } = await newPage(service, 'DRAWER_NEXT')
    const visitor = new Visitor(service, page)
    await visitor.look()
    await press(service, visitor, 'next', { next: 'insufficient' })
    assert.match(drawerIn(visitor.last.text), /value="insufficient" selected/)
    await press(service, visitor, 'next', { next: '' })
    assert.doesNotMatch(drawerIn(visitor.last.text), /" selected/)
    await press(service, visitor, 'next', { next: 'insufficient' })
    await visitor.send({ panel: 'card' }, { cardNumber: '4111111111111111', ...CARD })
    assert.equal(await orderCode(service, order), '235')
    await visitor.look()
    await visitor.send({ panel: 'card' }, { cardNumber: '4111111111111111', ...CARD })
    assert.equal(await orderCode(service, order), '01')
  })

  test('the code of a card, of the wallet’s sign-in and of a mandate’s page is typed by one press', async () => {
    const service = await running()
    const { order, page } = await newPage(service, 'DRAWER_CODES')
    const visitor = new Visitor(service, page)
    await visitor.send('/sign-in', { mobile: '9111122233' })
    const signIn = drawerForms(visitor.last.text).find(({ action }) => action.endsWith('/sign-in/otp'))!
    assert.match(signIn.button, /^Fill in \d{6} and continue$/)
    await visitor.follow(goesTo(await ask(service, signIn.action, signIn.fields)))
    assert.match(wordsOf(visitor.last.text), /signed in|You have/i)
    await visitor.send({ panel: 'card' }, { cardNumber: '4000000000003220', ...CARD })
    assert.match(drawerWords(visitor.last.text), /Sandbox : the code is 123123/)
    const otp = drawerForms(visitor.last.text).find(({ action }) => action.endsWith('/otp'))!
    await visitor.follow(goesTo(await ask(service, otp.action, otp.fields)))
    assert.equal(await orderCode(service, order), '01')

    const agreed = await walletMandate(service, 'DRAWER_MANDATE', '9111122244', 2027)
    const link = await linkOf(service, agreed)
    assert.match(drawerWords((await ask(service, link)).text), /Latest message .*Open the phone/)
    service.clock.advance(1_000) // the code is the latest message
    const { visitor: owner } = await askedFor(service, agreed)
    await owner.look()
    const opens = drawerForms(owner.last.text).find(({ action }) => action.endsWith('/open'))!
    await owner.follow(goesTo(await ask(service, opens.action, opens.fields)))
    assert.match(owner.last.text, /data-stage="mandate-open"/)
  })

  test('the browser comes back to its page and to nothing else', async () => {
    const service = await running()
    const { page } = await newPage(service, 'DRAWER_CLOCK')
    const of = { back: page, mid: MID, orderId: 'DRAWER_CLOCK' }
    for (const form of [
      { ...of, back: 'https://evil.example/', act: 'clock' },
      { ...of, back: '//evil.example/', act: 'clock' },
      { ...of, back: `${page}/../../x`, act: 'clock' },
      { ...of, act: 'steal' },
      { ...of, act: 'next', next: 'gold' },
      { back: page, act: 'approve' },
    ])
      assert.equal((await ask(service, '/sandbox/drawer', form)).status, 400, JSON.stringify(form))
    assert.equal(goesTo(await ask(service, '/sandbox/drawer', { ...of, act: 'approve' })), page, 'nothing waits, and nothing happens')
  })

  test('the bank’s page names the shop, has one button that stands out, and every outcome', async () => {
    const service = await running()
    const ends = { approve: '01', decline: '141', insufficient: '235', expire: '141', late: '402', lost: '402' }
    for (const [action, code] of Object.entries(ends)) {
      const { order, page } = await newPage(service, `BANK_${action.toUpperCase()}`)
      const visitor = new Visitor(service, page)
      await visitor.send({ panel: 'card' }, { cardNumber: '4000000000003063', ...CARD })
      const onward = formOf(visitor.last.text, '/sandbox/bank/page')
      const bank = await ask(service, onward.action, onward.fields)
      assert.match(wordsOf(bank.text), /Test bank ₹[\d.]+ to Demo Stores Order BANK_/)
      assert.equal([...bank.text.matchAll(/<button>/g)].length, 1)
      const chosen = formOf(bank.text, { action })
      const came = await ask(service, chosen.action, chosen.fields)
      if (action === 'lost') assert.match(wordsOf(came.text), /Neither the shop nor the service knows of it/)
      else await visitor.follow(goesTo(came).replace(service.url, ''))
      assert.equal(await orderCode(service, order), code, action)
    }
  })
})

test('there is no drawer in production, and none where messages are real', async () => {
  const production = {
    MOHUR_MODE: 'production',
    MOHUR_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    MOHUR_PUBLIC_URL: 'https://pay.example',
  }
  for (const env of [production, { MOHUR_SMS_URL: 'http://127.0.0.1:9/' }]) {
    const service = await startService('sqlite', { env, world: demoWorld })
    try {
      const { text } = await new Visitor(service, (await newPage(service, 'NO_DRAWER')).page).look()
      assert.match(text, /data-stage="choices"/)
      assert.doesNotMatch(text, /<aside|\/sandbox\/drawer|[Ss]andbox/)
      assert.equal((await ask(service, '/sandbox/drawer', { act: 'clock' })).status, 404)
    } finally {
      await service.close()
    }
  }
})

test('the clock moves by fifteen minutes, for as long as a page lives', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-drawer-'))
  const served = await serveProcess({ MOHUR_DATA: folder, MOHUR_LOG: 'warn' })
  try {
    const shop = formsOf((await ask(served, '/sandbox/shop')).text).find(({ button }) => button.endsWith('by a form'))!
    const visitor = new Visitor(served as unknown as Service, goesTo(await ask(served, shop.action, shop.fields)))
    await visitor.look()
    const now = async () => Date.parse(((await (await fetch(`${served.url}/sandbox/clock`)).json()) as { now: string }).now)
    const before = await now()
    await press(served as unknown as Service, visitor, 'clock')
    assert.ok((await now()) - before >= 15 * 60_000)
    assert.equal(visitor.last.status, 410)
  } finally {
    await served.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
})
