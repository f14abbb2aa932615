// A reset of the sandbox (docs/sandbox.md). It empties the store and the bank's books, sets the clock to real time, and loads the world of
// a first start. `mohur sandbox reset` or a button starts it.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SandboxBank } from '../adapters/acquirer/sandbox/sandbox-bank.ts'
import type { DatabaseEngine } from '../adapters/store/database.ts'
import { emptyStore } from '../adapters/store/empty-store.ts'
import type { Vault } from '../adapters/store/vault.ts'
import type { Store } from '../engine/store.ts'
import { html } from '../pages/html.ts'
import { hiddenForm } from '../pages/kit/fields.ts'
import { takeForms } from '../pages/kit/forms.ts'
import { PageError } from '../pages/kit/page-error.ts'
import type { Shell } from './shell.ts'
import { loadWorld, type World } from './world.ts'

export const RESET = '/sandbox/reset'

export interface ResetParts {
  database: DatabaseEngine
  store: Store
  vault: Vault
  /** Absent when another acquirer is connected, which has its own books. */
  bank: SandboxBank | undefined
  /** The world that a start loads. */
  world: World
  /** Puts this process's clock back, once the store is empty. Returns the new time. */
  startOver(): Promise<number>
}

/** A payment under way at another process finds its row gone, and changes nothing. */
export async function resetSandbox({ database, store, vault, bank, world, startOver }: ResetParts): Promise<void> {
  await emptyStore(database)
  await bank?.forget()
  const now = await startOver()
  await loadWorld(store, vault, world, { signedModify: 'optional', flatRefund: true, now })
}

export interface ResetRoutes {
  shell: Shell
  now(): number
  /** Resets the sandbox while no other work runs. */
  reset(): Promise<void>
}

export function addReset(server: FastifyInstance, { shell, now, reset }: ResetRoutes) {
  server.register(async (scope) => {
    takeForms(scope)
    shell.answerHere(scope)
    scope.get<{ Querystring: { done?: unknown } }>(RESET, (request, reply) => {
      const isDone = request.query.done === 'yes'
      const said = html`<p class="notice done">The sandbox is as it was at its first start.</p><p><a href="/sandbox/shop">To the shop</a></p>`
      const asked = html`<p>This deletes all orders, payments, mandates and messages, and every change to the world. The clock shows real time again.</p>${hiddenForm(RESET, {}, 'Start over')}`
      return shell.send(reply, 'Start over', isDone ? said : asked)
    })
    scope.post(RESET, async (request, reply) => {
      refuseOtherSites(request)
      await reset()
      if (request.headers['content-type'] !== undefined) return reply.redirect(`${RESET}?done=yes`, 303)
      return { now: new Date(now()).toISOString() }
    })
  })
}

/** Refuses a button on another site's page: a browser names the site of the page. Other clients do not send this header. */
function refuseOtherSites({ headers }: FastifyRequest) {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new PageError('form', { fault: { kind: 'foreign' } })
}
