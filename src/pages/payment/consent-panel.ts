// What a payer agrees to with a subscription, said before he does, and the form of a mandate on a bank account.

import type { Row } from '../../tables/tables.ts'
import { type Html, html } from '../html.ts'
import { agreedRows } from '../kit/agreed-rows.ts'
import { formatRupees } from '../kit/amounts.ts'
import { checkbox, choice, radios, textField } from '../kit/fields.ts'
import { rowsOf } from '../kit/layout.ts'
import type { PageState } from './found/page-state.ts'
import { type Choosing, payForm } from './pay-form.ts'

export function mandateTerms(seen: PageState, subscription: Row<'subscriptions'>): Html {
  const { mandate } = seen.texts
  const { amountPaise } = seen.order
  const now = [mandate.now, amountPaise === 0 ? mandate.nothingNow : formatRupees(amountPaise)] as const
  return html`<section class="card terms" aria-labelledby="terms"><h2 id="terms">${mandate.agreed}</h2>${rowsOf([...agreedRows(seen, subscription), now])}<p class="quiet">${mandate.notice}</p></section>`
}

export function mandateForm(choosing: Choosing): Html {
  const { seen, options, fault, typed } = choosing
  const { mandate, bank, chooseBank } = seen.texts
  const panel = 'mandate'
  const given = seen.subscription?.details.mandateAccountDetails !== undefined
  const banks = options.banks.map(({ code, name }) => [code, name] as const)
  // Asked only where it is in doubt, and about this very IFSC.
  const branch = (typed?.['ifsc'] ?? '').replaceAll(' ', '').toUpperCase()
  const isDoubted = fault?.panel === panel && [fault, ...(fault.also ?? [])].some(({ field }) => field === 'ifscSure')
  const sure = isDoubted && checkbox('ifscSure', mandate.ifscSure, false, branch)
  const account = html`${textField({ name: 'holder', label: mandate.holder, fault, panel, autoComplete: 'name', maxLength: 100, value: typed?.['holder'] })}${textField({ name: 'account', label: mandate.account, fault, panel, inputMode: 'numeric', autoComplete: 'off', maxLength: 20 })}${textField({ name: 'ifsc', label: mandate.ifsc, hint: mandate.ifscHint, fault, panel, autoComplete: 'off', maxLength: 11, capitals: true, value: typed?.['ifsc'] })}${sure}${radios(
    {
      ...{ name: 'kind', label: mandate.kind, fault, panel, value: typed?.['kind'] ?? 'SAVINGS' },
      of: [
        ['SAVINGS', mandate.savings],
        ['CURRENT', mandate.currentAccount],
      ],
    },
  )}`
  const how = radios({
    ...{ name: 'how', label: mandate.how, fault, panel, value: typed?.['how'] ?? 'NET_BANKING' },
    of: [
      ['NET_BANKING', mandate.netBanking],
      ['DEBIT_CARD', mandate.debitCard],
    ],
  })
  const list = choice({ name: 'bank', label: bank, none: chooseBank, fault, panel, of: banks, value: typed?.['bank'] })
  const { utilityCode } = seen.merchant
  const says = html`<p class="quiet">${mandate.creditor(seen.merchant.name)} ${utilityCode !== null && mandate.utilityCode(html`<bdi>${utilityCode}</bdi>`)} ${mandate.testDebit}</p>`
  return payForm(choosing, 'BANK_MANDATE', panel, html`${!given && account}${list}${how}${says}`, { share: false })
}
