// The form of a mandate on a bank account.

import { type Html, html } from '../../html.ts'
import { checkbox, radios, textField } from '../../kit/fields.ts'
import type { PageView, PanelView } from '../view/page-view.ts'
import { bankField } from './pay-form.ts'

export function mandateFields(view: PageView, panel: PanelView): Html {
  const { mandate } = view.texts
  const how = radios({
    ...{ name: 'how', label: mandate.how, fault: panel.fault, panel: 'mandate', value: panel.fields['how']?.value },
    of: [
      ['NET_BANKING', mandate.netBanking],
      ['DEBIT_CARD', mandate.debitCard],
    ],
  })
  return html`${panel.fields['account'] && accountFields(view, panel)}${bankField(view, panel)}${how}<p class="quiet">${panel.says}</p>`
}

function accountFields({ texts: { mandate } }: PageView, { fields, fault }: PanelView): Html {
  const about = { fault, panel: 'mandate' }
  const { holder, ifsc, ifscSure, kind } = fields
  const name = textField({
    ...{ name: 'holder', label: mandate.holder, ...about, autoComplete: 'name', maxLength: 100, value: holder?.value },
  })
  const account = textField({
    ...{ name: 'account', label: mandate.account, ...about, inputMode: 'numeric', autoComplete: 'off', maxLength: 20 },
  })
  const branch = textField({
    ...{ name: 'ifsc', label: mandate.ifsc, hint: mandate.ifscHint, ...about, autoComplete: 'off', maxLength: 11, capitals: true },
    value: ifsc?.value,
  })
  const sure = ifscSure && checkbox('ifscSure', mandate.ifscSure, false, ifscSure.value)
  const kinds = radios({
    ...{ name: 'kind', label: mandate.kind, ...about, value: kind?.value },
    of: [
      ['SAVINGS', mandate.savings],
      ['CURRENT', mandate.currentAccount],
    ],
  })
  return html`${name}${account}${branch}${sure}${kinds}`
}
