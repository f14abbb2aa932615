// The moves of a subscription and its cycles, and the picture of them.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { hasEnded, transitions as ofCycle } from '../../../src/domain/subscription/collection/collection.ts'
import {
  isOver,
  type MoveName,
  mayMove,
  move,
  moves,
  SUBSCRIPTION_STATUSES,
  type Subscription,
} from '../../../src/domain/subscription/subscription.ts'

const subscription = (status: string, subStatus = status) =>
  ({
    mid: 'M',
    subscriptionId: '1',
    version: 3,
    status,
    subStatus,
    wakesAt: 5,
    edit: null,
  }) as Subscription
const names = Object.keys(moves) as MoveName[]

test('the picture in the room’s README is that of the table of moves', () => {
  const lines = names.flatMap((name) =>
    moves[name].from.map(
      (from) => `  ${from.split('/')[0]} --> ${moves[name].to}: ${name}${from.includes('/') ? ` (${from.split('/')[1]})` : ''}`,
    ),
  )
  const picture = ['```mermaid', 'stateDiagram-v2', '  [*] --> INIT', ...lines, '```'].join('\n')
  const readme = readFileSync(new URL('../../../src/domain/subscription/README.md', import.meta.url), 'utf8')
  assert.equal(/<!-- moves -->\n([\s\S]*)\n<!-- \/moves -->/.exec(readme)?.[1], picture)
})

test('nothing moves out of a state that is an end, and every other state can be left', () => {
  for (const status of SUBSCRIPTION_STATUSES) {
    const possible = names.filter((name) => mayMove(subscription(status, 'MERCHANT_PAUSED'), name))
    assert.equal(possible.length === 0, isOver({ status }), status)
  }
})

test('each party lifts only its own pause, and a payer’s holds over a merchant’s', () => {
  const [byMerchant, byPayer] = [subscription('SUSPENDED', 'MERCHANT_PAUSED'), subscription('SUSPENDED', 'USER_PAUSED')]
  assert.deepEqual([mayMove(byMerchant, 'resumeByMerchant'), mayMove(byMerchant, 'resumeByPayer')], [true, false])
  assert.deepEqual([mayMove(byPayer, 'resumeByMerchant'), mayMove(byPayer, 'resumeByPayer')], [false, true])
  assert.deepEqual([mayMove(byMerchant, 'pauseByPayer'), mayMove(byPayer, 'pauseByMerchant')], [true, false])
})

test('a move is one version and one event further, and one that cannot be made changes nothing', () => {
  const before = subscription('ACTIVE')
  const { subscription: after, changes, events } = move(before, 'cancel', 1_000)
  assert.deepEqual([after.status, after.subStatus, after.version, after.wakesAt], ['REJECT', 'MERCHANT_CANCELLED', 4, null])
  assert.deepEqual(
    [changes.length, events.map(({ type, from, to, version }) => [type, from, to, version])],
    [1, [['subscription.cancelled', 'ACTIVE', 'REJECT', 4]]],
  )
  assert.deepEqual(move(after, 'resumeByMerchant', 2_000), { subscription: after, changes: [], events: [] })
})

test('a cycle that has ended makes no move, and all others can end', () => {
  assert.deepEqual(
    (Object.keys(ofCycle) as (keyof typeof ofCycle)[]).filter((status) => hasEnded({ status })),
    ['COLLECTED', 'SKIPPED', 'MISSED', 'FAILED'],
  )
})
