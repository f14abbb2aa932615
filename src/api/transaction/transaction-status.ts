// How Transaction Status crosses the wire: docs/interface.md section 4.42.

import Type from 'typebox'
import { isInFlight } from '../../domain/transaction/transaction.ts'
import { transactionStatus, wire } from '../../domain/transaction/transaction-status.ts'
import type { Ports } from '../../flows/ports.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import * as replied from '../../interface/replied.ts'
import { transactionStatus as codes } from '../../interface/result-codes.ts'
import { tokenCeiling } from '../kit/api-parts.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { unsigned } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { byTxnToken, countingCall, renderPageCall } from '../payment-options/page-call.ts'
import { callbackFields, callbackReply } from './callback-form.ts'

export const reply = Type.Object({
  txnInfo: Type.Optional(callbackReply),
  callbackUrl: Type.Optional(replied.text),
  isPollingRequired: replied.yes,
})

type Route = EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof transactionStatus.codes)['success']>

function statusRoute(ports: Ports): Route {
  const asks = tokenCeiling(ports)
  return {
    wire,
    translate: byTxnToken,
    async perform({ head, body }, ports) {
      const txnTokenHash = ports.vault.hash('txnToken', head.token)
      const found = await countingCall(asks, txnTokenHash, () => transactionStatus.answer({ request: body, txnTokenHash }, ports.query))
      if (!found.body) return found
      const { order, transaction, payee } = found.body
      const members = {
        ...(transaction && { txnInfo: await callbackFields({ order, transaction, payee }, ports) }),
        ...(order.callbackUrl && { callbackUrl: order.callbackUrl }),
        isPollingRequired: transaction !== undefined && isInFlight(transaction),
      }
      return { result: found.result, body: members }
    },
    render: renderPageCall,
  }
}

export const operation: Descriptor = {
  name: 'transactionStatus',
  section: '4.42',
  resource: 'transaction',
  method: 'POST',
  paths: ['/theia/v1/transactionStatus'],
  browser: true,
  codes,
  credentials: [['txnToken']],
  wire,
  reply,
  form: unsigned,
  hasCeiling: true,
  sample: { head: { tokenType: 'TXN_TOKEN', token: '{txnToken}' }, body: sample.order },
  handler: ({ ports }) => envelopeHandler(statusRoute(ports), ports),
}
