// Which sheet shows how things stand: docs/pages.md, "State".

import type { FastifyReply } from 'fastify'
import { isInFlight, type Transaction } from '../../domain/transaction/transaction.ts'
import { html } from '../html.ts'
import { type Sheet, sendSheet } from '../kit/document.ts'
import { type FieldFault, hidden } from '../kit/fields.ts'
import { icons } from '../kit/icons.ts'
import { notice, panel } from '../kit/layout.ts'
import type { DrawerSubject, PageParts } from '../kit/page-parts.ts'
import { cardName } from './card-panel.ts'
import { type FoundPage, foundFor } from './found/found.ts'
import { codeSentTo, type SavedCard } from './found/options.ts'
import { type PageState, stageOf } from './found/page-state.ts'
import { type PageMessage, sheetOf } from './layout.ts'
import { choicesOf } from './mode-panels.ts'
import type { Choosing } from './pay-form.ts'
import { stepSheet } from './pending-steps.ts'
import { resultSheet, wayBack } from './result.ts'
import { askShop, isLinkLeft, isMoneyAbout, ofMoney, payingBy, waitingFor } from './why-failed.ts'

/** What beside the rows says how a page looks: the query of a GET, or what was wrong with a form. */
export interface PageAsked extends Pick<Choosing, 'typed'> {
  fault?: FieldFault
  message?: PageMessage | undefined
  leaves?: boolean
  /** By the loader: the shop's page goes on to the shop, as things stand. */
  isToShop?: boolean
  emi?: string | undefined
  open?: string | undefined
  /** What the payer is asked about before it is removed. */
  removes?: SavedCard | undefined
}

export async function renderPage(reply: FastifyReply, parts: PageParts, seen: PageState, asked: PageAsked = {}) {
  return sendFound(reply, parts, await foundFor(parts.ports, seen, { choices: !asked.leaves && !asked.removes }), asked)
}

/** Of what has been read. */
export async function sendFound(reply: FastifyReply, parts: PageParts, found: FoundPage, asked: PageAsked) {
  const drawer = await parts.drawer?.(drawerSubjectOf(found))
  return sendSheet(reply, parts.assets, { ...sheetFor(parts, found, asked), drawer })
}

function sheetFor(
  parts: PageParts,
  seen: FoundPage,
  { fault, message, leaves, isToShop = false, emi, open, removes, typed }: PageAsked,
): Sheet {
  const stage = stageOf(seen)
  if (isToShop && seen.latest && isInFlight(seen.latest) && seen.order.callbackUrl !== null) return onwardSheet(parts, seen, seen.latest)
  switch (stage) {
    case 'over':
      return overSheet(parts, seen, isToShop)
    case 'paid':
    case 'closed':
      return resultSheet(seen, parts)
    case 'choices': {
      if (leaves) return leavingSheet(parts, seen)
      if (removes) return removingSheet(parts, seen, removes)
      const options = seen.options!
      const main = choicesOf({
        seen,
        options,
        ports: parts.ports,
        canSignIn: parts.signIn.canSend,
        fault,
        asked: { emi, open, message },
        ...(typed && { typed }),
      })
      const title = titleOf(seen, fault)
      return sheetOf({ seen, parts, options, main, ...(title !== undefined && { title }) })
    }
    case 'otp':
    case 'bank':
    case 'upi':
    case 'collect':
    case 'waiting':
      return stepSheet({ seen, parts, transaction: seen.latest!, fault, message })
    default:
      return stage satisfies never
  }
}

/** A page with something to mend says so in its title; a payer who left a link has nothing to mend. */
function titleOf({ texts, latest }: PageState, fault: FieldFault | undefined): string | undefined {
  if (fault) return texts.toMend
  return latest?.status === 'FAILURE' && !isLinkLeft(latest) ? texts.notThrough(payingBy(latest)) : undefined
}

/** Asked first, because the order is closed by it. */
function leavingSheet(parts: PageParts, seen: PageState): Sheet {
  const { texts, address } = seen
  const { cancel } = texts
  const main = panel(
    cancel.heading,
    html`<p>${cancel.about} ${ofMoney(seen) ?? cancel.nothingTaken}</p><div class="ways"><a class="button" href="${address}">${cancel.no}</a><form method="post" action="${address}/leave"><button class="second">${cancel.yes}</button></form></div>`,
  )
  return sheetOf({ seen, parts, title: cancel.heading, main, isLeft: true })
}

/** Asked first: to pay by it again its number has to be typed in. */
function removingSheet(parts: PageParts, seen: PageState, card: SavedCard): Sheet {
  const { texts, address, merchant } = seen
  const { heading, about, yes, no } = texts.removeCard
  const sure = html`<form method="post" action="${address}/remove-card">${hidden('savedCard', card.id)}${hidden('sure', 1)}<button class="second">${yes}</button></form>`
  const main = panel(
    heading,
    html`<p>${about(cardName(seen, card), merchant.name)}</p><div class="ways"><a class="button" href="${address}?open=saved">${no}</a>${sure}</div>`,
  )
  return sheetOf({ seen, parts, title: heading, main })
}

/** Back to the shop without waiting for the bank. */
function onwardSheet(parts: PageParts, seen: FoundPage, transaction: Transaction): Sheet {
  const { form, formAction } = wayBack(seen, parts, true)
  const { texts } = seen
  const title = texts.waiting.heading(payingBy(transaction))
  return sheetOf({ seen, parts, title, formAction, main: panel(title, notice(waitingFor(texts, transaction), 'wait'), form) })
}

/** HTTP 410: nothing can be paid here any more. Whoever may have paid is not told of paying again. */
function overSheet(parts: PageParts, seen: FoundPage, goes: boolean): Sheet {
  const { form, formAction } = wayBack(seen, parts, goes)
  const { texts, latest } = seen
  const { title, about } = texts.errors.over
  const isUnderWay = latest !== undefined && isInFlight(latest)
  const says = isUnderWay ? html`<p>${waitingFor(texts, latest)}</p>` : html`<p data-over>${about}</p>`
  return sheetOf({ seen, parts, title, formAction, main: panel(title, icons.ended, says, isMoneyAbout(seen) && askShop(seen), form) })
}

/** What the sandbox's drawer learns of the page: docs/sandbox.md, "The drawer". Production has no drawer. */
function drawerSubjectOf(seen: PageState): DrawerSubject {
  const { address, order, latest } = seen
  const stage = stageOf(seen)
  const isEnded = stage === 'paid' || stage === 'closed' || stage === 'over'
  const sentTo = stage === 'choices' && order.payer === null ? codeSentTo(seen) : undefined
  return {
    ...{
      address,
      mid: order.mid,
      mobile: sentTo ?? (seen.isSameBrowser ? order.payer?.mobile : undefined) ?? order.details.userInfo['mobile'],
    },
    order: { orderId: order.orderId, stage: stage === 'choices' ? 'begins' : isEnded ? 'ended' : 'waits' },
    ...(stage === 'otp' && {
      code: { from: 'bank', action: `${address}/otp`, field: 'otp', carries: { attempt: String(latest!.attempt) } },
    }),
    ...(sentTo !== undefined && { code: { from: 'inbox', action: `${address}/sign-in/otp`, field: 'code', carries: {} } }),
  }
}
