// A payer on the page of their mandate, by the link of a message and the code that the service sends.

import assert from 'node:assert/strict'
import { type MandateActionName, mandateVersionOf } from '../../../src/pages/mandate/forms.ts'
import { mandatePageStateOf } from '../../../src/pages/mandate/page-state.ts'
import { rupees } from '../mandates/scenario.ts'
import { consented, moveTo } from '../mandates/timeline.ts'
import type { Service } from '../run/service.ts'
import { changeWorld, inbox } from '../signin/signin.ts'
import { signIn } from '../signin/tokens.ts'
import { AGENT, ask, goesTo, Visitor } from './pages.ts'

export interface Agreed {
  subscriptionId: string
  orderId: string
  mobile: string
}

const MONTHLY = {
  ...{ txnAmount: rupees('1.00'), renewalAmount: '20000.00', subscriptionGraceDays: '2', subscriptionRetryCount: '2' },
  ...{ subscriptionEnableRetry: '1', communicationManager: true },
}
/** Due on 5 December of the year, until 5 February of the next. */
const datesOf = (year: number) => ({ subscriptionStartDate: `${year}-12-05`, subscriptionExpiryDate: `${year + 1}-02-05` })

/** A wallet's mandate of ₹20,000 a month, agreed on 21 November. */
export async function walletMandate(service: Service, orderId: string, mobile: string, year: number, more: object = {}): Promise<Agreed> {
  await changeWorld(service, { customers: [{ mobile, walletBalance: '70000.00' }] })
  await moveTo(service, `${year}-11-21 11:00:00`)
  const { ssoToken } = await signIn(service, mobile)
  const userInfo = { custId: orderId, svcSsoToken: ssoToken }
  const terms = { ...MONTHLY, ...datesOf(year), subscriptionPaymentMode: 'PPI', byWallet: true, userInfo, ...more }
  const { subscriptionId } = await consented(service, orderId, terms)
  return { subscriptionId, orderId, mobile }
}

/** As `walletMandate`, by UPI and of ₹499 a month unless `more` says otherwise. */
export async function upiMandate(service: Service, orderId: string, mobile: string, year: number, more: object = {}): Promise<Agreed> {
  await moveTo(service, `${year}-11-21 11:00:00`)
  const terms = { ...MONTHLY, renewalAmount: '499.00', ...datesOf(year), userInfo: { custId: orderId, mobile }, ...more }
  const { subscriptionId } = await consented(service, orderId, terms)
  return { subscriptionId, orderId, mobile }
}

const LINK = /\/m\/[A-Za-z0-9_-]{22}(?![A-Za-z0-9_-])/
export async function linkOf(service: Service, { mobile }: Pick<Agreed, 'mobile'>, kind = 'mandate-created'): Promise<string> {
  const message = (await inbox(service, mobile)).find((one) => one.kind === kind)
  const link = LINK.exec(message?.text ?? '')?.[0]
  assert.ok(link, `no link in ${message?.text}`)
  return link
}

/** Runs `work`, which has a code sent, and returns the code of that message. */
export async function codeFrom(service: Service, mobile: string, work: () => Promise<unknown>): Promise<{ otp: string; text: string }> {
  const before = new Set((await inbox(service, mobile)).map(({ text }) => text))
  await work()
  const sent = (await inbox(service, mobile)).filter(({ kind, text }) => kind === 'otp' && !before.has(text))
  assert.equal(sent.length, 1, `${sent.length} codes`)
  return sent[0]!
}

/** A page that waits for its code, and that code. */
export async function askedFor(service: Service, agreed: Agreed): Promise<{ visitor: Visitor; otp: string; text: string }> {
  const link = await linkOf(service, agreed)
  let page = ''
  const sent = await codeFrom(service, agreed.mobile, async () => {
    page = goesTo(await ask(service, `${link}/code`, { language: 'en' }))
  })
  return { visitor: new Visitor(service, page), ...sent }
}

export async function opened(service: Service, agreed: Agreed): Promise<Visitor> {
  const { visitor, otp } = await askedFor(service, agreed)
  const shown = await visitor.send('/open', { code: otp })
  assert.equal(shown.status, 200, shown.text)
  return visitor
}

/** A form as the page would draw it now, even one that it does not show. */
export async function formNow({ service, page }: Visitor, act: MandateActionName, of?: string): Promise<Record<string, string>> {
  const seen = await mandatePageStateOf(service.ports, page.slice('/mandate/'.length), { agent: AGENT, languages: '' })
  return { ...(of !== undefined && { of }), version: mandateVersionOf(seen, act, of) }
}

/** Presses the button that has a code sent for the waiting request, and types the code. */
export async function approve(visitor: Visitor, mobile: string): Promise<string> {
  const { otp } = await codeFrom(visitor.service, mobile, () => visitor.send('/approve'))
  return (await visitor.send('/approve/code', { code: otp })).text
}
