// Pausing, resuming and closing a mandate. Each has a page of its own, because a proof comes first and would lose a form.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { endOrPauseSubscription } from '../../domain/subscription/end-or-pause.ts'
import { isPastExpiry } from '../../domain/subscription/manage-request.ts'
import { modifySubscriptionStatus } from '../../domain/subscription/modify-subscription-status.ts'
import { type MoveName, mayMove, type Subscription } from '../../domain/subscription/subscription.ts'
import { html, type Part } from '../../pages/html.ts'
import type { Form } from '../../pages/kit/forms.ts'
import { merchantKey } from '../../tables/keys.ts'
import { look } from '../../tables/tables.ts'
import { portsOf, reasonOf } from '../kit/acting.ts'
import { actionForm, carriedMerchant, type Done, forSameMerchant, leadBack, requireSameMerchant, versionIn } from '../kit/action-form.ts'
import { ConsoleError } from '../kit/console-error.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { CONSOLE, sendPage } from '../kit/sheet.ts'
import { stateOf, subscriptionAddress } from './addresses.ts'

interface Action {
  move: MoveName
  /** The status that the merchant's own call would ask for. Undefined for the operator's end. */
  status: 'ACTIVE' | 'SUSPENDED' | undefined
  says: string
  hint: string
  done: Done
}

const ACTIONS = {
  pause: {
    ...{ move: 'pauseByMerchant', status: 'SUSPENDED', says: 'Pause the mandate', done: 'mandatePaused' },
    hint: 'Nothing is debited until you or the merchant resume it.',
  },
  resume: {
    ...{ move: 'resumeByMerchant', status: 'ACTIVE', says: 'Resume the mandate', done: 'mandateResumed' },
    hint: 'Debits go on with the next cycle.',
  },
  close: {
    ...{ move: 'close', status: undefined, says: 'Close the mandate', done: 'mandateClosed' },
    hint: 'Only the payer can agree to a mandate again.',
  },
} as const satisfies Record<string, Action>
type Word = keyof typeof ACTIONS
const WORDS = Object.keys(ACTIONS) as Word[]

type Named = { Params: { mid: string; id: string } }

export function addMandateActions(scope: FastifyInstance, parts: ConsoleParts) {
  const proven = { config: { admits: 'mandates', wantsStepUp: true } } as const
  for (const word of WORDS) {
    scope.get<Named>(`${CONSOLE}/subscriptions/:mid/:id/${word}`, proven, (request, reply) => formPage(request, reply, parts, word))
    scope.post<Named>(`${CONSOLE}/subscriptions/:mid/:id/${word}`, proven, (request, reply) => act(request, reply, parts, word))
  }
}

const isPossible = (subscription: Subscription, { move }: Action, now: number) =>
  mayMove(subscription, move) && !isPastExpiry(subscription, now)

/** Links to the actions that are possible now. */
export function mandateLinks(viewer: Viewer, subscription: Subscription, now: number): Part {
  if (!viewer.may('mandates')) return undefined
  const at = subscriptionAddress(subscription.mid, subscription.subscriptionId)
  return WORDS.filter((word) => isPossible(subscription, ACTIONS[word], now)).map(
    (word) => html`<a class="button second" href="${at}/${word}">${ACTIONS[word].says}</a>`,
  )
}

async function subscriptionOf({ viewer, params: { mid, id } }: FastifyRequest<Named>, { ports }: ConsoleParts) {
  const subscription = viewer!.sees(mid) ? await ports.query.row(look('subscriptions', mid, id)) : undefined
  if (!subscription) throw new ConsoleError('unknown')
  return subscription
}

const standsAt = ({ status, subStatus }: Subscription) =>
  html`The mandate is now: ${stateOf(status)} (${subStatus.toLowerCase().replaceAll('_', ' ')}).`

async function formPage(request: FastifyRequest<Named>, reply: FastifyReply, parts: ConsoleParts, word: Word) {
  const viewer = request.viewer!
  const subscription = await subscriptionOf(request, parts)
  const { mid, subscriptionId, version } = subscription
  const { says, hint } = ACTIONS[word]
  if (!isPossible(subscription, ACTIONS[word], parts.ports.clock.now())) throw new ConsoleError('changed', standsAt(subscription))
  const at = subscriptionAddress(mid, subscriptionId)
  const carries = { version, ...carriedMerchant(await parts.ports.query.row(merchantKey(mid))) }
  const form = actionForm(viewer, { id: word, at: `${at}/${word}`, says, carries })
  const body = html`<section class="card one"><p class="quiet"><bdi>${mid}</bdi> · subscription <a href="${at}"><bdi>${subscriptionId}</bdi></a></p><h1>${says}</h1><p>${hint}</p>${form}</section>`
  return sendPage(reply, { assets: parts.assets, viewer }, { title: says, body, chapter: 'subscriptions' })
}

async function act(request: FastifyRequest<Named>, reply: FastifyReply, parts: ConsoleParts, word: Word) {
  const { mid, subscriptionId } = await subscriptionOf(request, parts)
  const form = request.body as Form
  const [reason, version] = [reasonOf(form), versionIn(form)]
  const { status, done } = ACTIONS[word]
  const { engine, clock, reference } = portsOf(request, parts, {
    ...({ action: `mandate.${word}`, mid, subject: `subscription:${subscriptionId}`, reason } as const),
  })
  const seen = { subscriptionId, version, reference, now: clock.now() }
  const moved =
    status === undefined
      ? await engine.submit(forSameMerchant(endOrPauseSubscription, mid, form), { mid, move: 'close', ...seen })
      : await engine.submit(forSameMerchant(modifySubscriptionStatus, mid, form), {
          ...{ request: { mid, status }, caller: { signature: 'valid' }, ...seen },
        })
  requireSameMerchant(moved)
  const { result } = moved
  if (result.name === 'success' || result.name === 'moved') return leadBack(reply, subscriptionAddress(mid, subscriptionId), done)
  throw new ConsoleError('changed', standsAt(await subscriptionOf(request, parts)))
}
