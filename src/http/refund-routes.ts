// How refunds cross the wire: docs/interface.md sections 4.14 and 4.15.

import { toPaise } from '../interface/money.ts'
import { applyRefund as codes } from '../interface/result-codes.ts'
import { applyRefund, wire as applyWire } from '../refund/apply-refund.ts'
import { refundStatus, wire as statusWire } from '../refund/refund-status.ts'
import type { Edge } from './edge.ts'
import { numberAt, renderSigned } from './render.ts'
import { type EnvelopeRoute, envelopeHandler } from './route.ts'

const applyRoute: EnvelopeRoute<typeof applyWire.head, typeof applyWire.body, (typeof applyRefund.codes)['success']> = {
  wire: applyWire,
  signed: { wrong: codes.invalidChecksum },
  async perform({ body, signature }, { engine, clock, fresh, vault }) {
    const now = clock.now()
    return engine.submit(applyRefund, {
      request: body,
      contentHash: vault.hash('refundContent', contentText(body)),
      caller: { signature },
      now,
      fresh: { refundId: numberAt(now, fresh) },
    })
  },
  render: renderSigned,
}

/** All that was asked for, in one spelling: the order of members does not matter, nor how many decimals an amount has. */
function contentText({ refundAmount, ...given }: { refundAmount: string }): string {
  return JSON.stringify({ ...given, refundAmount: toPaise(refundAmount) }, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

const statusRoute: EnvelopeRoute<typeof statusWire.head, typeof statusWire.body, (typeof refundStatus.codes)['success']> = {
  wire: statusWire,
  signed: {},
  perform: ({ body, signature }, { query }) => refundStatus.answer({ request: body, caller: { signature } }, query),
  render: applyRoute.render,
}

export const refundHandlers = (edge: Edge) => ({
  applyRefund: envelopeHandler(applyRoute, edge),
  refundStatus: envelopeHandler(statusRoute, edge),
})
