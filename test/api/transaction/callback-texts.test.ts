// A callback's values mean the same to every checker (docs/interface.md section 6). They do so in the browser's form, in a script of the
// shop's page, and behind a framework that trims outer spaces.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { callbackFields } from '../../../src/api/transaction/callback-form.ts'
import { payeeOf } from '../../../src/domain/transaction/transaction.ts'
import { merchantKey, orderKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { receiver, SECRET } from '../../support/notifications/receiver.ts'
import { formOf } from '../../support/pages/pages.ts'
import { CARD, createOrder, pay, statusOf } from '../../support/paying/paying.ts'
import { KEY, MID, onBothStores, sharedService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { drawnText, postedText, UNSTORABLE } from '../../support/text/callback-texts.ts'
import { Random } from '../../support/text/random.ts'

const paytmChecksum = createRequire(import.meta.url)('paytmchecksum') as {
  verifySignature(data: object, key: string, signature: string): boolean
}
const isVerified = ({ CHECKSUMHASH, ...fields }: Record<string, string>) => paytmChecksum.verifySignature(fields, KEY, CHECKSUMHASH!)

const SEED = 35
const SENT: Readonly<Record<string, string>> = {
  'two\r\nlines': 'two lines',
  'two\rlines': 'two lines',
  'two\nlines': 'two lines',
  'two\n\nlines': 'two  lines',
  'next\u0085line': 'next line',
  'line\u2028separator': 'line separator',
  'paragraph\u2029separator': 'paragraph separator',
  'tab\tand\u001bescape': 'tab and escape',
  '\n outside \t': 'outside',
  '\u00a0no break\u3000': 'no break',
  '  spaces ': 'spaces',
}

onBothStores('a text in a callback', (store) => {
  const service = sharedService(store)

  test('is the same however it reaches its checker, and the checksum covers it', async (t) => {
    const running = await service()
    const { ports } = running
    const order = await createOrder(running, 'CALLBACK_TEXTS')
    await pay(running, order, CARD)
    const paid = (await ports.query.row(orderKey(MID, order.orderId)))!
    const [transaction] = await ports.query.rows(transactionsOfOrder(MID, order.orderId))
    const payee = payeeOf((await ports.query.row(merchantKey(MID)))!)
    const random = new Random(SEED)
    const count = sized(1_000, 10_000)
    const failed: string[] = []
    let left = 0
    for (let at = 0; at < count; at++) {
      const text = drawnText(random, UNSTORABLE)
      const drawn = { ...paid, details: { ...paid.details, extendInfo: { mercUnqRef: text } } }
      const fields = await callbackFields({ order: drawn, transaction: transaction!, payee }, ports)
      if (fields['MERC_UNQ_REF'] === undefined) left++
      const readings = [(value: string) => value, postedText, (value: string) => postedText(value).trim()]
      const isRight = readings.every((reading) =>
        isVerified(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, reading(value)]))),
      )
      if (!isRight) failed.push(text)
    }
    t.diagnostic(`seed ${SEED}: ${count} texts, ${left} left out, checksum fails: ${failed.length}`)
    assert.ok(left < count / 2)
    assert.deepEqual(failed.slice(0, 5), [])
  })

  test('has a space for each line break and control character, and none outside; the status keeps it or leaves it out', async () => {
    const running = await service()
    for (const [at, [text, sent]] of Object.entries(SENT).entries()) {
      const more = { callbackUrl: 'https://shop.example/back', extendInfo: { mercUnqRef: text } }
      const order = await createOrder(running, `CALLBACK_TEXT_${at}`, more)
      const { body } = await pay(running, order, CARD)
      const page = await running.call('GET', `/transaction/return?mid=${MID}&txnId=${body.txnId}`)
      const asked = { mid: MID, orderId: order.orderId }
      const read = await running.post(
        `/theia/v1/transactionStatus?${new URLSearchParams(asked)}`,
        JSON.stringify({ head: { txnToken: order.txnToken }, body: asked }),
      )
      const { fields } = formOf(page.text, { MID })
      const { merchantUniqueReference } = (await statusOf(running, order)).body
      assert.equal(merchantUniqueReference, /^[ -~]*$/.test(text) ? text : undefined)
      const isInReply = merchantUniqueReference !== undefined // section 4.10
      for (const [carrier, wanted] of [
        [fields, sent],
        [read.body.txnInfo, sent],
        [body.txnInfo, isInReply ? sent : undefined],
      ]) {
        assert.equal(carrier.MERC_UNQ_REF, wanted, JSON.stringify(text))
        assert.ok(isVerified(carrier))
      }
    }
  })

  test('is left out where nothing is left of it, or what reads as nothing', async () => {
    const running = await service()
    for (const [at, text] of ['\n', ' \u00a0\t', ' null', 'NULL\r\n', '\nfor a REFUND'].entries()) {
      const order = await createOrder(running, `CALLBACK_NOTHING_${at}`, { extendInfo: { mercUnqRef: text } })
      const { body } = await pay(running, order, CARD)
      assert.ok(body.txnInfo.CHECKSUMHASH && !('MERC_UNQ_REF' in body.txnInfo), JSON.stringify(body.txnInfo))
    }
  })

  for (const form of ['json', 'classic'] as const)
    test(`stays as the merchant wrote it in a notification in the ${form} form`, async () => {
      const running = await service()
      const endpoint = await receiver(() => 200, { endsWithTest: false })
      const notification = { url: endpoint.url, form, secret: SECRET }
      const world = (merchant: object) =>
        running.call('PUT', '/sandbox/world', {}, JSON.stringify({ merchants: [{ mid: MID, ...merchant }] }))
      assert.equal((await world({ notification })).status, 200)
      const text = 'two\nlines\u2028and\ttab '
      const order = await createOrder(running, `NOTIFIED_${form}`, { extendInfo: { mercUnqRef: text } })
      await pay(running, order, CARD)
      await running.tasks.runDue()
      endpoint.close()
      const { body } = endpoint.journal[0]!
      assert.equal(form === 'json' ? JSON.parse(body).body.mercUnqRef : new URLSearchParams(body).get('MERC_UNQ_REF'), text)
      assert.equal((await statusOf(running, order)).body.resultInfo.resultCode, '01')
    })
})
