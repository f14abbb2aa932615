// The first sign-in is one flow: the link's password, the authenticator app, the recovery codes, the console. The console asks for no
// password twice, and keeps a press that a proof interrupts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { Secret, TOTP } from 'otpauth'
import { Passwords } from '../../src/console/kit/passwords.ts'
import { openConsole } from '../../src/console/routes.ts'
import { readAssets } from '../../src/pages/kit/assets.ts'
import { pass } from '../support/clocks/jumps.ts'
import { linkFor, MINUTE_MS, newAdmin, tokenOf } from '../support/clocks/times.ts'
import { type Answer, ask, PASSWORD } from '../support/console/desk.ts'
import { onBothStores, QUICK, type Service, sharedService } from '../support/run/service.ts'

const APP = '/console/me/app'
const HOST = 'console.test'

/** The console as in production, beside a service whose store it shares. */
async function production({ ports }: Service): Promise<FastifyInstance> {
  const server = Fastify()
  const settings = { mode: 'production', consoleUrl: `https://${HOST}`, publicUrl: undefined }
  const parts = { ports, aside: ports.query, assets: readAssets(), logger: server.log, publicUrl: () => '' }
  openConsole(server, settings as never, { ...parts, passwords: new Passwords(ports.clock, QUICK) })
  await server.ready()
  return server
}

/** A browser that keeps cookies and follows redirects. */
function browserAt(server: FastifyInstance) {
  const cookies = new Map<string, string>()
  const asked: string[] = []
  const go = async (path: string, form?: Record<string, string>): Promise<{ path: string; status: number; text: string }> => {
    asked.push(`${form ? 'POST' : 'GET'} ${path.replace(/[A-Za-z0-9_-]{43}/, 'LINK')}`)
    const { statusCode, headers, body } = await server.inject({
      method: form ? 'POST' : 'GET',
      url: path,
      headers: {
        ...{ host: HOST, 'sec-fetch-site': 'same-origin', cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { payload: new URLSearchParams(form).toString() }),
    })
    for (const set of [headers['set-cookie'] ?? []].flat()) {
      const [name = '', value = ''] = set.split(';')[0]!.split('=')
      cookies.set(name, value)
    }
    return headers.location === undefined ? { path, status: statusCode, text: body } : go(String(headers.location))
  }
  return { go, asked }
}
const codeFor = (text: string, now: number) => {
  const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(text)![1]!
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now })
}
const fieldIn = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)![1]!
const filled = (text: string, now: number) => ({
  token: fieldIn(text, 'token'),
  sealed: fieldIn(text, 'sealed'),
  code: codeFor(text, now),
})

onBothStores('the first sign-in', (store) => {
  const shared = sharedService(store)

  test('in production leads from the link to the console by one password, one code and no lost press', async (t) => {
    const service = await shared()
    const server = await production(service)
    const { go, asked } = browserAt(server)
    const link = await linkFor(service, `first.${store}@staff.test`, 'SETUP')
    assert.match((await go(link)).text, /Set your password/)
    const app = await go(link, { password: PASSWORD })
    assert.equal(app.path, APP, 'the app is next')
    pass(service, 14 * MINUTE_MS) // the person first has to fetch the app
    const codes = await go(`${APP}/keep`, filled(app.text, service.clock.realNow()))
    assert.equal(codes.text.match(/<code>[0-9a-f]{5}-[0-9a-f]{5}<\/code>/g)?.length, 10)
    const inside = await go(/href="([^"]*)">I have saved them/.exec(codes.text)![1]!)
    assert.deepEqual([inside.path, inside.status], ['/console', 200])
    assert.deepEqual(asked, [
      'GET /console/set-up/LINK',
      'POST /console/set-up/LINK',
      'GET /console',
      `GET ${APP}`,
      `POST ${APP}/keep`,
      'GET /console',
    ])
    await server.close()
    t.diagnostic(`${store}: ${asked.length} requests from the link to the console; passwords asked for: 1; presses lost: 0`)
  })

  test('in production that was broken off goes on with the app after the next sign-in', async () => {
    const service = await shared()
    const server = await production(service)
    const email = `broken.off.${store}@staff.test`
    await browserAt(server).go(await linkFor(service, email, 'SETUP'), { password: PASSWORD })
    const { go, asked } = browserAt(server)
    const app = await go('/console/sign-in', { email, password: PASSWORD, next: '/console/payments' })
    assert.equal(app.path, APP)
    assert.equal((await go('/console/people')).path, APP)
    assert.equal((await go(`${APP}/keep`, filled(app.text, service.clock.realNow()))).status, 200)
    assert.equal((await go('/console/people')).status, 200)
    assert.ok(!asked.some((each) => each.includes('step-up')))
    await server.close()
  })

  const linkTo = ({ text }: Answer, says: string) => new RegExp(`<a class="button second" href="([^"]*)">${says}<`).exec(text)![1]!

  test('in the sandbox offers the app, without another question after the link', async () => {
    const service = await shared()
    const { cookie } = await newAdmin(service)
    const me = await ask(service, '/console/me', { cookie })
    const app = await ask(service, linkTo(me, 'Set one up'), { cookie })
    assert.equal(app.status, 200)
    const kept = await ask(service, `${APP}/keep`, { cookie, form: filled(app.text, service.clock.realNow()) })
    assert.equal(kept.status, 200)
    const codes = await ask(service, linkTo(await ask(service, '/console/me', { cookie }), 'Make new recovery codes'), { cookie })
    const made = await ask(service, '/console/me/codes', { cookie, form: { token: fieldIn(codes.text, 'token') } })
    assert.equal(made.text.match(/<code>[0-9a-f]{5}-[0-9a-f]{5}<\/code>/g)?.length, 10)
  })

  test('later asks for the proof first, and then shows what was pressed', async () => {
    const service = await shared()
    const { cookie } = await newAdmin(service)
    pass(service, 5 * MINUTE_MS)
    const pressed = await ask(service, linkTo(await ask(service, '/console/me', { cookie }), 'Set one up'), { cookie })
    const { searchParams } = new URL(pressed.location!, service.url)
    const form = { token: await tokenOf(service, cookie), password: PASSWORD, next: searchParams.get('next')! }
    const proven = await ask(service, '/console/step-up', { cookie, form })
    const shown = await ask(service, proven.location!, { cookie: proven.cookie })
    assert.match(shown.text, /Set up an authenticator app/)
    pass(service, 14 * MINUTE_MS)
    const kept = await ask(service, `${APP}/keep`, { cookie: proven.cookie, form: filled(shown.text, service.clock.realNow()) })
    assert.equal(kept.status, 200)
  })

  test('shows another code where the page is older than a quarter of an hour, and takes none that another page made up', async () => {
    const service = await shared()
    const { cookie } = await newAdmin(service)
    const shown = await ask(service, APP, { cookie })
    for (const ms of [14, 2]) {
      pass(service, ms * MINUTE_MS)
      await ask(service, '/console', { cookie })
    }
    const old = await ask(service, `${APP}/keep`, { cookie, form: filled(shown.text, service.clock.realNow()) })
    assert.equal(old.location, APP)
    const token = await tokenOf(service, cookie)
    const sealed = service.ports.vault.seal(`${service.clock.realNow()}|${'A'.repeat(32)}`, 'console.totp|x|1')
    for (const invented of [sealed, 'v1.', '', 'x'])
      assert.equal((await ask(service, `${APP}/keep`, { cookie, form: { token, sealed: invented, code: '000000' } })).status, 400, invented)
  })
})
