// Which sheet shows how things stand: docs/pages.md, "State".

import type { FastifyReply } from 'fastify'
import { isInFlight } from '../transaction/transaction.ts'
import { choicesOf } from './choices.ts'
import { type Sheet, sendSheet } from './document.ts'
import type { Fault } from './fields.ts'
import { html } from './html.ts'
import { icons } from './icons.ts'
import { accepted, languages } from './messages/messages.ts'
import { optionsOf } from './options.ts'
import type { PageError } from './page-error.ts'
import type { Choosing } from './pay-form.ts'
import { ofMoney, resultSheet, wayBack } from './result.ts'
import { type Browser, type PageParts, type Seen, stageOf } from './session.ts'
import { alone, panel, sheetOf, type Told } from './sheet.ts'
import { stepSheet, waitingFor } from './steps.ts'

/** What beside the rows says how a page looks: the query of a GET, or what was wrong with a form. */
export interface Asked extends Pick<Choosing, 'typed'> {
  fault?: Fault
  told?: Told | undefined
  leaves?: boolean
  emi?: string | undefined
  open?: string | undefined
}

export async function draw(reply: FastifyReply, parts: PageParts, seen: Seen, asked: Asked = {}) {
  return sendSheet(reply, parts.assets, await sheetFor(parts, seen, asked))
}

async function sheetFor(parts: PageParts, seen: Seen, { fault, told, leaves, emi, open, typed }: Asked): Promise<Sheet> {
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
function leavingSheet(parts: PageParts, seen: Seen): Sheet {
  const { texts, address } = seen
  const { cancel } = texts
  const main = panel(
    cancel.heading,
    html`<p>${cancel.about} ${ofMoney(seen) ?? cancel.nothingTaken}</p><div class="ways"><a class="button" href="${address}">${cancel.no}</a><form method="post" action="${address}/leave"><button class="second">${cancel.yes}</button></form></div>`,
  )
  return sheetOf({ seen, parts, title: cancel.heading, main, isLeft: true })
}

/** HTTP 410: nothing can be paid here any more. Whoever may have paid is not told of paying again. */
async function overSheet(parts: PageParts, seen: Seen): Promise<Sheet> {
  const { form, formAction } = await wayBack(seen, parts, false)
  const { texts, latest } = seen
  const { title, about } = texts.errors.over
  const says = latest && isInFlight(latest) ? waitingFor(texts, latest) : about
  return sheetOf({ seen, parts, title, formAction, main: panel(title, icons.ended, html`<p>${says}</p>`, form) })
}

/** What a field may be called: another name is not repeated. */
const FIELD_FORM = /^[A-Za-z_.]{1,40}$/

/** An address that is a page's, or begins with it as those of its buttons do. */
const PAGE_ADDRESS = /^\/(?:pay|mandate)\/[0-9a-f]{32}(?=[/?]|$)|^\/m\/[A-Za-z0-9_-]{22}(?=[/?]|$)/

/**
 * A page of its own for what cannot be shown, in the language of whoever asks. Of the request it holds the name of a field at most, and
 * the way back to the page that was asked. Whoever frames a page is shown its errors: nothing on them is worth a stolen press.
 */
export function drawError(
  reply: FastifyReply,
  { assets, isSandbox }: Pick<PageParts, 'assets' | 'isSandbox'>,
  { why, statusCode, field, callbackUrl }: PageError,
  { languages: wanted, url }: Pick<Browser, 'languages'> & { url: string },
) {
  const language = accepted(wanted)
  const { errors, errorField, toShopSite, toPage } = languages[language].texts
  const { title, about } = errors[why]
  const named = field !== undefined && html`<p class="quiet">${errorField(FIELD_FORM.test(field) ? field : '?')}</p>`
  const page = why === 'unknown' ? undefined : PAGE_ADDRESS.exec(url)?.[0]
  const again = page !== undefined && html`<p><a class="button second" href="${page}">${toPage}</a></p>`
  const { protocol, origin: site } = URL.parse(callbackUrl ?? '') ?? {}
  const isLinked = protocol === 'https:' || (isSandbox && protocol === 'http:') // docs/pages.md, "Safety"
  const back = isLinked && html`<p><a class="button second" href="${site}" target="_top" rel="noopener">${toShopSite}</a></p>`
  const body = alone(title, icons.ended, html`<p>${about}</p>`, named, again, back)
  return sendSheet(reply.code(statusCode), assets, { language, title, body, framedBy: ['*'], isFramed: true })
}
