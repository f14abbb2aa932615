// Addresses for payers' browsers, which answer with a page (docs/pages.md).

import type { Schema } from '../../api/kit/as-sent.ts'
import { pagePaths } from '../../interface/page-paths.ts'

const FORM = 'application/x-www-form-urlencoded'
const fields: Schema = { type: 'object', additionalProperties: { type: 'string' } }
const requestBody = { required: true, content: { [FORM]: { schema: fields } } }
const page = (type = 'text/html') => ({
  '200': { description: 'What the browser shows or runs.', content: { [type]: { schema: { type: 'string' } } } },
})
const ofPages = { tags: ['pages'], security: [] }
const onward = { '303': { description: 'The browser goes to the payment page.' } }

interface PageLine {
  method: 'get' | 'post'
  summary: string
  type?: string
  isOnward?: true
  /** The effect of a GET whose query has the form's fields. */
  byQuery?: string
}
/** By the names of interface/page-paths.ts. A form that pays has the path of Process Transaction, so `payByForm` is described there. */
const LINES: Readonly<Record<Exclude<keyof typeof pagePaths, 'payByForm'>, PageLine>> = {
  showPaymentPage: { method: 'post', summary: 'Show the payment page of an order, by its transaction token', isOnward: true },
  orderForms: {
    method: 'post',
    summary: "Make an order of a shop's signed form, and show its payment page",
    isOnward: true,
    byQuery: "Show what a shop's signed form asks for, and post it from there",
  },
  orderPay: { method: 'post', summary: 'Pay an order, or agree to a subscription, by a token and a way to pay', isOnward: true },
  upiPollPage: { method: 'post', summary: 'Wait until the payer has approved in an app', isOnward: true },
  callbackPage: { method: 'post', summary: 'Lead the payer back to an app without a server' },
  checkoutScript: { method: 'get', summary: "Load the script of a shop's page", type: 'text/javascript' },
  frame: { method: 'get', summary: 'Show the content of a frame before there is a payment page' },
}

export function pageItems(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(LINES).flatMap(([name, { method, summary, type, isOnward, byQuery }]) => {
      const paths = [pagePaths[name as keyof typeof LINES]].flat() as readonly string[]
      return paths.map((path, at) => {
        const inPath = [...path.matchAll(/:(\w+)/g)].map(([, named]) => ({
          name: named,
          in: 'path',
          required: true,
          schema: { type: 'string' },
        }))
        const operationId = at === 0 ? name : `${name}${at + 1}`
        const alias = at > 0 && { 'x-alias-of': paths[0] }
        const operation = {
          ...{ operationId, summary, ...ofPages },
          ...(inPath.length > 0 && { parameters: inPath }),
          ...(method === 'post' && { requestBody }),
          responses: { ...page(type), ...(isOnward && onward) },
          ...alias,
        }
        const get = byQuery && {
          ...{ operationId: `${operationId}ByGet`, summary: byQuery, ...ofPages },
          parameters: [{ name: 'fields', in: 'query', required: true, schema: fields }],
          responses: page(),
          ...alias,
        }
        return [path.replace(/:(\w+)/g, '{$1}'), { [method]: operation, ...(get && { get }) }] as const
      })
    }),
  )
}
/** A form that pays, described beside the JSON of Process Transaction. */
export const payByForm = { content: { [FORM]: { schema: fields } }, responses: onward }
