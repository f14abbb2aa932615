// What only the sandbox has: the world, the clock and the inbox (docs/sandbox.md). Production has no such path.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Store } from '../engine/store.ts'
import type { Vault } from '../store/vault.ts'
import { type SandboxClock, targetOf } from './clock.ts'
import { loadWorld, readWorld, WorldError } from './world.ts'

const WORLD_BYTES_MAX = 16 * 1024 * 1024 // a world of some ten thousand offers

export interface SandboxParts {
  store: Store
  vault: Vault
  clock: SandboxClock
  /** Forgets what is remembered of merchants and promotions. */
  forget(): void
}

export function addSandboxRoutes(server: FastifyInstance, { store, vault, clock, forget }: SandboxParts) {
  server.put('/sandbox/world', { bodyLimit: WORLD_BYTES_MAX }, async (request, reply) => {
    try {
      const world = readWorld(json(request))
      await loadWorld(store, vault, world, { signedModify: 'optional' })
      forget()
      return { merged: Object.fromEntries(Object.entries(world).map(([kind, rows]) => [kind, rows.length])) }
    } catch (error) {
      if (error instanceof WorldError || error instanceof SyntaxError) return reply.code(400).send({ error: error.message })
      throw error
    }
  })

  server.get('/sandbox/clock', async () => ({ now: new Date(clock.now()).toISOString() }))
  server.post('/sandbox/clock', async (request, reply) => {
    let asked: unknown
    try {
      asked = json(request)
    } catch {
      return reply.code(400).send({ error: 'the request is not JSON' })
    }
    const target = targetOf(asked, clock.now())
    if (typeof target === 'string') return reply.code(400).send({ error: target })
    const ran = await clock.advanceTo(target)
    return { now: new Date(clock.now()).toISOString(), ran }
  })
}

const json = (request: FastifyRequest): unknown => JSON.parse(String(request.body ?? ''))
