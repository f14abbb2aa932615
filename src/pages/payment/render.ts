// From a request's rows to its page: read, viewed, drawn.

import type { FastifyReply } from 'fastify'
import type { Html } from '../html.ts'
import { sendSheet } from '../kit/document.ts'
import type { DrawerSubject, PageParts } from '../kit/page-parts.ts'
import { drawPage } from './draw/page.ts'
import { type FoundPage, foundFor } from './found/found.ts'
import { codeSentTo } from './found/options.ts'
import type { PageState } from './found/page-state.ts'
import type { PageAsked } from './view/asked.ts'
import { viewOf } from './view/view-of.ts'

export async function renderPage(reply: FastifyReply, parts: PageParts, seen: PageState, asked: PageAsked = {}) {
  return sendFound(reply, parts, await foundFor(parts, seen, { choices: !asked.leaves && !asked.removes }), asked)
}

export async function sendFound(reply: FastifyReply, parts: PageParts, found: FoundPage, asked: PageAsked) {
  const sheet = drawPage(viewOf(found, asked))
  return sendSheet(reply, parts.assets, { ...sheet, drawer: await drawerOf(parts, found) })
}

/** Only the sandbox has a drawer. */
export const drawerOf = async ({ drawer }: Pick<PageParts, 'drawer'>, found: FoundPage): Promise<Html | undefined> =>
  drawer?.(drawerSubjectOf(found))

/** The facts about the page that the sandbox's drawer gets: docs/sandbox.md, "The drawer". Production has no drawer. */
function drawerSubjectOf(seen: PageState): DrawerSubject {
  const { address, order, latest, stage } = seen
  const isEnded = stage === 'paid' || stage === 'closed' || stage === 'over'
  const sentTo = stage === 'choices' && seen.payer === null ? codeSentTo(seen) : undefined
  return {
    ...{
      address,
      mid: order.mid,
      mobile: sentTo ?? seen.payer?.mobile ?? order.details.userInfo['mobile'],
    },
    order: { orderId: order.orderId, stage: stage === 'choices' ? 'begins' : isEnded ? 'ended' : 'waits' },
    ...(stage === 'otp' && {
      code: { from: 'bank', action: `${address}/otp`, field: 'otp', carries: { attempt: String(latest!.attempt) } },
    }),
    ...(sentTo !== undefined && { code: { from: 'inbox', action: `${address}/sign-in/otp`, field: 'code', carries: {} } }),
  }
}
