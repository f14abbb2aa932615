// A payment page as a browser without script uses it: forms are read from the HTML, filled in and sent.

import { pagePaths } from '../../../src/interface/page-paths.ts'
import { createOrder, type Order } from '../paying/paying.ts'
import { MID, type Service } from '../run/service.ts'

export interface Answered {
  status: number
  headers: Headers
  text: string
}

export interface PageForm {
  method: string
  action: string
  fields: Record<string, string>
  button: string
  /** The line below the button: why less may be taken. */
  less?: string
}

export const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) test'

/** Follows no redirect, so the test sees where an answer sends the browser. */
export async function ask(
  service: Pick<Service, 'url'>,
  path: string,
  form?: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(path.startsWith('http') ? path : service.url + path, {
    redirect: 'manual',
    headers: { 'user-agent': AGENT, ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }), ...headers },
    ...(form !== undefined && { method: 'POST', body: typeof form === 'string' ? form : new URLSearchParams(form).toString() }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

export const goesTo = ({ status, headers }: Answered): string => {
  if (status !== 303) throw new Error(`no redirect but ${status}`)
  return headers.get('location')!
}

export const openPage = async (service: Service, { orderId, txnToken }: Order, more: Record<string, string> = {}): Promise<string> =>
  goesTo(await ask(service, `${pagePaths.showPaymentPage}?mid=${MID}&orderId=${orderId}`, { mid: MID, orderId, txnToken, ...more }))

export async function newPage(service: Service, orderId: string, more: object = {}): Promise<{ order: Order; page: string }> {
  const order = await createOrder(service, orderId, { callbackUrl: CALLBACK, ...more })
  return { order, page: await openPage(service, order) }
}
export const CALLBACK = 'https://shop.example/callback?at=1'

const unescaped = (text: string) => text.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)))
const attributesOf = (tag: string): Record<string, string> =>
  Object.fromEntries([...tag.matchAll(/\s([a-z-]+)(?:="([^"]*)")?/g)].map(([, name, value]) => [name!, unescaped(value ?? '')]))

/** The sandbox's drawer below a payer's page: docs/sandbox.md. Only the drawer names the sandbox's own cards and accounts. */
export const drawerIn = (html: string): string => DRAWER.exec(html)?.[0] ?? ''
/** The page as production would show it. */
export const withoutDrawer = (html: string): string => html.replace(DRAWER, '')
const DRAWER = /<aside class="sheet alone drawer".*?<\/aside>(?=<\/body>)/s

/** Every form of a page, with its hidden fields and its checked or chosen values. */
export function formsOf(html: string): PageForm[] {
  return [...withoutDrawer(html).matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, tag, inner]) => {
    const { method = 'get', action = '' } = attributesOf(tag!)
    const fields: Record<string, string> = {}
    for (const [, input] of inner!.matchAll(/<input([^>]*)>/g)) {
      const { type, name, value = '', ...flags } = attributesOf(input!)
      if ((type === 'radio' || type === 'checkbox') && !('checked' in flags)) continue
      fields[name!] = value
    }
    for (const [, name, options] of inner!.matchAll(/<select[^>]*\sname="([^"]*)"[^>]*>(.*?)<\/select>/gs))
      fields[name!] = unescaped(/<option value="([^"]*)"[^>]*\sselected/.exec(options!)?.[1] ?? '')
    const button = unescaped((/<button[^>]*>(.*?)<\/button>/s.exec(inner!)?.[1] ?? '').replace(/<[^>]*>/g, ''))
    const [, less] = /<p[^>]* data-less[^>]*>(.*?)<\/p>/s.exec(inner!) ?? []
    return { method, action, fields, button, ...(less !== undefined && { less: unescaped(less) }) }
  })
}

/** The form with these field values, as `{ panel: 'card' }`, or with an address that ends so. */
export function formOf(html: string, which: Record<string, string> | string): PageForm {
  const found = formsOf(html).find(({ action, fields }) =>
    typeof which === 'string' ? action.endsWith(which) : Object.entries(which).every(([name, value]) => fields[name] === value),
  )
  if (!found)
    throw new Error(
      `the page has no form ${JSON.stringify(which)}: ${formsOf(html)
        .map(({ action, fields }) => `${action} ${Object.keys(fields)}`)
        .join('; ')}`,
    )
  return found
}

export const CARD_FIELDS = { cardNumber: '4111 1111 1111 1111', expiry: '12/32', cvv: '123' }

/** The text of a page, without its tags. */
export const wordsOf = (html: string): string =>
  unescaped(
    withoutDrawer(html)
      .replace(/<style.*?<\/style>|<script.*?<\/script>/gs, '')
      .replace(/<[^>]+>/g, ' '),
  ).replace(/\s+/g, ' ')

/** A page's id is drawn, and may contain any few digits that a test looks for. */
export const withoutIds = (html: string): string => html.replace(/[0-9a-f]{32}/g, '')

export class Visitor {
  readonly service: Service
  readonly page: string
  last!: Answered

  constructor(service: Service, page: string) {
    this.service = service
    this.page = page
  }
  async look(query = ''): Promise<Answered> {
    this.last = await ask(this.service, this.page + query)
    return this.last
  }
  async follow(address: string): Promise<Answered> {
    this.last = await ask(this.service, address)
    while (this.last.status === 303) this.last = await ask(this.service, goesTo(this.last))
    return this.last
  }
  /** Fills in a form of the page, sends it, and follows the answer. */
  async send(which: Record<string, string> | string, typed: Record<string, string> = {}): Promise<Answered> {
    if (!this.last || this.last.status === 303) await this.look()
    const { action, fields } = formOf(this.last.text, which)
    this.last = await ask(this.service, action, { ...fields, ...typed })
    return this.last.status === 303 ? this.follow(goesTo(this.last)) : this.last
  }
}
