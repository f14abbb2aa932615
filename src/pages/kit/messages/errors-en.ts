// What a page says where nothing can be shown, in English.

import { type Html, html } from '../../html.ts'

export const errorsEn = {
  errorField: (field: Html): Html => html`For the shop: the field ${field} is missing or wrong.`,
  errorHints: {
    subscribe: 'For the shop: a form cannot begin a subscription. Begin it by Initiate Subscription, and open its page with the token.',
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
    form: { title: 'This form cannot be read', about: 'It has too many fields, a field twice, or is too long. Nothing was taken.' },
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
