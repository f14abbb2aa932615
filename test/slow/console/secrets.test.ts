// Everything secret that staff and payers type and receive goes through sign-ins, wrong tries, searches and files; then the process is
// killed. No page, file, log or byte of the store contains it, except where it was asked for. All of them contain the control value.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { type Answer, ask } from '../../support/console/desk.ts'
import { createOrder, pay } from '../../support/paying/paying.ts'
import { mohurCommand, type ServedProcess, serveProcess } from '../../support/run/process.ts'
import { MID, storeNames } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { spokenTo } from '../../support/run/spoken-to.ts'
import { startPostgres } from '../../support/store/postgres.ts'
import { bytesBelow, found } from '../../support/text/found.ts'

const PEOPLE = sized(3, 12)
const ORDERS = sized(6, 30)
const CONTROL = 'PlainControlValue7f3a'

interface Given {
  /** Secrets of staff, which nothing may contain. */
  secrets: string[]
  /** Data of payers, which pages and files may not contain whole. */
  payers: string[]
  /** Codes of six digits. */
  codes: string[]
  /** Pages and files that were not asked to show a secret. */
  seen: string
}

for (const store of storeNames)
  test(`no secret of staff or payer is where it was not asked for (${store})`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'mohur-console-secrets-'))
    const postgres = store === 'postgres' ? await startPostgres({ durable: true }) : undefined
    let service: ServedProcess | undefined
    try {
      const data = join(folder, 'data')
      const at = { MOHUR_DATA: data, MOHUR_LOG: 'debug', DATABASE_URL: (await postgres?.createDatabase()) ?? '' }
      service = await serveProcess(at)
      const given = await lived(service, at)
      await service.kill('SIGKILL')
      await postgres?.kill()
      const kept = Buffer.concat([bytesBelow(postgres?.dataFolder ?? data), service.log()])
      const all = [...given.secrets, ...given.payers]
      assert.deepEqual(found(kept, [...all, CONTROL]), [CONTROL], 'store and log')
      assert.deepEqual(found(Buffer.from(given.seen), [...all, CONTROL]), [CONTROL], 'pages and files')
      const isWord = (bytes: Buffer, code: string) => ['"', ':', '=', ' ', '>'].some((before) => bytes.includes(before + code))
      assert.deepEqual(
        given.codes.filter((code) => isWord(kept, code) || isWord(Buffer.from(given.seen), code)),
        [],
        'codes',
      )
      t.diagnostic(
        `${store}: ${all.length} secrets and ${given.codes.length} codes in ${(kept.length / 1e6).toFixed(1)} MB of store and log and ${(given.seen.length / 1e6).toFixed(1)} MB of pages and files: 0 found; the control value: found in both`,
      )
    } finally {
      await service?.kill('SIGKILL')
      await postgres?.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  })

async function lived(service: ServedProcess, at: Record<string, string>): Promise<Given> {
  const given: Given = { secrets: [], payers: [], codes: [], seen: '' }
  const shop = spokenTo(service.url)
  for (let nth = 0; nth < ORDERS; nth++) {
    const [mobile, email, vpa] = [`98765${String(43_000 + nth * 7)}`, `payer.${nth}.long@example.test`, `payer${nth}xyzzy@upi`]
    given.payers.push(mobile, email, vpa)
    const order = await createOrder(shop, `${CONTROL}_${nth}`, { userInfo: { custId: CONTROL, mobile, email } })
    await pay(shop, order, { paymentMode: 'UPI', payerAccount: vpa })
  }
  for (let nth = 0; nth < PEOPLE; nth++) await person(service, at, { nth, given })
  return given
}

async function person(service: ServedProcess, at: Record<string, string>, { nth, given }: { nth: number; given: Given }) {
  const email = `secretive.person${nth}@staff.test`
  const password = `Opensesame ${nth}91 xyzzy`
  const { out } = await mohurCommand(['operator', 'setup', '--email', email, '--role', 'admin', '--role', 'operations'], at)
  const link = /set-up\/([A-Za-z0-9_-]{43})/.exec(out)![1]!
  const cookies: string[] = []
  let cookie: string | undefined
  const send = async (path: string, form?: Record<string, string>, headers?: Record<string, string>): Promise<Answer> => {
    const token = form && cookie ? tokenIn((await ask(service, '/console/me', { cookie })).text) : ''
    const answer = await ask(service, path, { cookie, ...(form && { form: { ...form, token } }), ...(headers && { headers }) })
    if (answer.cookie) {
      cookie = answer.cookie
      cookies.push(cookie)
    }
    if (answer.known) cookies.push(answer.known)
    return answer
  }
  const seen = async (path: string, form?: Record<string, string>) => {
    given.seen += (await send(path, form)).text
  }
  await send(`/console/set-up/${link}`, { password: 'short' })
  assert.equal((await send(`/console/set-up/${link}`, { password })).status, 303)
  await send('/console/step-up', { password })
  const app = await send('/console/me/app')
  const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(app.text)![1]!
  const codeAt = (steps: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
  const sealed = /name="sealed" value="([^"]*)"/.exec(app.text)![1]!
  const kept = await send('/console/me/app/keep', { sealed, code: codeAt(-1) })
  const recovery = [...kept.text.matchAll(/<code>([0-9a-f]{5}-[0-9a-f]{5})<\/code>/g)].map(([, code]) => code!)
  assert.equal(recovery.length, 10)
  await send('/console/sign-out', {})
  cookie = undefined
  const wrong = `Wrong ${password}`
  await seen('/console/sign-in', { email, password: wrong, code: codeAt(0) })
  await seen('/console/sign-in', { email: password, password: email, code: recovery[0]! })
  await seen(`/console/set-up/${link}`, { password: wrong })
  await seen(`/console/nothing-there`)
  assert.equal((await send('/console/sign-in', { email, password, code: recovery[1]! })).status, 303, 'a recovery code')
  await send('/console/sign-out', {})
  cookie = undefined
  assert.equal((await send('/console/sign-in', { email, password, code: codeAt(0) })).status, 303, 'a code')
  for (const path of [
    '',
    '/orders?state=any',
    '/payments',
    '/refunds',
    '/payments.csv',
    '/orders.csv?state=any',
    '/me',
    '/people',
    '/payments/new?since=1000000000000',
  ])
    await seen(`/console${path}`)
  for (let order = 0; order < ORDERS; order++) {
    const address = `/console/orders/${MID}/${CONTROL}_${order}`
    await seen(address)
    await seen(`${address}/raw`)
    assert.ok((await send(`${address}/show`, {})).text.includes(given.payers[order * 3]!), 'shown where it is asked for')
    await send(`/console/find?q=${encodeURIComponent(given.payers[order * 3]!)}`)
  }
  given.secrets.push(password, wrong, link, secret, ...recovery, ...cookies)
  given.codes.push(codeAt(-1), codeAt(0))
}

const tokenIn = (text: string) => /name="token" value="([^"]*)"/.exec(text)?.[1] ?? ''
