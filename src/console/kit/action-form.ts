// Forms of actions, and the sentence that a page shows once an action is done: docs/console.md, "Acting".

import type { FastifyReply } from 'fastify'
import { REASON_MAX } from '../../domain/audit/reason.ts'
import { type Decision, NOTHING, type Operation, type Reply } from '../../engine/decision.ts'
import { ownCodes, type ResultCode } from '../../interface/result-code.ts'
import { html, type Part } from '../../pages/html.ts'
import type { Form } from '../../pages/kit/forms.ts'
import { textIn } from '../../pages/kit/page-parts.ts'
import { merchantKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { ConsoleError } from './console-error.ts'
import type { Viewer } from './parts.ts'
import { formOf, guarded } from './sheet.ts'

/** Values that the form brings back as they stand on the page. */
type Carried = Readonly<Record<string, string | number>>

/** Hidden fields. */
export const carried = (values: Carried): Part =>
  Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

const reasonField = (id: string) =>
  html`<label for="${id}-reason">Reason</label><input id="${id}-reason" name="reason" maxlength="${REASON_MAX}" autocomplete="off" required>`

interface ActionForm {
  /** Unique on its page. */
  id: string
  at: string
  says: string
  carries?: Carried
}

export const actionForm = (viewer: Viewer, { id, at, says, carries = {} }: ActionForm): Part =>
  formOf(viewer, at, html`${carried(carries)}${reasonField(id)}<button class="second">${says}</button>`)

/**
 * One reason for the rows of a list. Each row has a button of its own (`rowButton`). The first button is disabled, so Enter in the field
 * acts on no row.
 */
export const rowsForm = (viewer: Viewer, { id, more }: { id: string; more?: Part }): Part =>
  html`<form method="post" id="${id}"><input type="hidden" name="token" value="${viewer.formToken}"><button disabled hidden></button>${reasonField(id)}${more}</form>`

export const rowButton = ({ id, at, says, about, value }: ActionForm & { about: string; value?: string }): Part =>
  html`<button class="second" form="${id}" formaction="${at}"${value !== undefined && html` name="given" value="${value}"`} aria-label="${says} ${about}">${says}</button>`

// ------------------------------------------------------------------------------------------------------ what the form knew

/** The version that the form's page showed. */
export function versionIn(form: Form): number {
  const version = form['version'] ?? ''
  if (!/^[0-9]{1,9}$/.test(version)) throw new ConsoleError('form')
  return Number(version)
}

export const carriedMerchant = (merchant: Pick<Row<'merchants'>, 'status'> | undefined): Carried => ({
  merchant: merchant?.status ?? 'ACTIVE',
})

const MERCHANT = 'merchant of the form' // no operation uses this name in its state
const { disabled, enabled } = ownCodes('sameMerchant', 'disabled', 'enabled')

/** The operation, refused when the form's page showed the merchant in another state. A person then decides anew. */
export function forSameMerchant<Command, Code extends ResultCode, Body extends object>(
  of: Operation<Command, Code, Body>,
  mid: string,
  form: Form,
): Operation<Command> {
  return {
    ...of,
    reads: (command) => ({ ...of.reads(command), [MERCHANT]: merchantKey(mid) }),
    decide(command, state: Readonly<Record<string, unknown>>): Decision {
      const merchant = state[MERCHANT] as Row<'merchants'> | undefined
      if (!merchant || merchant.status === form['merchant']) return of.decide(command, state as never)
      return { ...NOTHING, reply: { result: merchant.status === 'DISABLED' ? disabled : enabled } }
    },
  }
}

/** Throws when `forSameMerchant` refused. */
export function requireSameMerchant({ result }: Reply) {
  if (result === disabled || result === enabled) throw new ConsoleError('changed', `The merchant is ${result.name}.`)
}

// --------------------------------------------------------------------------------------------------------- when it is done

const DONE = {
  asked: 'The bank was asked. If it answered, this page shows its answer.',
  debitAsked: 'The service asks the bank about this debit within a second. Reload the page to see the answer.',
  refundAsked: 'The service asks the bank about the refund now. Reload the page to see the answer.',
  orderClosed: 'The order is closed.',
  resent: 'The notifications of the order are sent again.',
  started: 'The endpoint is started. Send its notifications again below.',
  mandatePaused: 'The mandate is paused.',
  mandateResumed: 'The mandate is collected again.',
  mandateClosed: 'The mandate is closed. A debit under way still ends, and the bank is notified.',
} as const
export type Done = keyof typeof DONE

/** Only a word stands in the address, so no link can make the page say another sentence. */
export function doneNotice(query: unknown): Part {
  const did = textIn(query, 'did') ?? ''
  return Object.hasOwn(DONE, did) && html`<p class="notice good" role="status">${DONE[did as Done]}</p>`
}

export const leadBack = (reply: FastifyReply, address: string, did: Done) =>
  guarded(reply).redirect(`${address}${address.includes('?') ? '&' : '?'}did=${did}`, 303)
