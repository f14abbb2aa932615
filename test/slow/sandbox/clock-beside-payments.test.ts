// A move of the sandbox's clock beside continual payments answers, goes on and arrives. A reset meanwhile answers too (docs/sandbox.md).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CARD, createOrder, pay } from '../../support/paying/paying.ts'
import { onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const DAY_MS = 24 * 60 * 60_000
const MOVE_MAX_MS = 30_000 // docs/sandbox.md, "The clock"
const PATIENCE_MS = 60_000
const PAYERS = 3
const CALLS_MAX = 5

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

onBothStores('a move of the clock beside payments', (store) => {
  const opened = sharedService(store, { polls: true, passes: true })

  test('answers, and arrives, and a reset meanwhile answers too', async (t) => {
    const service = await opened()
    let [isOver, paid] = [false, 0]
    const payer = async (of: number) => {
      for (let at = 0; !isOver; at++) {
        // Some wait for their payer, so the service asks the bank again and again, and some are left.
        const order = await createOrder(service, `P${of}_${at}`).catch(() => undefined)
        if (!order || at % 8 === 7) continue
        const { body } = await pay(service, order, at % 2 === 1 ? { paymentMode: 'UPI', payerAccount: 'pending@upi' } : CARD)
        if (body.resultInfo?.resultStatus === 'S') paid++
      }
    }
    const payers = Promise.all(Array.from({ length: PAYERS }, (_, of) => payer(of)))
    try {
      await sleep(2_000)
      const to = new Date((await clockOf(service)) + DAY_MS).toISOString()
      const answers: Answer[] = []
      for (let call = 0; call < CALLS_MAX && answers.at(-1)?.status !== 200; call++) {
        answers.push(await asked(service, '/sandbox/clock', { to }, MOVE_MAX_MS + PATIENCE_MS))
        t.diagnostic(`${store}: ${answers.at(-1)!.status} after ${Math.round(answers.at(-1)!.ms)} ms, at ${answers.at(-1)!.body.now}`)
      }
      const last = answers.at(-1)!
      assert.equal(last.status, 200)
      assert.ok(Date.parse(last.body.now) >= Date.parse(to))
      assert.ok(answers.some(({ body }) => Object.keys(body.ran).length > 0))
      const moving = asked(service, '/sandbox/clock', { advance: 'P19Y' }, MOVE_MAX_MS + PATIENCE_MS)
      await sleep(200)
      assert.equal((await asked(service, '/sandbox/reset')).status, 200)
      const { status, body } = await moving
      assert.ok(status === 200 || (status === 202 && /reset/.test(body.why!)), JSON.stringify(body))
      assert.ok(Math.abs((await clockOf(service)) - Date.now()) < 60_000)
      t.diagnostic(`${store}: ${paid} paid meanwhile`)
    } finally {
      isOver = true
      await payers
    }
  })
})
