// A log that cannot be written, or that no process reads, costs its lines and nothing else.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { program } from '../../support/run/checkout.ts'

const FULL = '/dev/full'
const UNREAD_REQUESTS = 1_000 // more lines than a pipe and its reader buffer
const HANGS_MS = 120_000
const AT_ONCE = 30
const PATH = '/theia/api/v1/initiateTransaction?mid=NOBODY&orderId=A1'

/** For a service whose log line with its address is lost. Its control socket has no port. */
const TELLS_ITS_PORT = `data:text/javascript,import { subscribe } from 'node:diagnostics_channel';
subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => server.address().port && process.send(server.address().port))`

/** Serves many requests, most of them refused and each with a log line, and stops on request. */
async function servesAndStops(stdout: number | 'pipe', requests: number) {
  const signal = AbortSignal.timeout(HANGS_MS)
  const folder = mkdtempSync(join(tmpdir(), 'mohur-log-'))
  const child = spawn(process.execPath, ['--import', TELLS_ITS_PORT, program, 'serve'], {
    env: { ...process.env, PORT: '0', DATABASE_URL: '', MOHUR_DATA: folder, MOHUR_LOG: 'debug', MOHUR_TEST_CHECKOUT: '' },
    stdio: ['ignore', stdout, 'ignore', 'ipc'],
  })
  try {
    const ended = once(child, 'exit', { signal })
    const [port] = await Promise.race([once(child, 'message'), ended.then(([code]) => assert.fail(`it ended with ${code}`))])
    const url = `http://127.0.0.1:${port}`
    for (let sent = 0; sent < requests; sent += AT_ONCE) {
      const asked = Array.from({ length: AT_ONCE }, async (_, at) => {
        const headers = { 'content-type': 'application/json', 'x-request-id': `${sent + at}-${'x'.repeat(50)}` }
        const reply = await fetch(url + PATH, { method: 'POST', headers, body: '{"head":{},"body":{}}', signal })
        assert.match(await reply.text(), /"resultStatus":"F"/)
      })
      await Promise.all(asked)
    }
    assert.equal((await fetch(`${url}/readyz`, { signal })).status, 200)
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

if (existsSync(FULL))
  test('a service whose log is on a full disk answers, and stops', async () => {
    const full = openSync(FULL, 'w')
    try {
      await servesAndStops(full, AT_ONCE)
    } finally {
      closeSync(full)
    }
  })

test('a service whose log is not read answers, and stops', () => servesAndStops('pipe', UNREAD_REQUESTS))
