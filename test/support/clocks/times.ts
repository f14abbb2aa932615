// The times by which console, sign-in and payers' pages open or lock, each as a browser or a client meets it.

import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { operatorLink } from '../../../src/flows/operator-links.ts'
import { signInFailuresKey } from '../../../src/tables/keys.ts'
import { ask as askConsole, PASSWORD } from '../console/desk.ts'
import { subscription } from '../mandates/subscription.ts'
import { consented } from '../mandates/timeline.ts'
import { type Agreed, askedFor, linkOf, opened } from '../pages/mandate-page.ts'
import { ask as askPage, openPage } from '../pages/pages.ts'
import { createOrder, type Order } from '../paying/paying.ts'
import type { Service } from '../run/service.ts'
import { inbox, otherThan, receive, send, validate } from '../signin/signin.ts'
import { type OrderToPay, orderToPay, receiveAt, sendAt, validateAt } from '../signin/tokens.ts'

export const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]

/** True where the time opens its door, or locks. */
type Probe = () => Promise<boolean>

export interface Timed {
  name: string
  kind: 'opens' | 'locks'
  lifeMs: number
  /** The service forgets it soon after its end, so that no clock brings it back. */
  forgotten?: boolean
  /** Prepares a person under a right clock. Each call of the result makes the time anew for that person. */
  begin(service: Service): Promise<() => Promise<Probe>>
}

let drawn = 0
const nextId = () => `JUMP${++drawn}`
const nextPhone = () => String(9_700_000_000 + ++drawn)
const nextNetwork = () => ({ 'x-forwarded-for': `10.${(++drawn >> 8) & 255}.${drawn & 255}.1` })

// ------------------------------------------------------------------------------------------------------------- the console

export async function linkFor({ ports }: Service, email: string, kind: 'SETUP' | 'RESET') {
  const person = { email, name: 'Somebody', roles: ['admin'] as const, mids: null }
  const made = await operatorLink(ports, { kind, person, by: { operatorId: 'shell', network: '' } })
  assert.ok('link' in made)
  return `/console/set-up/${made.link}`
}
export async function newAdmin(service: Service) {
  const [email, headers] = [`${nextId()}@staff.test`.toLowerCase(), nextNetwork()]
  const set = await askConsole(service, await linkFor(service, email, 'SETUP'), { form: { password: PASSWORD }, headers })
  assert.equal(set.status, 303)
  const signIn = (code = '', password = PASSWORD) =>
    askConsole(service, '/console/sign-in', { form: { email, password, ...(code && { code }) }, headers })
  return { email, headers, cookie: set.cookie!, signIn }
}
export const tokenOf = async (service: Service, cookie: string) =>
  /name="token" value="([^"]*)"/.exec((await askConsole(service, '/console/me', { cookie })).text)?.[1] ?? ''

/** As `newAdmin`, with an authenticator app. `code` is the app's code at the service's time. */
export async function newAdminWithApp(service: Service) {
  const admin = await newAdmin(service)
  const form = { token: await tokenOf(service, admin.cookie), password: PASSWORD }
  const { cookie } = await askConsole(service, '/console/step-up', { cookie: admin.cookie, form, headers: admin.headers })
  const token = await tokenOf(service, cookie!)
  const { text } = await askConsole(service, '/console/me/app', { cookie })
  const totp = new TOTP({ secret: Secret.fromBase32(/<code>([A-Z2-7]{32})<\/code>/.exec(text)![1]!) })
  const code = () => totp.generate({ timestamp: service.clock.realNow() })
  const sealed = /name="sealed" value="([^"]*)"/.exec(text)![1]!
  const kept = await askConsole(service, '/console/me/app/keep', { cookie, form: { token, sealed, code: code() } })
  assert.equal(kept.status, 200)
  const recovery = [...kept.text.matchAll(/<code>([0-9a-f]{5}-[0-9a-f]{5})<\/code>/g)].map(([, each]) => each!)
  return { ...admin, cookie: cookie!, code, recovery }
}

const session: Timed = {
  ...{ name: 'a session of the console', kind: 'opens', lifeMs: 15 * MINUTE_MS, forgotten: true },
  async begin(service) {
    const { signIn } = await newAdmin(service)
    return async () => {
      const { cookie } = await signIn()
      return async () => (await askConsole(service, '/console/me', { cookie })).status === 200
    }
  },
}

const proof: Timed = {
  ...{ name: 'a proof in a session', kind: 'opens', lifeMs: 5 * MINUTE_MS, forgotten: true },
  async begin(service) {
    const { signIn, headers } = await newAdmin(service)
    return async () => {
      const first = (await signIn()).cookie!
      const proven = { token: await tokenOf(service, first), password: PASSWORD }
      const { cookie } = await askConsole(service, '/console/step-up', { cookie: first, form: proven, headers })
      const token = await tokenOf(service, cookie!)
      // Once the service believes the proof, it answers a form without roles with a sentence.
      return async () => (await askConsole(service, '/console/people', { cookie, form: { token } })).status === 422
    }
  },
}

const setUpLink: Timed = {
  ...{ name: 'a link that sets a password', kind: 'opens', lifeMs: 15 * MINUTE_MS, forgotten: true },
  async begin(service) {
    const { email } = await newAdmin(service)
    return async () => {
      const path = await linkFor(service, email, 'RESET')
      return async () => {
        const shown = (await askConsole(service, path)).status === 200
        const set = await askConsole(service, path, { form: { password: `another horse ${++drawn} battery` } })
        return shown || set.status !== 404
      }
    }
  },
}

const appPage: Timed = {
  ...{ name: 'a page that sets up an app', kind: 'opens', lifeMs: 15 * MINUTE_MS },
  async begin(service) {
    const { signIn } = await newAdmin(service)
    return async () => {
      const { cookie } = await signIn()
      const shown = await askConsole(service, '/console/me/app', { cookie })
      const sealed = /name="sealed" value="([^"]*)"/.exec(shown.text)![1]!
      return async () => {
        const later = (await signIn()).cookie!
        const form = { token: await tokenOf(service, later), sealed, code: '000000' }
        return (await askConsole(service, '/console/me/app/keep', { cookie: later, form })).status === 422
      }
    }
  },
}

/** A network that has to wait lets in only known browsers. */
const knownBrowser: Timed = {
  ...{ name: 'a cookie of a known browser', kind: 'opens', lifeMs: 90 * DAY_MS },
  async begin(service) {
    const { email, signIn } = await newAdmin(service)
    return async () => {
      const { known } = await signIn()
      return async () => {
        const headers = nextNetwork()
        await failedOften(service, headers['x-forwarded-for'])
        return (await askConsole(service, '/console/sign-in', { known, form: { email, password: PASSWORD }, headers })).status === 303
      }
    }
  },
}

async function failedOften({ clock, store }: Service, network: string) {
  const lastAt = clock.realNow()
  const row = { emailHash: '', caller: network, failedAt: Array.from({ length: 100 }, () => lastAt), lastAt }
  const change = { kind: 'insert', key: signInFailuresKey('', network), row } as const
  await store.transaction((transaction) => transaction.write({ changes: [change], events: [], tasks: [] }))
}

const wrongTries: Timed = {
  ...{ name: 'ten wrong tries of a pair', kind: 'locks', lifeMs: 30 * MINUTE_MS },
  async begin(service) {
    const { signIn } = await newAdmin(service)
    return async () => {
      for (let nth = 0; nth < 10; nth++) assert.equal((await signIn('', 'wrong')).status, 422)
      return async () => (await signIn()).status === 429
    }
  },
}

const wrongTriesOfNetwork: Timed = {
  ...{ name: 'a hundred wrong tries of a network', kind: 'locks', lifeMs: HOUR_MS },
  async begin(service) {
    const { signIn, headers } = await newAdmin(service)
    const network = headers['x-forwarded-for']
    return async () => {
      await failedOften(service, network)
      return async () => (await signIn()).status === 429
    }
  },
}

// ----------------------------------------------------------------------------------------------------------------- sign-in

const GOOD = 'BE1400001'

const oneTimePassword: Timed = {
  ...{ name: 'a one-time password', kind: 'opens', lifeMs: 5 * MINUTE_MS },
  async begin(service) {
    const phone = nextPhone()
    return async () => {
      const sent = await receive(service, phone)
      return async () => (await validate(service, sent)).body.responseCode === GOOD
    }
  },
}

const wrongPasswords: Timed = {
  ...{ name: 'nine wrong one-time passwords of a device', kind: 'locks', lifeMs: HOUR_MS },
  async begin(service) {
    const phone = nextPhone()
    return async () => {
      for (let nth = 0; nth < 3; nth++) {
        const sent = await receive(service, phone)
        for (let tried = 0; tried < 3; tried++) await validate(service, { ...sent, otp: otherThan(sent.otp) })
      }
      return async () => (await validate(service, await receive(service, phone))).body.responseCode !== GOOD
    }
  },
}

const sends: Timed = {
  ...{ name: 'five one-time passwords for a number', kind: 'locks', lifeMs: HOUR_MS },
  async begin(service) {
    const phone = nextPhone()
    return async () => {
      for (let nth = 0; nth < 5; nth++) assert.equal((await send(service, { phone })).body.responseCode, GOOD)
      return async () => (await send(service, { phone })).body.responseCode !== GOOD
    }
  },
}

// ------------------------------------------------------------------------------------------------------------ payers' pages

const SENT = '01'

const paymentPage: Timed = {
  ...{ name: 'a payment page', kind: 'opens', lifeMs: 15 * MINUTE_MS },
  async begin(service) {
    let order: Order | undefined
    return async () => {
      order ??= await createOrder(service, nextId())
      const page = await openPage(service, order)
      return async () => (JSON.parse((await askPage(service, `${page}/state`)).text).version as string).startsWith('choices.')
    }
  },
}

const checkoutCode: Timed = {
  ...{ name: 'a code at the checkout', kind: 'opens', lifeMs: 2 * MINUTE_MS },
  async begin(service) {
    let order: OrderToPay | undefined
    const phone = nextPhone()
    return async () => {
      order ??= await orderToPay(service, nextId())
      const [payable, otp] = [order, await receiveAt(service, order, phone)]
      return async () => (await validateAt(service, payable, otp)).body.resultInfo?.resultStatus === 'S'
    }
  },
}

const checkoutSends: Timed = {
  ...{ name: 'five codes at checkouts for a number', kind: 'locks', lifeMs: HOUR_MS },
  async begin(service) {
    const phone = nextPhone()
    return async () => {
      const order = await orderToPay(service, nextId())
      for (let nth = 0; nth < 5; nth++) await receiveAt(service, order, phone)
      return async () => (await sendAt(service, await orderToPay(service, nextId()), phone)).body.resultInfo?.resultCode !== SENT
    }
  },
}

/** An active mandate, with the message that leads to its page. */
async function newMandate(service: Service): Promise<Agreed> {
  const [orderId, mobile] = [nextId(), nextPhone()]
  const dayIn = (days: number) => new Date(service.clock.now() + days * DAY_MS).toISOString().slice(0, 10)
  const dates = { subscriptionStartDate: dayIn(200), subscriptionExpiryDate: dayIn(700) }
  const amounts = { txnAmount: { value: '1.00', currency: 'INR' }, renewalAmount: '499.00' }
  const terms = { ...dates, ...amounts, communicationManager: true, userInfo: { custId: orderId, mobile } }
  const { subscriptionId } = await consented(service, orderId, subscription(orderId, terms))
  await service.tasks.runDue()
  return { subscriptionId, orderId, mobile }
}
const isShown = (text: string) => text.includes('This mandate is active')

const mandatePage: Timed = {
  ...{ name: 'a mandate’s page', kind: 'opens', lifeMs: 15 * MINUTE_MS },
  async begin(service) {
    const agreed = await newMandate(service)
    return async () => {
      const visitor = await opened(service, agreed)
      return async () => isShown((await visitor.look()).text)
    }
  },
}

const mandateCode: Timed = {
  ...{ name: 'a code that opens a mandate’s page', kind: 'opens', lifeMs: 5 * MINUTE_MS },
  async begin(service) {
    const agreed = await newMandate(service)
    return async () => {
      const { visitor, otp } = await askedFor(service, agreed)
      await visitor.look()
      return async () => {
        const { status, text } = await visitor.send('/open', { code: otp })
        assert.ok(status < 500, `an answer ${status} to the code`)
        return isShown(text)
      }
    }
  },
}

const mandateSends: Timed = {
  ...{ name: 'five codes for a mandate’s page', kind: 'locks', lifeMs: HOUR_MS },
  async begin(service) {
    const agreed = await newMandate(service)
    const link = await linkOf(service, agreed)
    const count = async () => (await inbox(service, agreed.mobile)).length
    const another = () => askPage(service, `${link}/code`, { language: 'en' })
    return async () => {
      const before = await count()
      for (let nth = 0; nth < 5; nth++) await another()
      assert.equal(await count(), before + 5)
      return async () => {
        await another()
        return (await count()) === before + 5
      }
    }
  },
}

export const timesOfConsole: readonly Timed[] = [session, proof, setUpLink, appPage, knownBrowser, wrongTries, wrongTriesOfNetwork]
export const timesOfSignIn: readonly Timed[] = [oneTimePassword, wrongPasswords, sends]
export const timesOfPages: readonly Timed[] = [paymentPage, checkoutCode, checkoutSends, mandatePage, mandateCode, mandateSends]
