// Log lines for an operator: one when a merchant's endpoint fails, one when it answers again, and one at the stop.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { receiver, SECRET } from '../../support/notifications/receiver.ts'
import { CARD, createOrder, pay } from '../../support/paying/paying.ts'
import { serveProcess } from '../../support/run/process.ts'
import { MID } from '../../support/run/service.ts'
import { spokenTo } from '../../support/run/spoken-to.ts'

const FAILURES = 3

test('an endpoint that fails and recovers has a line for each, with how often it failed, and a stop says what is left', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-lines-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  let heard = 0
  const waiting: (() => void)[] = []
  const { url } = await receiver(() => {
    heard++
    for (const go of waiting.splice(0)) go()
    return heard > FAILURES ? 200 : 503
  })
  const served = await serveProcess({ MOHUR_DATA: folder, MOHUR_LOG: 'info' })
  const send = async (method: string, path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    assert.ok((await fetch(served.url + path, { method, headers, body: JSON.stringify(body) })).ok)
  }
  try {
    await send('PUT', '/sandbox/world', { merchants: [{ mid: MID, notification: { url, form: 'json', secret: SECRET } }] })
    const service = spokenTo(served.url)
    const first = new Promise<void>((go) => waiting.push(go))
    await pay(service, await createOrder(service, 'HEARD'), CARD)
    await first
    while (heard <= FAILURES) {
      const next = new Promise<void>((go) => waiting.push(go))
      await send('POST', '/sandbox/clock', { advance: 'PT12H' })
      await next
    }
  } finally {
    assert.equal(await served.kill('SIGTERM'), 0)
  }
  const lines = served.log().toString().split('\n')
  const about = lines.filter((line) => line.includes('an endpoint takes'))
  assert.deepEqual(
    about.map((line) => /an endpoint takes [a-z ]+/.exec(line)?.[0]),
    ['an endpoint takes no notifications', 'an endpoint takes notifications again'],
    about.join('\n'),
  )
  for (const line of about) assert.ok(line.includes(MID) && line.includes(url))
  assert.match(about[1]!, new RegExp(`"failures":${FAILURES}\\b`))
  assert.ok(lines.some((line) => /"tasksFinished":\d+.*stopped: requests were answered/.test(line)))
})
