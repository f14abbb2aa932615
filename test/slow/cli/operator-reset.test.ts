// `mohur operator reset --authenticator` beside the running service. The person's sessions and app end at once, and a link is printed. No
// key, code or cookie of theirs reaches the log.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { ask, PASSWORD } from '../../support/console/desk.ts'
import { mohurCommand, serveProcess } from '../../support/run/process.ts'
import { storeNames } from '../../support/run/service.ts'
import { startPostgres } from '../../support/store/postgres.ts'
import { found } from '../../support/text/found.ts'

const [EMAIL, OTHER] = ['lost.app@staff.test', 'no.app@staff.test']
const [IN, WRONG, GONE] = [303, 422, 404]

for (const store of storeNames)
  test(`a lost app is reset by the shell (${store})`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'mohur-reset-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const postgres = store === 'postgres' ? await startPostgres() : undefined
    t.after(() => postgres?.stop())
    const at = { MOHUR_DATA: join(folder, 'data'), MOHUR_LOG: 'debug', DATABASE_URL: (await postgres?.createDatabase()) ?? '' }
    const service = await serveProcess(at)
    t.after(async () => void (await service.kill('SIGKILL')))
    const mohur = (...args: string[]) => mohurCommand(['operator', ...args], at)
    const linkIn = ({ out }: { out: string }) => /\/console\/set-up\/[A-Za-z0-9_-]{43}/.exec(out)![0]

    const first = linkIn(await mohur('setup', '--email', EMAIL))
    const { cookie, known } = await ask(service, first, { form: { password: PASSWORD } })
    const shown = await ask(service, '/console/me/app', { cookie })
    const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(shown.text)![1]!
    const codeAt = (steps: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
    const token = /name="token" value="([^"]*)"/.exec(shown.text)![1]!
    const sealed = /name="sealed" value="([^"]*)"/.exec(shown.text)![1]!
    const kept = await ask(service, '/console/me/app/keep', { cookie, form: { token, sealed, code: codeAt(-1) } })
    const recovery = [...kept.text.matchAll(/<code>([0-9a-f]{5}-[0-9a-f]{5})<\/code>/g)].map(([, code]) => code!)
    const older = linkIn(await mohur('reset', '--email', EMAIL))

    const reset = await mohur('reset', '--email', EMAIL, '--authenticator')
    assert.equal(reset.code, 0, reset.err)
    const signIn = (code: string) => ask(service, '/console/sign-in', { known, form: { email: EMAIL, password: PASSWORD, code } })
    for (const code of [codeAt(0), recovery[0]!, '']) assert.equal((await signIn(code)).status, WRONG)
    assert.equal((await ask(service, '/console/me', { cookie })).status, IN, 'the session is over')
    assert.equal((await ask(service, older)).status, GONE)
    for (const [email, why] of [
      [EMAIL, /has no authenticator app/],
      [OTHER, /no person has this address/],
      ['x', /--email must be an e-mail address/],
    ] as const) {
      const refused = await mohur('reset', '--email', email, '--authenticator')
      assert.deepEqual([refused.code, refused.out], [2, ''])
      assert.match(refused.err, why)
    }
    const set = await ask(service, linkIn(reset), { form: { password: `${PASSWORD} anew` } })
    assert.equal((await ask(service, '/console/payments', { cookie: set.cookie })).location, '/console/me/app')

    const secrets = [PASSWORD, secret, sealed, cookie!, known!, set.cookie!, set.known!, ...recovery]
    secrets.push(...[first, older, linkIn(reset)].map((link) => link.split('/').at(-1)!))
    assert.deepEqual(found(service.log(), [...secrets, 'Mohur listens']), ['Mohur listens'])
    t.diagnostic(`${store}: 1 reset, 3 refused by name; ${secrets.length} secrets in ${service.log().length} bytes of log: 0 found`)
  })
