// The flat form of Apply Refund over HTTP: docs/interface.md section 4.14.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import { joinedValues, sign } from '../../../src/interface/checksum.ts'
import { loadWorld } from '../../../src/sandbox/world.ts'
import { refundKey } from '../../../src/tables/keys.ts'
import { type Paid, paidOrder, refund, refundStatusOf, transactionOf } from '../../support/paying/refunds.ts'
import { codeOf } from '../../support/run/replies.ts'
import { KEY, MID, onBothStores, type Reply, type Service, sharedService } from '../../support/run/service.ts'

const [FIRST, SECOND] = operations.applyRefund.flatPaths as [string, string]

const members = ({ orderId, txnId }: Pick<Paid, 'orderId' | 'txnId'>, REFID: string, REFUNDAMOUNT: string, more: object = {}) => ({
  MID,
  TXNID: txnId,
  ORDERID: orderId,
  REFUNDAMOUNT,
  TXNTYPE: 'REFUND',
  REFID,
  ...more,
})
type Signed = Record<string, string> & { CHECKSUM: string }
const checksummed = (given: Record<string, string>, data = joinedValues(given)): Signed => ({ ...given, CHECKSUM: sign(data, KEY, 'salt') })
const send = ({ call }: Service, given: object, path: string = FIRST): Promise<Reply> =>
  call('POST', path, { 'content-type': 'application/json' }, `JsonData=${encodeURIComponent(JSON.stringify(given))}`)

onBothStores('the flat form of Apply Refund', (store) => {
  const service = sharedService(store)

  test('money is given back as by the other form, in every spelling of the request', async () => {
    const running = await service()
    const paid = await paidOrder(running, 'F1')
    const sorted = checksummed(members(paid, 'S1', '10.00'))
    const { body } = await send(running, sorted)
    const { REFUNDID, RESPMSG, ...rest } = body
    assert.deepEqual(rest, {
      MID,
      ORDERID: 'F1',
      TXNID: paid.txnId,
      REFID: 'S1',
      TXNAMOUNT: '100.00',
      REFUNDAMOUNT: '10.00',
      TXNDATE: '2026-06-15 10:00:00.0',
      STATUS: 'PENDING',
      RESPCODE: '601',
    })
    const given = members(paid, 'S2', '20', { COMMENTS: 'late' })
    const asSent = checksummed(given, Object.values(given).join('|'))
    assert.equal((await send(running, asSent, SECOND)).body.RESPCODE, '601')
    const form = new URLSearchParams(checksummed(members(paid, 'S3', '5.00'))).toString()
    assert.equal((await running.call('POST', FIRST, { 'content-type': 'application/x-www-form-urlencoded' }, form)).body.RESPCODE, '601')
    await running.tasks.runDue()
    for (const refId of ['S1', 'S2', 'S3']) assert.equal(codeOf(await refundStatusOf(running, paid, refId)), '10')
    assert.equal((await transactionOf(running, paid)).refundedPaise, 35_00)
    assert.equal(REFUNDID, (await running.ports.query.row(refundKey(MID, 'S1')))!.refundId)
    assert.match(RESPMSG, /^Refund request was raised/)
  })

  test('one refId is one refund, whichever form it was asked in', async () => {
    const running = await service()
    const paid = await paidOrder(running, 'F2')
    await refund(running, paid, 'SAME', '10.00')
    assert.equal((await send(running, checksummed(members(paid, 'SAME', '10')))).body.RESPCODE, '601')
    const other = (await send(running, checksummed(members(paid, 'SAME', '11.00')))).body
    assert.deepEqual([other.STATUS, other.RESPCODE], ['TXN_FAILURE', '701'])
    assert.equal((await transactionOf(running, paid)).refundedPaise, 10_00)
  })

  test('a signed request that cannot be granted says so with a STATUS', async () => {
    const running = await service()
    const paid = await paidOrder(running, 'F3')
    for (const [given, code] of [
      [members({ ...paid, orderId: 'NONE' }, 'N1', '10.00'), '607'],
      [members(paid, 'N2', '100.01'), '619'],
    ] as const) {
      const { body } = await send(running, checksummed(given))
      assert.deepEqual([body.STATUS, body.RESPCODE, 'ErrorCode' in body], ['TXN_FAILURE', code, false])
    }
  })

  test('a request that is not signed as a refund gives nothing back and has no STATUS', async () => {
    const running = await service()
    const paid = await paidOrder(running, 'F4')
    const good = members(paid, 'U1', '10.00')
    const swapped = { ...checksummed(good), REFID: 'U2' }
    const names = checksummed(good)
    for (const [what, given, code] of [
      ['no checksum', good, '606'],
      ['another refId', swapped, '606'],
      ['a member more', checksummed({ ...good, CHANNEL: 'WEB' }), '606'],
      ['another order of values than any', checksummed(good, Object.values(good).reverse().join('|')), '606'],
      ['an unknown merchant', checksummed({ ...good, MID: 'NOBODY' }), '606'],
      ['a signed question about the order', { ...checksummed({ MID, ORDERID: 'F4' }) }, '600'],
      ['another TXNTYPE', checksummed({ ...good, TXNTYPE: 'SALE' }), '600'],
      ['a wrong amount', checksummed({ ...good, REFUNDAMOUNT: '1e1' }), '619'],
      ['a pipe', { ...names, COMMENTS: 'a|b' }, '600'],
    ] as const) {
      const { status, body } = await send(running, given)
      assert.deepEqual(
        [status, body.STATUS, body.ErrorCode, body.RESPCODE, body.ErrorMsg],
        [200, undefined, code, code, body.RESPMSG],
        what,
      )
    }
    for (const text of ['', 'JsonData=', 'JsonData={', '[]', 'JsonData={"MID":{}}']) {
      const { body } = await running.call('POST', FIRST, { 'content-type': 'text/plain' }, text)
      assert.deepEqual([body.STATUS, body.ErrorCode], [undefined, '600'], text)
    }
    assert.equal((await transactionOf(running, paid)).refundedPaise, 0)
  })

  test('one CHECKSUM is one refund: its values are nothing else under each other’s names', async () => {
    const running = await service()
    const paid = await paidOrder(running, 'F7')
    const given = members(paid, 'first', '10.00', { COMMENTS: '20' })
    for (const signed of [checksummed(given, Object.values(given).join('|')), checksummed({ ...given, REFID: 'second', COMMENTS: '30' })]) {
      const { REFID, REFUNDAMOUNT, COMMENTS, ORDERID, TXNID } = signed as Signed &
        Record<'REFID' | 'REFUNDAMOUNT' | 'COMMENTS' | 'ORDERID' | 'TXNID', string>
      assert.equal((await send(running, signed)).body.RESPCODE, '601')
      // The signed values under other names: by the map rule the names give the signed order.
      const isSorted = REFID === 'second'
      const order = isSorted ? Object.keys(given).sort() : Object.keys(given)
      for (const exchanged of [
        { REFID: COMMENTS, COMMENTS: REFID },
        { REFID: REFUNDAMOUNT, REFUNDAMOUNT: COMMENTS, COMMENTS: REFID },
        { REFID: ORDERID, ORDERID: REFID },
        { REFID: TXNID, TXNID: REFID },
      ]) {
        const named = new Map(Object.entries({ ...signed, ...exchanged }).map(([name, value]) => [value, name]))
        const replayed = Object.fromEntries(order.map((name) => [named.get(signed[name]!)!, signed[name]!]))
        const { body } = await send(running, { ...replayed, CHECKSUM: signed.CHECKSUM })
        assert.ok(['606', '607'].includes(body.RESPCODE), `${JSON.stringify(replayed)}: ${body.RESPCODE}`)
        if ('COMMENTS' in exchanged) assert.deepEqual([body.STATUS, body.ErrorCode], [undefined, '606'])
      }
      assert.equal((await send(running, signed)).body.RESPCODE, '601')
    }
    assert.equal((await transactionOf(running, paid)).refundedPaise, 20_00)
    // Signed anew, the same values keep their meaning.
    assert.equal((await send(running, checksummed(members(paid, '20', '10.00', { COMMENTS: 'first' })))).body.RESPCODE, '601')
  })

  test('a GET gives nothing back', async () => {
    const running = await service()
    const paid = await paidOrder(running, 'F5')
    const query = new URLSearchParams({ JsonData: JSON.stringify(checksummed(members(paid, 'G1', '10.00'))) })
    assert.equal((await running.call('GET', `${FIRST}?${query}`)).status, 405)
    assert.equal((await transactionOf(running, paid)).refundedPaise, 0)
  })

  test('while the setting is off a signed request is refused: 600', async () => {
    const running = await service()
    const paid = await paidOrder(running, 'F6')
    const set = (flatRefund: boolean) =>
      loadWorld(
        running.store,
        running.ports.vault,
        { merchants: [{ mid: MID, flatRefund }] },
        { signedModify: 'optional', now: running.clock.now() },
      )
    await set(false)
    const given = checksummed(members(paid, 'O1', '10.00'))
    const { body } = await send(running, given)
    assert.deepEqual([body.STATUS, body.RESPCODE], ['TXN_FAILURE', '600'])
    assert.equal((await transactionOf(running, paid)).refundedPaise, 0)
    await set(true)
    assert.equal((await send(running, given)).body.RESPCODE, '601')
  })
})
