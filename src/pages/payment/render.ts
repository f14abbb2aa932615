// Which sheet shows how things stand: docs/pages.md, "State".

import type { FastifyReply } from 'fastify'
import { isInFlight } from '../../domain/transaction/transaction.ts'
import { html } from '../html.ts'
import { type Sheet, sendSheet } from '../kit/document.ts'
import type { FieldFault } from '../kit/fields.ts'
import { icons } from '../kit/icons.ts'
import { panel } from '../kit/layout.ts'
import type { PageParts } from '../kit/page-parts.ts'
import { sheetOf, type Told } from './layout.ts'
import { choicesOf } from './mode-panels.ts'
import { optionsOf } from './options.ts'
import { type PageState, stageOf } from './page-state.ts'
import type { Choosing } from './pay-form.ts'
import { stepSheet, waitingFor } from './pending-steps.ts'
import { ofMoney, resultSheet, wayBack } from './result.ts'

/** What beside the rows says how a page looks: the query of a GET, or what was wrong with a form. */
export interface PageAsked extends Pick<Choosing, 'typed'> {
  fault?: FieldFault
  told?: Told | undefined
  leaves?: boolean
  emi?: string | undefined
  open?: string | undefined
}

export async function renderPage(reply: FastifyReply, parts: PageParts, seen: PageState, asked: PageAsked = {}) {
  return sendSheet(reply, parts.assets, await sheetFor(parts, seen, asked))
}

async function sheetFor(parts: PageParts, seen: PageState, { fault, told, leaves, emi, open, typed }: PageAsked): Promise<Sheet> {
  const stage = stageOf(seen)
  switch (stage) {
    case 'over':
      return overSheet(parts, seen)
    case 'paid':
    case 'closed':
      return resultSheet(seen, parts)
    case 'choices': {
      if (leaves) return leavingSheet(parts, seen)
      const options = await optionsOf(parts.edge, seen)
      const main = choicesOf({
        seen,
        options,
        edge: parts.edge,
        canSignIn: parts.signIn.canSend,
        fault,
        asked: { emi, open },
        ...(typed && { typed }),
      })
      return sheetOf({ seen, parts, options, main })
    }
    case 'otp':
    case 'bank':
    case 'upi':
    case 'collect':
    case 'waiting':
      return stepSheet({ seen, parts, transaction: seen.latest!, fault, told })
    default:
      return stage satisfies never
  }
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

/** HTTP 410: nothing can be paid here any more. Whoever may have paid is not told of paying again. */
async function overSheet(parts: PageParts, seen: PageState): Promise<Sheet> {
  const { form, formAction } = await wayBack(seen, parts, false)
  const { texts, latest } = seen
  const { title, about } = texts.errors.over
  const says = latest && isInFlight(latest) ? waitingFor(texts, latest) : about
  return sheetOf({ seen, parts, title, formAction, main: panel(title, icons.ended, html`<p>${says}</p>`, form) })
}
