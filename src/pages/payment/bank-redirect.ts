// Redirects to a bank's page that opens by GET alone: docs/interface.md section 4.10. The transaction's row gives the address. Nothing
// reads the fields of the form.

import type { FastifyInstance } from 'fastify'
import { isInFlight } from '../../domain/transaction/transaction.ts'
import { BANK_PAGE_PATH } from '../../interface/page-paths.ts'
import { look } from '../../tables/tables.ts'
import { privately } from '../kit/document.ts'
import { answerByPages, comesBack } from '../kit/error-page.ts'
import { PageError } from '../kit/page-error.ts'
import { type AddedParts, transactionIn } from '../kit/page-parts.ts'

export function addBankRedirect(server: FastifyInstance, parts: AddedParts) {
  const { query } = parts.ports
  server.register(async (scope) => {
    answerByPages(scope, parts)
    comesBack(scope, BANK_PAGE_PATH, async (request, reply) => {
      const { mid, txnId } = transactionIn(request)
      const transaction = await query.row(look('transactions', mid, txnId))
      if (!transaction) throw new PageError('unknown')
      const { next, status } = transaction
      const isOpen = isInFlight(transaction) && status !== 'UNKNOWN' && next?.kind === 'bankForm' && next.method === 'get'
      const then = isOpen ? next.actionUrl : `/transaction/return?${new URLSearchParams({ mid, txnId })}`
      return privately(reply).redirect(then, 303)
    })
  })
}
