// The texts of the error page, in English.

import { type Html, html, type Part } from '../../html.ts'

type Text = string

export const errorsEn = {
  errorField: (field: Part): Html => html`For the shop: ${field} is missing or wrong.`,
  errorHints: {
    subscribe: 'For the shop: a form cannot begin a subscription. Begin it by Initiate Subscription, and open its page with the token.',
  },
  /** A field in the sentences below, by its name as sent. */
  formField: (name: Part): Html => html`the field ${name}`,
  formFieldUnnamed: 'a field without a name',
  /** Why a form cannot be read. */
  formFaults: {
    type: (came: Part): Html => html`It came as ${came}. Send it as application/x-www-form-urlencoded.`,
    otherType: 'another type',
    noType: 'It came without a content type. Send it as application/x-www-form-urlencoded.',
    fields: (most: number): Text => `It has more than ${most} fields.`,
    twice: (field: Part): Html => html`It has ${field} twice.`,
    long: (kib: number): Text => `It is longer than ${kib} KiB.`,
    escape: (field: Part): Html => html`A % escape in ${field} is invalid. Encode texts as UTF-8, and % itself as %25.`,
    nul: (field: Part): Html => html`The character U+0000 is in ${field}.`,
    encoding: 'Its text is not UTF-8.',
    foreign: 'It came from a page of another site. Open its own page, and send it from there.',
  },
  errors: {
    taken: {
      title: 'This order already exists',
      about: 'The shop has used this order number before. Go back to the shop and start again. Nothing was taken.',
    },
    wrong: {
      title: 'This page cannot be opened',
      about: 'Something is missing in the address or the form that brought you here. Nothing was taken.',
    },
    unknown: { title: 'Page not found', about: 'The address is wrong, or the page no longer exists. Opening it has taken nothing.' },
    over: {
      title: 'This page has expired',
      about: 'For your safety it stays open for a short time only. Go back to the shop, and check your order before you pay again.',
    },
    busy: { title: 'Too many requests', about: 'Please wait a minute and try again.' },
    form: { title: 'This form cannot be read', about: 'Go back, open the page again and send the form once more. Nothing was taken.' },
    method: {
      title: 'This address takes a form',
      about: 'A shop sends its payers here by a form with the method POST. Go back to the shop and start again. Nothing was taken.',
    },
    system: {
      title: 'Something went wrong on our side',
      about: 'Please try again. If you were paying, check your order at the shop before you pay again.',
    },
    framed: { title: 'This shop’s page may not show the payment here', about: 'The shop has to name its site first.' },
  },
}
