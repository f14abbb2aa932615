// What payers do on the page of their mandate: docs/pages.md, "The mandate page". Every button is a form, and every answer sends the
// browser back to the page. A wrong value is answered in place, with HTTP 422.

import type { FastifyReply } from 'fastify'
import { codeMobileOf } from '../../domain/subscription/payer-message.ts'
import { changeMandatePage } from '../../domain/subscription/payer-page/change-mandate-page.ts'
import type { CodeFor, TypedCode } from '../../domain/subscription/payer-page/mandate-page.ts'
import { openMandatePage } from '../../domain/subscription/payer-page/open-mandate-page.ts'
import { sendMandateCode } from '../../domain/subscription/payer-page/send-mandate-code.ts'
import { moveMandate, type PayerMove, sayToDebit, sayToEdit, skip } from '../../flows/payer-actions.ts'
import { look } from '../../tables/tables.ts'
import { privately } from '../kit/document.ts'
import type { FieldFault } from '../kit/fields.ts'
import { chosenLanguage, type Form } from '../kit/forms.ts'
import { type Browser, PAGE_ID_BYTES, type PageParts } from '../kit/page-parts.ts'
import { isCurrent, type MandateActionName } from './forms.ts'
import { queryOf, type Said } from './messages.ts'
import { type LinkState, type MandatePageState, mandateAddressOf, mandatePageStateOf, mandateStageOf } from './page-state.ts'
import { renderMandatePage } from './render.ts'

export interface MandatePageAction {
  parts: PageParts
  seen: MandatePageState
  browser: Browser
  form: Form
  reply: FastifyReply
}
type Handler = (act: MandatePageAction) => unknown

const toMandate = (reply: FastifyReply, { address }: Pick<MandatePageState, 'address'>, query = '') =>
  privately(reply).redirect(`${address}${query}`, 303)

/** Back to the page, with a message that belongs to the current state. */
async function toMessage({ parts, seen, browser, reply }: MandatePageAction, said: Said, of?: string) {
  const now = await mandatePageStateOf(parts.ports, seen.pageId, browser)
  return toMandate(reply, seen, queryOf(now, { said, of }))
}

async function again({ parts, seen, browser, reply }: MandatePageAction, fault: FieldFault) {
  const now = await mandatePageStateOf(parts.ports, seen.pageId, browser)
  if (mandateStageOf(now) !== mandateStageOf(seen)) return toMandate(reply, seen)
  return renderMandatePage(reply.code(422), parts, now, { fault })
}

// ------------------------------------------------------------------------------------------------------------------ codes

const codeHash = ({ ports: { vault } }: PageParts, pageId: string, codeFor: CodeFor, code: string) =>
  vault.hash('mandateCode', JSON.stringify([pageId, codeFor, code]))

interface Asked {
  mid: string
  subscriptionId: string
  orderId: string
  pageId: string
  codeFor: CodeFor
  by: Parameters<typeof openBy>[0]
}
const openBy = (by: 'page' | { agentHash: string; view: { language?: string } }) => by

/** Returns the name of the outcome. */
async function sendCode(parts: PageParts, { mid, subscriptionId, orderId, pageId, codeFor, by }: Asked): Promise<string> {
  const { ports, signIn } = parts
  const { engine, clock, fresh, vault, query } = ports
  if (!signIn.canSend) return 'blocked'
  const [subscription, order] = await Promise.all([
    query.row(look('subscriptions', mid, subscriptionId)),
    query.row(look('orders', mid, orderId)),
  ])
  const mobile = subscription && codeMobileOf(subscription, order)
  if (mobile === undefined) return 'gone'
  const otp = fresh.otp()
  const command = {
    ...{ mid, subscriptionId, by, codeFor, limits: signIn.settings, now: clock.now() },
    fresh: {
      pageHash: vault.hash('mandatePageId', pageId),
      otp,
      codeHash: codeHash(parts, pageId, codeFor, otp),
      messageId: fresh.hex(16),
    },
  }
  const { result } = await signIn.otpCeiling.within(mobile, ports, () => engine.submit(sendMandateCode, command))
  return result.name
}

/**
 * The holder of the link asks for a code. The page that the code opens belongs to the holder's browser. `refused` says why no code was
 * sent.
 */
export async function askByLink(parts: PageParts, seen: LinkState, browser: Browser): Promise<{ address: string } | { refused: string }> {
  const { mid, subscriptionId, orderId } = seen.subscription
  const pageId = parts.ports.fresh.hex(PAGE_ID_BYTES)
  const by = { agentHash: parts.ports.vault.hash('userAgent', browser.agent), view: { language: seen.language } }
  const came = await sendCode(parts, { mid, subscriptionId, orderId, pageId, codeFor: 'open', by })
  return came === 'success' ? { address: mandateAddressOf(pageId) } : { refused: came }
}

const ofPage = ({ pageId, subscription: { mid, subscriptionId, orderId } }: MandatePageState) =>
  ({ mid, subscriptionId, orderId, pageId, by: 'page' }) as const

/** Sends a new code: to open the page, or to approve a debit or new terms. */
async function resend(act: MandatePageAction, codeFor: CodeFor) {
  const { parts, seen } = act
  const came = await sendCode(parts, { ...ofPage(seen), codeFor })
  if (came === 'success') return toMessage(act, 'sent')
  if (came === 'gone' || came === 'nothingWaits') return toMessage(act, 'changed')
  return again(act, { panel: 'code', field: 'code', message: sendFault(seen, came) })
}
export const sendFault = ({ texts }: Pick<MandatePageState, 'texts'>, came: string) =>
  came === 'sendLimitReached' ? texts.payer.fault.sends : came === 'gone' ? texts.payer.fault.gone : texts.payer.fault.blocked

const typedIn = ({ parts, seen, form }: MandatePageAction, codeFor: CodeFor): TypedCode => {
  const code = (form['code'] ?? '').replaceAll(' ', '')
  const { pageId } = seen
  return { pageHash: parts.ports.vault.hash('mandatePageId', pageId), code, codeHash: codeHash(parts, pageId, codeFor, code) }
}

/** Answers a typed code: with a fault beside the field, or by sending the browser back to the page. */
function afterCode(act: MandatePageAction, came: string, said?: Said) {
  const { seen, reply } = act
  const { fault } = seen.texts
  const wrong: Readonly<Record<string, string>> = { wrong: fault.code, over: fault.codeExpired, exceeded: fault.codeTries }
  const message = wrong[came]
  if (message !== undefined) return again(act, { panel: 'code', field: 'code', message })
  const isDone = came === 'applied' || came === 'right'
  if (!isDone && came !== 'used') return toMessage(act, 'changed')
  return isDone && said !== undefined ? toMessage(act, said, act.form['of']) : toMandate(reply, seen)
}

async function open(act: MandatePageAction) {
  const { parts, seen, reply } = act
  if (mandateStageOf(seen) !== 'code') return toMandate(reply, seen)
  const { engine, clock } = parts.ports
  const { result } = await engine.submit(openMandatePage, { ...typedIn(act, 'open'), now: clock.now() })
  return afterCode(act, result.name)
}

// ------------------------------------------------------------------------------------------------------------------- acts

/** The waiting debit or the waiting terms, when the form names them. */
function waitsIn(
  { debit, edit }: MandatePageState,
  { of }: Form,
): { debit: NonNullable<typeof debit> } | { edit: NonNullable<typeof edit> } | undefined {
  if (debit && of === `debit:${debit.notice.noticeId}`) return { debit }
  return edit && of === `edit:${edit.editId}` ? { edit } : undefined
}

async function approve(act: MandatePageAction) {
  const waits = waitsIn(act.seen, act.form)
  if (!waits) return toMessage(act, 'changed')
  return resend(act, act.form['of'] as CodeFor)
}

async function approveByCode(act: MandatePageAction) {
  const { parts, seen, form, reply } = act
  const waits = waitsIn(seen, form)
  // The payer pressed twice, or the request has ended meanwhile. The page shows the current state.
  if (!waits) return toMandate(reply, seen)
  const onPage = { code: typedIn(act, form['of'] as CodeFor) }
  const came =
    'debit' in waits
      ? await sayToDebit(parts.ports, waits.debit, 'approved', onPage)
      : await sayToEdit(parts.ports, seen.subscription, waits.edit, 'active', onPage)
  return afterCode(act, came, 'approved')
}

async function decline(act: MandatePageAction) {
  const { parts, seen, form } = act
  const waits = waitsIn(seen, form)
  if (!waits) return toMessage(act, 'changed')
  const came =
    'debit' in waits
      ? await sayToDebit(parts.ports, waits.debit, 'declined', {})
      : await sayToEdit(parts.ports, seen.subscription, waits.edit, 'refused', {})
  return came === 'applied' ? toMessage(act, 'declined', form['of']) : toMessage(act, 'changed')
}

const SAID = { pause: 'paused', resume: 'resumed', revoke: 'stopped' } as const
const moving =
  (move: PayerMove): Handler =>
  async (act) => {
    const { subscription } = act.seen
    const isMoved = await moveMandate(act.parts.ports, subscription, move, subscription.version)
    return toMessage(act, isMoved ? SAID[move] : 'changed')
  }

async function skipNext(act: MandatePageAction) {
  const announced = act.seen.open.find(({ cycle }) => cycle.collectionId === act.form['of'])
  return toMessage(act, announced && (await skip(act.parts.ports, announced)) ? 'skipped' : 'changed')
}

const change =
  (changeOf: (form: Form) => { extends: true } | { language: string }): Handler =>
  async ({ parts: { ports }, seen, form, reply }) => {
    await ports.engine.submit(changeMandatePage, { pageHash: seen.page.pageHash, change: changeOf(form), now: ports.clock.now() })
    return toMandate(reply, seen)
  }

/** Acts on a page that its code has opened, by the last part of the address. */
const actsWhenOpen = {
  approve,
  'approve/code': approveByCode,
  decline,
  pause: moving('pause'),
  resume: moving('resume'),
  stop: moving('revoke'),
  skip: skipNext,
  'more-time': change(() => ({ extends: true })),
} satisfies Partial<Record<MandateActionName, Handler>>
/** Acts that also work on a page that waits for its code. */
const actsBefore = {
  open,
  resend: (act) => (mandateStageOf(act.seen) === 'code' ? resend(act, 'open') : toMandate(act.reply, act.seen)),
  language: change(chosenLanguage),
} satisfies Partial<Record<MandateActionName, Handler>>

const acts: Readonly<Record<MandateActionName, Handler>> = { ...actsBefore, ...actsWhenOpen }
export const actionNames = Object.keys(acts) as MandateActionName[]

/** Acts on a form that the payer sent. A form of another version comes from an old tab, or was already sent. */
export function actOn(name: MandateActionName, act: MandatePageAction) {
  const { seen, form, reply } = act
  const stage = mandateStageOf(seen)
  if (stage === 'over' || (stage === 'code' && !Object.hasOwn(actsBefore, name))) return toMandate(reply, seen)
  return isCurrent(seen, name, form) ? acts[name](act) : toMessage(act, 'stale')
}
