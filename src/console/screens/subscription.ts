// One subscription: its terms, its next debit, and its history with its cycles, the newest portion first.

import type { FastifyInstance } from 'fastify'
import { masked } from '../../domain/subscription/subscription-view.ts'
import { dateTimeInIndia } from '../../engine/clock.ts'
import { subscriptionPortion } from '../../flows/subscription-history.ts'
import { html } from '../../pages/html.ts'
import { formatRupees } from '../../pages/kit/amounts.ts'
import { openCollectionsOf } from '../../tables/keys.ts'
import { look, type Row } from '../../tables/tables.ts'
import { doneNotice } from '../kit/action-form.ts'
import { ConsoleError } from '../kit/console-error.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { CONSOLE, sendPage } from '../kit/sheet.ts'
import { orderAddress, stateOf, subscriptionAddress } from './addresses.ts'
import { mandateLinks } from './mandate-actions.ts'
import { addNote, noteForm } from './notes.ts'
import { isPayers } from './order.ts'
import { subscriptionPlaceOf, withSubscriptionPlace } from './places.ts'
import { auditItem, namesOf } from './timeline.ts'

const SUBSCRIPTION = `${CONSOLE}/subscriptions/:mid/:id`
type Named = { Params: { mid: string; id: string } }

async function found({ aside }: ConsoleParts, viewer: Viewer, mid: string, id: string): Promise<Row<'subscriptions'>> {
  const subscription = viewer.sees(mid) ? await aside.row(look('subscriptions', mid, id)) : undefined
  if (!subscription) throw new ConsoleError('unknown')
  return subscription
}

export function addSubscription(scope: FastifyInstance, parts: ConsoleParts) {
  const { aside, ports } = parts
  addNote(scope, parts, SUBSCRIPTION, async ({ viewer, params: { mid, id } }) => {
    await found(parts, viewer!, mid, id)
    return { mid, subject: `subscription:${id}`, at: subscriptionAddress(mid, id) }
  })
  scope.get<Named>(SUBSCRIPTION, { config: { admits: 'see' } }, async (request, reply) => {
    const { mid, id } = request.params
    const viewer = request.viewer!
    const subscription = await found(parts, viewer, mid, id)
    const place = subscriptionPlaceOf(request.query)
    const [cycles, { events, audited, older }] = await Promise.all([
      aside.rows(openCollectionsOf(mid, id)),
      subscriptionPortion(aside, mid, id, place),
    ])
    const title = html`<div class="title"><div><p class="quiet"><bdi>${mid}</bdi> · subscription <bdi>${id}</bdi></p><h1>${formatRupees(subscription.maxAmountPaise)} ${stateOf(subscription.status)}</h1></div><div class="acts">${mandateLinks(viewer, subscription, ports.clock.now())}</div></div>${doneNotice(request.query)}`
    const next = cycles.map(
      ({ dueDate, status, amountPaise, nextAt }) =>
        html`<li>${dueDate}: ${status.toLowerCase()}${amountPaise !== null && html`, ${formatRupees(amountPaise)}`}${nextAt !== null && html`; next check at ${dateTimeInIndia(nextAt)} (IST)`}</li>`,
    )
    const at = subscriptionAddress(mid, id)
    const goOn = older && html`<a class="button second" href="${withSubscriptionPlace(at, older)}" rel="next">Older</a>`
    const nameOf = await namesOf(
      aside,
      audited.map(({ operatorId }) => operatorId),
    )
    const lines = [
      ...events.map((event) => ({ at: event.at, line: lineOf(mid, event) })),
      ...audited.map((row) => ({ at: row.at, line: auditItem(row, nameOf) })),
    ]
    const newest = (place.dueDate ?? place.version ?? place.auditId) !== undefined && html`<a class="button second" href="${at}">Newest</a>`
    const body = html`${title}<dl class="facts card">${factsOf(subscription).map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl><section class="card"><h2>Open cycles</h2>${next.length > 0 ? html`<ul>${next}</ul>` : html`<p>None.</p>`}</section><section class="card"><h2>What happened</h2>${(goOn || newest) && html`<p>${goOn} ${newest}</p>`}<ol class="line">${lines.sort((a, b) => a.at - b.at).map(({ line }) => line)}</ol></section>${noteForm(viewer, parts, at)}`
    return sendPage(reply, { assets: parts.assets, viewer }, { title: `Subscription ${id}`, body, chapter: 'subscriptions' })
  })
}

function factsOf(subscription: Row<'subscriptions'>) {
  const { status, subStatus, amountType, renewalAmountPaise, maxAmountPaise, frequency, frequencyUnit, startDate, expiryDate } =
    subscription
  const { mid, orderId, paymentMode, custId, autoRenewal, graceDays, consentedAt } = subscription
  return [
    ['State', `${status} / ${subStatus}`],
    ['Amount', amountType === 'FIX' ? `${formatRupees(renewalAmountPaise ?? 0)} each time` : `up to ${formatRupees(maxAmountPaise)}`],
    ['Every', `${frequency} ${frequencyUnit.toLowerCase()}`],
    ['From', startDate],
    ['To', expiryDate],
    ['By', paymentMode ?? 'not yet chosen'],
    ['Consented', consentedAt === null ? 'not yet' : dateTimeInIndia(consentedAt)],
    ['Debited by', autoRenewal ? 'this service' : 'the merchant'],
    ['Days of grace', String(graceDays)],
    ['Customer', isPayers(custId) ? masked(custId) : custId],
    ['First order', html`<a href="${orderAddress(mid, orderId)}">${orderId}</a>`],
  ] as const
}

function lineOf(mid: string, { at, type, toStatus, data }: Row<'events'>) {
  const order = data['orderId']
  const paise = data['amountPaise'] ?? data['maxAmountPaise']
  const why = [data['dueDate'], data['subStatus'], data['rule'], data['result'], data['why']].filter(
    (each) => typeof each === 'string' && each !== '',
  )
  return html`<li><time datetime="${new Date(at).toISOString()}">${dateTimeInIndia(at)}</time><div><b>${type.replace('.', ' ')}</b> ${toStatus.toLowerCase()}${typeof paise === 'number' && html` ${formatRupees(paise)}`} <span class="quiet">${why.join(' · ')}</span>${typeof order === 'string' && order !== '' && html` <a href="${orderAddress(mid, order)}">${order}</a>`}</div></li>`
}
