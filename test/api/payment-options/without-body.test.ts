// A request without a body: docs/interface.md section 4. Published clients ask for payment options with a head alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { type OperationName, operations } from '../../../src/api/operations.ts'
import { createOrder } from '../../support/paying/paying.ts'
import { signedOperations } from '../../support/paying/signed-bodies.ts'
import { MID, onBothStores, type Reply, sharedService } from '../../support/run/service.ts'

const codeOf = ({ body }: Reply) => {
  const { resultCode, code, responseCode } = { ...body, ...body.resultInfo }
  return resultCode ?? code ?? responseCode
}
const unreadableOf = (name: OperationName) => (operations[name].wire as { unreadable?: { code: string } } | undefined)?.unreadable?.code

onBothStores('a request without a body', (store) => {
  const service = sharedService(store)

  test('is answered by Fetch Payment Options as one with an empty body, on each of its paths', async () => {
    const running = await service()
    const { orderId, txnToken } = await createOrder(running, `BODILESS-${store}`)
    const head = JSON.stringify({ txnToken })
    for (const path of operations.fetchPaymentOptions.paths) {
      const ask = (text: string, query = `mid=${MID}&orderId=${orderId}`) => running.post(`${path}?${query}`, text)
      const whole = await ask(`{"head":${head},"body":{"mid":"${MID}","orderId":"${orderId}"}}`)
      assert.equal(codeOf(whole), '0000')
      for (const text of [`{"head":${head}}`, `{"head":${head},"body":null}`, `{"body":null,"head":${head}}`, `{"head":${head},"body":{}}`])
        assert.deepEqual((await ask(text)).body, whole.body, text)
      assert.equal(codeOf(await ask(`{"head":${head}}`, `mid=${MID}`)), '1012')
      assert.equal(codeOf(await ask('{"head":{"txnToken":"nobody"}}')), '1006')
      for (const body of ['[]', '""', '"null"', '5', 'false', '[null]', 'null,"body":{}', 'nul', ''])
        assert.equal(codeOf(await ask(`{"head":${head},"body":${body}}`)), '2222', body)
      for (const text of ['{}', 'null', '{"body":null}', '{"head":null}', '{"head":[]}', `{"txnToken":"${txnToken}"}`])
        assert.equal(codeOf(await ask(text)), '2222', text)
    }
  })

  test('is unreadable wherever a body is signed or has a member that must be there', async () => {
    const running = await service()
    const signed = new Set<string>(signedOperations)
    const free: string[] = []
    for (const { name, method, paths, flatPaths, wire } of Object.values(operations)) {
      if (!wire?.head) continue
      const { required = [], anyOf = [] } = wire.body as TSchema & { required?: readonly string[]; anyOf?: readonly object[] }
      if (!signed.has(name) && required.length === 0 && anyOf.length === 0) {
        free.push(name)
        continue
      }
      for (const path of paths.filter((each) => !flatPaths?.includes(each)))
        for (const text of ['{"head":{"signature":"x"}}', '{"head":{"signature":"x"},"body":null}']) {
          const reply = await running.call(method, `${path}?mid=${MID}&orderId=A`, {}, text)
          assert.equal(codeOf(reply), unreadableOf(name as OperationName), `${path} ${text}: ${reply.text}`)
        }
    }
    assert.deepEqual(free, ['fetchPaymentOptions'])
  })
})
