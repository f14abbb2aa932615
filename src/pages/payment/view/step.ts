// An attempt under way, with one view for each step that the payer may have to do next: docs/pages.md, "State". Every view has its ways
// out: check now, go back to the shop, or pay another way unless the bank refused to cancel this attempt.

import { bankFormOf, type Transaction } from '../../../domain/transaction/transaction.ts'
import { formatRupees } from '../../kit/amounts.ts'
import type { PayingBy } from '../../kit/messages/steps-en.ts'
import type { FoundPage } from '../found/found.ts'
import { showsTyped } from '../found/page-state.ts'
import type { PageAsked } from './asked.ts'
import type { DoubtView, NoticeView, StepView, UpiView } from './page-view.ts'
import { appLinks, payeeIn, phoneOf, UPI_LINK } from './upi-apps.ts'
import { doubtOf, payingBy, waitingFor, whomToAsk } from './why-failed.ts'

interface Step extends FoundPage {
  transaction: Transaction
  asked: PageAsked
  by: PayingBy
}

export function stepOf(
  found: FoundPage,
  transaction: Transaction,
  asked: PageAsked,
): { main: StepView; notices: readonly NoticeView[]; doubt?: DoubtView } {
  const { texts } = found
  const step: Step = { ...found, transaction, asked, by: payingBy(transaction) }
  const next = nextOf(step)
  const isInApp = next.step === 'upi' || next.step === 'collect'
  const check = isInApp ? texts.waiting.checkPaid(step.by) : texts.waiting.check
  const main = { kind: 'step', ...next, attempt: transaction.attempt, ...waysOut(step, check) } as const
  if (main.step !== 'waiting') return { main, notices: noticesOf(step, texts.another.complete) }
  const isDoubted = transaction.status === 'UNKNOWN' && transaction.bankPaise > 0
  const safe = isDoubted && !transaction.isCancelRefused && { isSafe: texts.waiting.anotherIsSafe(step.by) }
  return {
    main: { ...main, check, ...safe },
    notices: noticesOf(step, texts.another.wait),
    doubt: isDoubted ? doubtOf(found, transaction) : { ids: [], ask: whomToAsk(found.merchant) },
  }
}

type Next = Pick<StepView, 'step' | 'heading' | 'says' | 'waits' | 'fault' | 'submit' | 'bank' | 'upi'>

function nextOf(step: Step): Next {
  const { texts, transaction, asked, by } = step
  const { next, status } = transaction
  if (status === 'UNKNOWN' || next === null || next === undefined)
    return { step: 'waiting', heading: texts.waiting.heading(by), waits: waitingFor(texts, transaction) }
  switch (next.kind) {
    case 'otp': {
      const { heading, about, submit, submitAndPay } = texts.otp
      const says = by.isConsent ? submit : submitAndPay(formatRupees(transaction.bankPaise))
      return { step: 'otp', heading: heading(by), says: about(by), submit: says, ...(asked.fault && { fault: asked.fault }) }
    }
    case 'bankForm': {
      const { heading, about } = texts.bankPage
      const bank = bankOf(step, next)
      return { step: 'bank', heading: heading(by), says: about(by), ...(bank && { bank }) }
    }
    case 'deepLink':
      if (!UPI_LINK.test(next.deepLink)) break
      return {
        step: 'upi',
        heading: texts.upiWaiting.heading(by),
        waits: texts.upiWaiting.waiting,
        upi: upiOf(step, next.deepLink),
      }
    case 'collect':
      break
    default:
      return next satisfies never
  }
  // The bank asks the payer in an app that this page cannot open.
  const { vpa } = transaction.instrument
  const says = by.way === 'upi' && vpa && showsTyped(step) ? texts.collect.sentTo(vpa) : texts.collect.about(by)
  return { step: 'collect', heading: texts.collect.heading(by), says, waits: texts.upiWaiting.waiting }
}

function noticesOf({ texts, transaction, asked: { fault, message }, by }: Step, says: string): readonly NoticeView[] {
  // Says why no other way is offered, and what to do. The notice stays on every page of the order, even after a reload, until the bank
  // decides.
  const refused: NoticeView[] = transaction.isCancelRefused ? [{ says: `${texts.another.refused(by)} ${says}`, tone: 'bad' }] : []
  if (fault) return [{ says: fault.message, tone: 'bad', field: fault.field }, ...refused]
  const waits = (text: string): readonly NoticeView[] => [{ says: text, tone: 'wait' }, ...refused]
  switch (message) {
    case undefined:
    case 'removed':
      return refused
    case 'checked':
      return waits(texts.waiting.checked)
    case 'often':
      return waits(texts.waiting.checkedOften(by))
    case 'lost':
      return waits(texts.another.lost(by))
    case 'resent':
      return waits(texts.otp.resent(by))
    default:
      return message satisfies never
  }
}

/**
 * A payer with a code to type has no check, because they confirm the code. Once the bank has refused to cancel, only the check remains,
 * even with a code to type.
 */
function waysOut({ texts, transaction, by }: Step, check: string): Pick<StepView, 'check' | 'cancel'> {
  const { isCancelRefused, next, status } = transaction
  const isCode = status !== 'UNKNOWN' && next?.kind === 'otp'
  return {
    ...((!isCode || isCancelRefused) && { check }),
    ...(!isCancelRefused && { cancel: texts.another.button(by) }),
  }
}

function bankOf(step: Step, next: Parameters<typeof bankFormOf>[0]): StepView['bank'] {
  const { texts, reference, page, transaction, asked, by } = step
  if (!/^https?:\/\//.test(next.actionUrl)) return undefined
  const { actionUrl, content } = bankFormOf(next, transaction, '')
  const { bankPage } = texts
  const name = reference.bank(transaction.instrument.bank ?? '')?.name
  // The script sends no payer to the bank twice: not after coming back from it, a refused cancel, or opening another page.
  const isFirst = transaction.initiatedAt >= page.openedAt
  const isAuto = isFirst && asked.message === undefined && asked.fault === undefined && !transaction.isCancelRefused
  return { url: actionUrl, fields: content, button: name === undefined ? bankPage.go(by) : bankPage.goTo(name), isAuto }
}

function upiOf(step: Step, deepLink: string): UpiView {
  const { texts, browser, merchant, order, site, transaction, by } = step
  const { upiWaiting } = texts
  const amount = formatRupees(transaction.bankPaise) // as in the link: the app does not take the wallet's part
  const payee = payeeIn(deepLink) ?? merchant.name
  const mobile = step.payer?.mobile ?? order.details.userInfo['mobile'] ?? 'none'
  const phone = phoneOf(browser.agent)
  const apps = appLinks(deepLink, phone).map(({ name, href }, nth) => ({
    ...{ name, href },
    says: name ?? (nth === 0 ? upiWaiting.openApp : upiWaiting.openOther),
  }))
  return {
    link: deepLink,
    isPhone: phone !== 'none',
    apps,
    label: upiWaiting.qrLabel(by, amount, payee),
    steps: upiWaiting.steps(by, payee, amount),
    // No app takes the sandbox's links. The sandbox's own phone does (docs/sandbox.md).
    ...(site.hasPhone && { sandboxPhone: `/sandbox/phone/${mobile}?${new URLSearchParams({ code: deepLink })}` }),
  }
}
