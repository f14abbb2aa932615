// Log lines about a merchant's endpoint that fails, and that answers again: one line each.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryAttempt } from '../../src/domain/notification/notification.ts'
import { EndpointHealth } from '../../src/flows/endpoint-health.ts'

const delivered: DeliveryAttempt = { outcome: 'delivered', httpStatus: 200, durationMs: 1 }
const refused: DeliveryAttempt = { outcome: 'answered', httpStatus: 503, durationMs: 1 }

function listening() {
  const lines: string[] = []
  const clock = { now: 0, elapsed: () => clock.now }
  const health = new EndpointHealth(clock, {
    fails: (endpoint) => lines.push(`fails ${JSON.stringify(endpoint)}`),
    recovers: (endpoint) => lines.push(`recovers ${JSON.stringify(endpoint)}`),
  })
  return { lines, clock, health }
}

test('an endpoint that fails is named once, and once when it is well, with how often and how long', () => {
  const { lines, clock, health } = listening()
  health.saw('M1', 'https://shop.example/notify?key=secret', delivered)
  for (let at = 0; at < 205; at++) health.saw('M1', 'https://shop.example/notify?key=secret', refused)
  clock.now = 90_000
  health.saw('M1', 'https://shop.example/notify?key=secret', delivered)
  health.saw('M1', 'https://shop.example/notify?key=secret', delivered)
  assert.deepEqual(lines, [
    'fails {"mid":"M1","origin":"https://shop.example","outcome":"answered","httpStatus":503}',
    'recovers {"mid":"M1","origin":"https://shop.example","failures":205,"seconds":90}',
  ])
})

test('endpoints and merchants are kept apart, and an address that cannot be read breaks nothing', () => {
  const { lines, health } = listening()
  for (const [mid, url] of [
    ['M1', 'https://shop.example/a'],
    ['M1', 'https://shop.example/b'],
    ['M1', 'https://other.example/'],
    ['M2', 'https://shop.example/a'],
    ['M2', 'no address'],
  ] as const)
    health.saw(mid, url, refused)
  assert.equal(lines.length, 4)
})

test('however many endpoints fail, no more are kept than there is room for', () => {
  const { lines, health } = listening()
  for (let at = 0; at < 10_100; at++) health.saw('M1', `https://shop${at}.example/`, refused)
  assert.equal(lines.length, 10_000)
  health.saw('M1', 'https://shop0.example/', delivered)
  assert.match(lines.at(-1)!, /^recovers .*"failures":1,/)
})
