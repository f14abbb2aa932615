// Moves of the sandbox's clock end at an endpoint that does not answer, and when the sandbox is reset (docs/sandbox.md).

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { notifiedWorld, receiver } from '../support/notifications/receiver.ts'
import { ask, formsOf, newPage, wordsOf } from '../support/pages/pages.ts'
import { CARD, createOrder, pay } from '../support/paying/paying.ts'
import { onBothStores, type Service, startService } from '../support/run/service.ts'

const DAY_MS = 24 * 60 * 60_000
const MOVE_MAX_MS = 30_000 // docs/sandbox.md, "The clock"
const PATIENCE_MS = 10_000
const STUCK_MS = 300 // in which a move reaches the work that waits

interface Answer {
  status: number
  body: { now: string; ran: Record<string, number>; to?: string; arrived?: false; why?: string }
  ms: number
}

async function asked(service: Service, path: string, request?: object, withinMs = PATIENCE_MS): Promise<Answer> {
  const began = performance.now()
  const response = await fetch(service.url + path, {
    method: 'POST',
    signal: AbortSignal.timeout(withinMs),
    ...(request && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(request) }),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'], ms: performance.now() - began }
}
const clockOf = async (service: Service) =>
  Date.parse(((await (await fetch(`${service.url}/sandbox/clock`)).json()) as { now: string }).now)

onBothStores('a move of the clock that waits for an endpoint', (store) => {
  const held: ServerResponse[] = []
  let isHeld = true
  let started: Promise<Service> | undefined
  let close = () => {}
  after(async () => {
    await (await started)?.close()
    close()
  })
  const begin = async () => {
    const merchant = await receiver(() => (isHeld ? (response) => void held.push(response) : 200), { endsWithTest: false })
    close = merchant.close
    return startService(store, { world: notifiedWorld(`${merchant.url}/merchant`, 'json'), polls: true, passes: true })
  }
  const opened = () => {
    started ??= begin()
    return started
  }
  /** A notification is under way, and the endpoint has not answered it. */
  const waiting = async (service: Service, orderId: string) => {
    const before = held.length
    await pay(service, await createOrder(service, orderId), CARD)
    for (let waits = 0; held.length === before; waits++) {
      assert.ok(waits < 500, 'nothing came to the endpoint')
      await sleep(10)
    }
  }
  /** Waits for moves that the service has begun. The time of a move counts from then, however late its request arrives. */
  const movesOf = (t: TestContext, service: Service) => {
    const { mock } = t.mock.method(service.tasks, 'advance')
    return {
      begun: async (expected: number) => {
        for (let waits = 0; mock.callCount() < expected; waits++) {
          assert.ok(waits < 500, 'no move begins')
          await sleep(10)
        }
        await sleep(STUCK_MS)
      },
    }
  }
  const release = () => {
    for (const response of held.splice(0)) response.writeHead(200).end()
  }

  describe('ends', () => {
    test('once its real time is over: it says how far it came, and the next one goes on to the same place', async (t) => {
      const service = await opened()
      const moves = movesOf(t, service)
      await waiting(service, 'HELD')
      const target = (await clockOf(service)) + DAY_MS
      const moving = asked(service, '/sandbox/clock', { to: new Date(target).toISOString() })
      await moves.begun(1)
      service.clock.pass(MOVE_MAX_MS)
      const { status, body } = await moving
      assert.equal(status, 202)
      assert.deepEqual([body.arrived, body.to], [false, new Date(target).toISOString()])
      assert.match(body.why!, /30 seconds: send this "to" again/)
      assert.ok(Date.parse(body.now) < target - DAY_MS / 2)
      release()
      const next = await asked(service, '/sandbox/clock', { to: body.to })
      assert.equal(next.status, 200)
      assert.ok(Date.parse(next.body.now) >= target)
    })

    test('on the pages that move it too, with a button that goes on', async (t) => {
      const service = await opened()
      const moves = movesOf(t, service)
      isHeld = false
      const { page } = await newPage(service, 'DRAWER_HELD')
      isHeld = true
      await waiting(service, 'HELD_TOO')
      const back = new URL(page, service.url).pathname
      const before = await clockOf(service)
      const pressed = ask(service, '/sandbox/drawer', { back, act: 'clock' })
      await moves.begun(1)
      service.clock.pass(MOVE_MAX_MS)
      const { text } = await pressed
      assert.match(wordsOf(text), /The clock is on its way The clock shows [\d: -]+\(IST\), on its way to [\d: -]+\. /)
      const goesOn = formsOf(text).find(({ button }) => button === 'Move on')!
      assert.deepEqual([goesOn.fields['back'], goesOn.fields['act']], [back, 'clock'])
      release()
      assert.equal((await ask(service, goesOn.action, goesOn.fields)).headers.get('location'), back)
      const moved = (await clockOf(service)) - before
      assert.ok(moved >= 15 * 60_000 && moved < 16 * 60_000, `${moved} ms: one step, not two`)
    })

    test('when the sandbox is reset, and so does one that waits behind it: the reset answers, and the clock shows the real time', async (t) => {
      const service = await opened()
      const moves = movesOf(t, service)
      await waiting(service, 'HELD_AGAIN')
      const both = [1, 2].map(() => asked(service, '/sandbox/clock', { advance: 'P1D' }))
      await moves.begun(2)
      const reset = await asked(service, '/sandbox/reset')
      assert.equal(reset.status, 200)
      for (const { status, body } of await Promise.all(both)) {
        assert.equal(status, 202)
        assert.match(body.why!, /reset/)
      }
      assert.ok(Math.abs((await clockOf(service)) - Date.now()) < 60_000)
      release()
      assert.equal((await asked(service, '/sandbox/clock', { advance: 'PT1H' })).status, 200)
    })
  })
})
