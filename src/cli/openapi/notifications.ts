// What the service sends by itself: notifications, and the fields that the payer's browser brings back (docs/interface.md section 6).

import { classicSpellings } from '../../adapters/delivery/classic-form.ts'
import type { Schema } from '../../api/kit/as-sent.ts'
import { callback } from '../../api/transaction/callback-form.ts'
import { inDocument } from './schemas.ts'
import type { InterfacePage } from './texts.ts'

const text: Schema = { type: 'string' }
const strings = (names: readonly string[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
})

const header = (name: string, description: string) => ({ name, in: 'header', required: true, description, schema: text })
const HEADERS = [
  header('webhook-id', "The notification's id, the same in every attempt."),
  header('webhook-timestamp', 'Epoch seconds of this attempt.'),
  header(
    'webhook-signature',
    '`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`. The key is the secret without `whsec_`, decoded from base64.',
  ),
]
const TAKEN = { '2XX': { description: 'Accepted. The service retries after any other status.' } }

const FORM = 'application/x-www-form-urlencoded'
const signedMap = { over: 'the other fields', bytes: 'their values', rule: 'map', in: '/CHECKSUMHASH' }

export function webhooks(): object {
  const json: Schema = {
    type: 'object',
    required: ['head', 'body'],
    properties: { head: strings(['signature']), body: { $ref: '#/components/schemas/Notification' } },
  }
  return {
    notification: {
      post: {
        operationId: 'notification',
        summary: "Something has happened to an order, a refund or a subscription of the merchant's",
        description:
          'Docs/interface.md section 6. Sent to the merchant’s endpoint, in the JSON or the classic form, as the merchant’s setting says.',
        security: [],
        parameters: HEADERS,
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: json, 'x-signature': { over: '/body', bytes: 'as sent', rule: 'text', in: '/head/signature' } },
            [FORM]: { schema: { $ref: '#/components/schemas/ClassicNotification' }, 'x-signature': signedMap },
          },
        },
        responses: TAKEN,
      },
    },
  }
}

/** Members that only the classic form has. */
const CLASSIC_DATES = { money: ['TXNDATE', 'TXNDATETIME'], subscription: [], notice: ['TXNDATE', 'NOTIFICATIONDATE'] } as const
const CLASSIC_TITLES = {
  money: 'A payment, a refund or a debit of a mandate',
  subscription: 'The state of a subscription',
  notice: 'A notice to the payer about a coming debit',
} as const

export function notificationSchemas({ notification }: InterfacePage): Readonly<Record<string, Schema>> {
  const kinds = Object.keys(CLASSIC_TITLES) as (keyof typeof CLASSIC_TITLES)[]
  const classic = kinds.map((kind) => {
    const named = Object.entries(classicSpellings[kind]).filter(([name]) => notification.includes(name))
    return { title: CLASSIC_TITLES[kind], ...strings([...named.map(([, field]) => field), ...CLASSIC_DATES[kind], 'CHECKSUMHASH']) }
  })
  return {
    Notification: { title: 'A notification in the JSON form', ...strings(notification) },
    ClassicNotification: { title: 'A notification in the classic form', anyOf: classic },
    Callback: { title: 'The fields that the browser brings to callbackUrl', ...inDocument(callback) },
  }
}

const sentTo = (name: string, schema: string, summary: string, status: object) => ({
  [name]: {
    [`{$request.body#/body/${name}}`]: {
      post: {
        summary,
        security: [],
        requestBody: {
          required: true,
          content: { [FORM]: { schema: { $ref: `#/components/schemas/${schema}` }, 'x-signature': signedMap } },
        },
        responses: status,
      },
    },
  },
})

/** The callbacks of an operation whose body names the addresses. */
export const callbacksOf = (members: Readonly<Record<string, unknown>>): object => ({
  ...('callbackUrl' in members &&
    sentTo('callbackUrl', 'Callback', "The payer's browser comes back from paying", { '200': { description: 'A page for the payer.' } })),
  ...('peonUrl' in members && sentTo('peonUrl', 'ClassicNotification', 'The notification of a transaction of this order', TAKEN)),
})
