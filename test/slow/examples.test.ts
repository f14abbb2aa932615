// The shops of examples/, each from an empty folder: an order is paid on the payment page, notified, and refunded. The shops believe
// nothing unsigned.

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { joinedValues, sign } from '../../src/interface/checksum.ts'
import { ask, CARD_FIELDS, formOf, formsOf, goesTo, Visitor, wordsOf } from '../support/pages/pages.ts'
import { type ExampleShop, exampleShops, freePort, openShop, startedHere } from '../support/run/example-shops.ts'
import { KEY, MID, onBothStores, type Service, sharedService } from '../support/run/service.ts'

const LINES_MAX = 150
const ROUNDS_MAX = 100 // of due work; each round waits for its calls
const root = resolve(import.meta.dirname, '../../examples')

function startLine({ file, name }: ExampleShop): string {
  const folder = file.split('/')[0]!
  const line = new RegExp(`\\| \`cd examples/${folder} && ([^\`]*)\` \\|`).exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? ''
  assert.ok(line.includes(` ${name} `), `examples/README.md starts ${file}`)
  assert.ok(line.includes(`MID=${MID} KEY=${KEY}`))
  return line
}

async function openCopy(shop: ExampleShop, { url }: Service) {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-example-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  copyFileSync(join(root, shop.file), join(folder, shop.file.split('/')[1]!))
  const port = await freePort()
  return openShop(startedHere(startLine(shop), shop, url, port), shop, port, { cwd: folder })
}

/** Buys, and stops at the payment page. */
async function buy(service: Service, shop: string) {
  const product = formOf((await ask(service, `${shop}/`)).text, '/buy')
  const bought = await ask(service, shop + product.action, product.fields)
  const [onward] = formsOf(bought.text)
  assert.ok(onward, bought.text)
  return { orderId: onward.fields['orderId']!, visitor: new Visitor(service, goesTo(await ask(service, onward.action, onward.fields))) }
}

/** Reads the order until it shows these words; due work runs in between. */
async function seen(service: Service, shop: string, orderId: string, words: RegExp): Promise<void> {
  let text = ''
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await service.tasks.runDue()
    text = wordsOf((await ask(service, `${shop}/order?orderId=${orderId}`)).text)
    if (words.test(text)) return
  }
  assert.match(text, words)
}

const refundedOf = async (service: Service, orderId: string) =>
  (await service.signed('/v3/order/status', { mid: MID, orderId })).body['refundAmt']

for (const example of exampleShops) {
  if (example.command === undefined) continue
  onBothStores(`examples/${example.file}`, (store) => {
    const running = sharedService(store)

    test('sells: the order is paid, notified and given back once, and nothing unsigned is believed', async () => {
      const service = await running()
      const { url: shop, said } = await openCopy(example, service)
      const { orderId, visitor } = await buy(service, shop)
      const paid = await visitor.send({ panel: 'card' }, CARD_FIELDS)
      const callback = formsOf(paid.text).find(({ fields }) => fields['CHECKSUMHASH'])!
      assert.equal(callback.action, `${shop}/callback`)

      const other = (await buy(service, shop)).orderId
      for (const fields of [
        { ...callback.fields, TXNAMOUNT: '1.00' },
        { ...callback.fields, ORDERID: other },
        { ...callback.fields, CHECKSUMHASH: 'x' },
        { ...callback.fields, CHECKSUMHASH: '' },
        { ORDERID: other, STATUS: 'TXN_SUCCESS', TXNTYPE: 'SALE' },
        {},
      ])
        for (const path of ['/callback', '/notification'])
          assert.equal((await ask(service, shop + path, fields as Record<string, string>)).status, 400, `${path} ${JSON.stringify(fields)}`)
      const lost = { ...callback.fields, ORDERID: 'LOST_ORDER' }
      const signedLost = { ...lost, CHECKSUMHASH: sign(joinedValues(lost), KEY, 'salt') }
      assert.equal((await ask(service, `${shop}/notification`, signedLost)).status, 500, 'the notification of a lost order comes again')
      assert.equal((await ask(service, `${shop}/callback`, signedLost)).status, 400)
      assert.match(wordsOf((await ask(service, `${shop}/order?orderId=${other}`)).text), /^\s*not paid/)
      assert.equal((await ask(service, `${shop}/refund`, { orderId: other })).status, 400)
      assert.equal((await ask(service, `${shop}/order?orderId=../../etc/passwd`)).status, 400)

      assert.match(wordsOf((await ask(service, callback.action, callback.fields)).text), /TXN_SUCCESS/)
      await seen(service, shop, orderId, /^\s*paid .*SALE TXN_SUCCESS/)
      const refund = formOf((await ask(service, `${shop}/order?orderId=${orderId}`)).text, '/refund')
      for (let times = 0; times < 2; times++) assert.match((await ask(service, shop + refund.action, refund.fields)).text, /PENDING/)
      await seen(service, shop, orderId, /^\s*refund TXN_SUCCESS .*REFUND TXN_SUCCESS/)
      assert.equal(await refundedOf(service, orderId), '499.00')
      assert.doesNotMatch(said(), /error|warning|traceback/i)
    })

    test('learns of a payment by the notification alone, where no browser comes back', async () => {
      const service = await running()
      const { url: shop } = await openCopy(example, service)
      const { orderId, visitor } = await buy(service, shop)
      await visitor.send({ panel: 'card' }, CARD_FIELDS)
      await seen(service, shop, orderId, /^\s*paid .*SALE TXN_SUCCESS/)
    })
  })
}

test('each example is one file that a person reads in one sitting', () => {
  for (const { file } of exampleShops) {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1
    assert.ok(lines <= LINES_MAX, `${file} has ${lines} lines`)
  }
})
