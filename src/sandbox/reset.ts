// A sandbox begins anew: its store and its bank's books are empty, its clock shows the real time again, and its world is that of a first start
// (docs/sandbox.md). `mohur sandbox reset` does it, and a button.

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
  /** Absent where another acquirer is connected, whose books are its own. */
  bank: SandboxBank | undefined
  /** As a start loads it. */
  world: World
  /** Puts this process's clock back, once the store is empty; answers what it shows then. */
  startOver(): Promise<number>
}

/** A payment that another process has under way meanwhile finds no row any more, and changes nothing. */
export async function resetSandbox({ database, store, vault, bank, world, startOver }: ResetParts): Promise<void> {
  await emptyStore(database)
  await bank?.forget()
  const now = await startOver()
  await loadWorld(store, vault, world, { signedModify: 'optional', flatRefund: true, now })
}

export interface ResetRoutes {
  shell: Shell
  now(): number
  /** While nothing else settles. */
  reset(): Promise<void>
}

export function addReset(server: FastifyInstance, { shell, now, reset }: ResetRoutes) {
  server.register(async (scope) => {
    takeForms(scope)
    shell.answerHere(scope)
    scope.get<{ Querystring: { done?: unknown } }>(RESET, (request, reply) => {
      const isDone = request.query.done === 'yes'
      const said = html`<p class="notice done">The sandbox is as it was at its first start.</p><p><a href="/sandbox/shop">To the shop</a></p>`
      const asked = html`<p>All orders, payments, mandates, messages and what was changed of the world go, and the clock shows the real time again.</p>${hiddenForm(RESET, {}, 'Start over')}`
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

/** A page of another site may not press the button: a browser says whose page it was. What is no browser says nothing. */
function refuseOtherSites({ headers }: FastifyRequest) {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new PageError('form', { fault: { kind: 'foreign' } })
}
