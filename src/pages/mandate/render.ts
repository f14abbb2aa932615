// What a payer's mandate page shows: docs/pages.md, "The mandate page". Until its code has opened it, a page shows only the merchant's
// name.

import type { FastifyReply } from 'fastify'
import { mayExtend } from '../../domain/subscription/payer-page/mandate-page.ts'
import { type Html, html, type Part } from '../html.ts'
import { clockTime } from '../kit/amounts.ts'
import { type Sheet, sendSheet } from '../kit/document.ts'
import type { FieldFault } from '../kit/fields.ts'
import { icons } from '../kit/icons.ts'
import { isSoon, languageChoice, languageForm, notice, panel, shopOf, soonOf } from '../kit/layout.ts'
import type { PageParts } from '../kit/page-parts.ts'
import { linkDrawerSubject, mandateDrawerSubject } from './drawer-subject.ts'
import { actionForm, versionField } from './forms.ts'
import { type MandateMessage, type Said, textOf } from './messages.ts'
import { type LinkState, type MandatePageState, mandateStageOf } from './page-state.ts'
import { actionsCard, approvalCard, askedSheet, codeField, debitsCard, mandateTerms, nextOf, stateOf } from './sections.ts'

/** Acts that need a confirmation first, because they cannot be undone. */
export const ASKS = ['stop', 'skip'] as const
export type Ask = (typeof ASKS)[number]

export interface MandateAsked {
  fault?: FieldFault
  message?: MandateMessage | undefined
  asks?: Ask | undefined
}

// ----------------------------------------------------------------------------------------------------------------- link

/** Shows the merchant's name and nothing else of the mandate: the holder of the link may be anyone. */
export async function renderLinkPage(reply: FastifyReply, parts: PageParts, seen: LinkState, refused?: string) {
  return sendSheet(reply, parts.assets, {
    ...linkSheet(parts.signIn, seen, refused),
    drawer: await parts.drawer?.(linkDrawerSubject(seen)),
  })
}

export function linkSheet({ canSend }: Pick<PageParts['signIn'], 'canSend'>, seen: LinkState, refused: string | undefined): Sheet {
  const { texts, merchant, language, linkId } = seen
  const { link } = texts.payer
  const choose = html`<form class="language" method="get" action="/m/${linkId}">${languageChoice(texts, language)}</form>`
  const send = html`<form method="post" action="/m/${linkId}/code" class="stack"><input type="hidden" name="language" value="${language}"><button>${link.send}</button></form><p class="quiet">${link.sendAbout}</p>`
  const main = panel(
    texts.payer.title(merchant.name),
    refused !== undefined && notice(refused, 'bad'),
    html`<p>${link.about(merchant.name)}</p>`,
    canSend ? send : notice(link.cannot, 'wait'),
  )
  const body = html`<main class="sheet alone">${main}<footer class="foot">${choose}</footer></main>`
  return { language, title: texts.payer.title(merchant.name), body }
}

// ----------------------------------------------------------------------------------------------------------------- page

export async function renderMandatePage(reply: FastifyReply, parts: PageParts, seen: MandatePageState, asked: MandateAsked = {}) {
  return sendSheet(reply, parts.assets, { ...mandateSheet(parts, seen, asked), drawer: await parts.drawer?.(mandateDrawerSubject(seen)) })
}

export function mandateSheet(
  { grievanceUrl }: Pick<PageParts, 'grievanceUrl'>,
  seen: MandatePageState,
  { fault, message, asks }: MandateAsked,
): Sheet {
  const { texts } = seen
  const stage = mandateStageOf(seen)
  switch (stage) {
    case 'over': {
      const { title, about } = texts.payer.over
      return around(seen, title, panel(title, icons.ended, html`<p>${about}</p>`))
    }
    case 'code':
      return around(seen, texts.payer.code.heading, codePanel(seen, fault, message?.said))
    case 'open': {
      const sure = asks && askedSheet(seen, asks)
      if (sure) return around(seen, sure.heading, sure.main, { side: true })
      const state = panel(texts.payer.title(seen.merchant.name), message && noticeOf(seen, message), html`<p>${stateOf(seen)}</p>`)
      const main = [state, approvalCard(seen, fault), actionsCard(seen), mandateTerms(seen), debitsCard(seen, grievanceUrl)]
      return around(seen, undefined, main, { side: true })
    }
    default:
      return stage satisfies never
  }
}

function noticeOf(seen: MandatePageState, message: MandateMessage): Part {
  const text = textOf(seen, message)
  return text !== undefined && notice(text, message.said === 'changed' || message.said === 'stale' ? 'wait' : 'good')
}

function codePanel(seen: MandatePageState, fault: FieldFault | undefined, said: Said | undefined): Html {
  const { texts } = seen
  const { code } = texts.payer
  return panel(
    code.heading,
    said === 'sent' && notice(code.sent, 'good'),
    said === 'stale' && notice(texts.payer.said.stale, 'wait'),
    html`<p>${code.about}</p>`,
    actionForm(seen, 'open', html`${codeField(texts, fault)}<button>${code.open}</button>`, { isStack: true }),
    actionForm(seen, 'resend', html`<button class="plain">${texts.sendAgain}</button>`),
  )
}

function around(seen: MandatePageState, heading: string | undefined, main: Part, { side = false } = {}): Sheet {
  const { texts, merchant, language } = seen
  const title = texts.payer.title(merchant.name)
  return {
    language,
    title: heading === undefined ? title : `${heading} · ${merchant.name}`,
    body: html`<main class="sheet${!side && ' alone'}" data-stage="mandate-${mandateStageOf(seen)}">${side && sideOf(seen)}<div class="work">${main}</div>${footOf(seen)}</main>`,
  }
}

function sideOf(seen: MandatePageState): Html {
  const { texts, merchant, subscription } = seen
  const { amount, says } = nextOf(seen)
  return html`<section class="side" aria-label="${texts.payer.side}">${shopOf(merchant, texts.payer.mandate, subscription.subscriptionId)}<div class="card total"><p class="quiet">${texts.payer.next}</p><p class="amount">${amount}</p>${says.map((each) => html`<p>${each}</p>`)}</div></section>`
}

function footOf(seen: MandatePageState): Html {
  const { texts, page, now } = seen
  const stage = mandateStageOf(seen)
  const more = mayExtend(page, now) && actionForm(seen, 'more-time', html`<button class="plain">${texts.time.more}</button>`)
  const time = html`<div class="time" data-until="${page.until}" data-now="${now}">${soonOf(texts.time, isSoon(page.until, now))} <span>${texts.time.left(html`<time datetime="${new Date(page.until).toISOString()}">${clockTime(page.until, seen.language)}</time>`)}</span>${more}</div>`
  return html`<footer class="foot">${stage === 'open' && time}${stage !== 'over' && languageForm(seen, versionField(seen, 'language'))}</footer>`
}
