// The view of a payment page: docs/pages.md, "State". Pure: the time is `found.now`, and all rows have been read.

import { mayExtend } from '../../../domain/payment-page/page.ts'
import { isInFlight } from '../../../domain/transaction/transaction.ts'
import { formats } from '../../../interface/fields.ts'
import { formatRupees } from '../../kit/amounts.ts'
import { isSoon } from '../../kit/layout.ts'
import type { FoundPage, Site } from '../found/found.ts'
import { framersOf, misfitOf, pageVersionOf } from '../found/page-state.ts'
import type { PageAsked } from './asked.ts'
import { cardName } from './card-panels.ts'
import { endOf, onwardOf, overOf } from './end.ts'
import { pageActionsOf } from './page-actions.ts'
import type { AsksView, BackView, PageView } from './page-view.ts'
import { aboveChoices, choicesOf, failedFields } from './panels.ts'
import { stepOf } from './step.ts'
import { offerOf, totalOf } from './total.ts'
import type { Choosing } from './ways.ts'
import { isLinkLeft, isMoneyAbout, ofMoney, payingBy, whomToAsk } from './why-failed.ts'

export function viewOf(found: FoundPage, asked: PageAsked = {}): PageView {
  assertFits(found)
  const { page, order, merchant, texts, now, language, address, payerMark, options, latest, site, stage } = found
  const { shop } = page.view
  const { main, notices = [], doubt, isAuto = false } = mainOf(found, asked)
  const isOpen = stage !== 'paid' && stage !== 'closed' && stage !== 'over'
  const back = backOf(found, main, isAuto)
  const title = titleOf(found, asked, main)
  const offer = main.kind === 'choices' ? offerOf(found) : undefined
  const leaving = stage === 'choices' && `${texts.cancel.about} ${ofMoney(found) ?? texts.cancel.nothingTaken}`
  const closing = shop !== undefined && order.status === 'IN_PROCESS' && latest && texts.mayStill(payingBy(latest))
  return {
    stage,
    version: pageVersionOf(found),
    texts,
    page: {
      address,
      ...(options?.mobile !== undefined && { payerMark }),
      language,
      title: title === undefined ? texts.title(formatRupees(order.amountPaise), merchant.name) : `${title} · ${merchant.name}`,
      framedBy: framersOf(merchant, order, site.isSandbox),
      isFramed: page.kind === 'framed',
      formAction: [
        ...(back && back.url !== null ? originOf(back.url, site) : []),
        ...(main.kind === 'step' && main.step === 'bank' ? anyHost(site) : []),
      ],
    },
    shop: {
      name: merchant.name,
      orderId: order.orderId,
      ...(shop && { held: { by: shop.held, origin: page.embeddingOrigin ?? '', handler: shop.handler === true } }),
    },
    total: totalOf(found, main),
    ...(offer && { offer }),
    ...(isOpen && { time: { until: page.until, now, mayExtend: mayExtend(page, order, now), isSoon: isSoon(page.until, now) } }),
    notices,
    ...(doubt && { doubt }),
    main,
    actions: pageActionsOf(found),
    ...(leaving && { leaving }),
    ...(closing && { closing }),
    ...(main.kind === 'step' && asked.message && { message: asked.message }),
    ...(back && { back }),
  }
}

/** Throws when the rows contradict each other: no page is better than a wrong amount. The payer then reads that the page cannot be shown. */
function assertFits(found: FoundPage): void {
  const misfit = misfitOf(found) ?? (found.options?.cards.some(({ scheme }) => !scheme) ? 'a kept card has no scheme' : undefined)
  if (misfit !== undefined) throw new Error(`the rows of a payment page do not fit each other: ${misfit}`)
}

type Main = Pick<PageView, 'main' | 'doubt'> & Partial<Pick<PageView, 'notices'>> & { isAuto?: boolean }

function mainOf(found: FoundPage, asked: PageAsked): Main {
  const { order, latest, merchant, stage } = found
  if (asked.isToShop && latest && isInFlight(latest) && order.callbackUrl !== null) return { main: onwardOf(found, latest), isAuto: true }
  const doubt = isMoneyAbout(found) ? { doubt: { ids: [], ask: whomToAsk(merchant) } } : {}
  switch (stage) {
    case 'over':
      return { main: overOf(found), ...doubt, isAuto: asked.isToShop === true }
    case 'paid':
      return { main: endOf(found), isAuto: true }
    case 'closed':
      return { main: endOf(found), ...doubt, isAuto: true }
    case 'choices': {
      const asks = asksOf(found, asked)
      if (asks) return { main: asks }
      const choosing: Choosing = {
        ...found,
        options: found.options!,
        asked: { ...asked, typed: { ...failedFields(found), ...asked.typed } },
      }
      return { main: choicesOf(choosing), ...aboveChoices(choosing) }
    }
    case 'otp':
    case 'bank':
    case 'upi':
    case 'collect':
    case 'waiting':
      return stepOf(found, latest!, asked)
    default:
      return stage satisfies never
  }
}

/** Asked before the payer closes the order, or removes a card and so has to type its number in again. */
function asksOf(found: FoundPage, { leaves, removes }: PageAsked): AsksView | undefined {
  const { texts } = found
  if (leaves) return { kind: 'asks', what: 'leave', heading: texts.cancel.heading }
  return (
    removes && {
      ...{ kind: 'asks', what: 'removeCard', heading: texts.removeCard.heading },
      ...{ id: removes.id, says: texts.removeCard.about(cardName(found, removes), found.merchant.name) },
    }
  )
}

/** A page with something to mend says so in its title. A payer who left a link has nothing to mend. */
function titleOf({ texts, latest }: FoundPage, { fault }: PageAsked, main: PageView['main']): string | undefined {
  if (main.kind !== 'choices') return main.heading
  if (fault) return texts.toMend
  return latest?.status === 'FAILURE' && !isLinkLeft(latest) ? texts.notThrough(payingBy(latest)) : undefined
}

function backOf({ back, texts, merchant }: FoundPage, { kind }: PageView['main'], isAuto: boolean): BackView | undefined {
  const says = kind === 'step' ? texts.waiting.back : texts.result.toShop
  return back && { ...back, isAuto, button: says(merchant.name) }
}

const anyHost = ({ isSandbox }: Pick<Site, 'isSandbox'>): readonly string[] => ['https:', ...(isSandbox ? ['http:'] : [])]

/**
 * Browsers check a form's redirects against `form-action` too. Shops redirect a visitor of the callback to their other hosts, so `anyHost`
 * is added.
 */
export function originOf(url: string, site: Pick<Site, 'isSandbox'>): readonly string[] {
  const own = formats.callbackUrl(url) ? [new URL(url).origin] : [] // a host of another form could be misread in a header
  return [...own, ...anyHost(site)]
}
