// A process that is killed while colleagues write notes. Each note that was answered is kept. The form of an unanswered note is sent again,
// and is one note in the end.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, PASSWORD } from '../../support/console/desk.ts'
import { createOrder } from '../../support/paying/paying.ts'
import { mohurCommand, type ServedProcess, serveProcess } from '../../support/run/process.ts'
import { MID, storeNames } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { spokenTo } from '../../support/run/spoken-to.ts'
import { startPostgres } from '../../support/store/postgres.ts'
import { Random } from '../../support/text/random.ts'

const KILLS = sized(5, 20)
const [AT_ONCE, SEED] = [6, 20_261_128]
const PAGE = `/console/orders/${MID}/KILLED`

for (const store of storeNames)
  test(`notes are kept when the process is killed (${store})`, { timeout: 900_000 }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'mohur-notes-'))
    const postgres = store === 'postgres' ? await startPostgres() : undefined
    const at = { MOHUR_DATA: join(folder, 'data'), MOHUR_LOG: 'silent', DATABASE_URL: (await postgres?.createDatabase()) ?? '' }
    let service: ServedProcess = await serveProcess(at)
    t.after(async () => {
      await service.kill('SIGKILL')
      await postgres?.stop()
      rmSync(folder, { recursive: true, force: true })
    })
    await createOrder(spokenTo(service.url), 'KILLED')
    const made = await mohurCommand(['operator', 'setup', '--email', 'notes@staff.test', '--role', 'admin', '--role', 'support'], at)
    const link = /\/console\/set-up\/[A-Za-z0-9_-]{43}/.exec(made.out)![0]
    const { cookie } = await ask(service, link, { form: { password: PASSWORD } })
    const token = /name="token" value="([^"]*)"/.exec((await ask(service, PAGE, { cookie })).text)![1]!

    const random = new Random(SEED)
    const send = (nth: number) =>
      ask(service, `${PAGE}/note`, { cookie, form: { token, once: `NOTE_${nth}`.padEnd(22, '_'), reason: `NOTE_${nth};` } })
    const [answered, unanswered] = [new Set<number>(), new Set<number>()]
    let nth = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const writing = Array.from({ length: AT_ONCE }, async () => {
        for (;;) {
          const number = nth++
          const sent = await send(number).catch(() => undefined)
          if (!sent) return void unanswered.add(number)
          assert.equal(sent.status, 303)
          answered.add(number)
        }
      })
      await sleep(50 + random.below(200))
      await service.kill('SIGKILL')
      await Promise.all(writing)
      service = await serveProcess(at)
      for (const number of unanswered) assert.equal((await send(number)).status, 303)
    }
    const shown: string[] = []
    for (let next: string | undefined = '/console/audit?subject=order:KILLED'; next !== undefined; ) {
      const { text } = await ask(service, next, { cookie })
      shown.push(...[...text.matchAll(/NOTE_\d+;/g)].map(([note]) => note))
      next = /href="(\/console\/audit\?[^"]*after=[^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&#38;', '&')
    }
    const written = [...answered, ...unanswered].map((number) => `NOTE_${number};`)
    assert.deepEqual(shown.toSorted(), written.toSorted())
    assert.ok(answered.size > 0 && unanswered.size > 0)
    t.diagnostic(
      `${store}: ${KILLS} kills; ${answered.size} notes answered, ${unanswered.size} not and sent again; lost 0, twice 0 of ${shown.length}`,
    )
  })
