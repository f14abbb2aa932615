// A lane of `npm run pages` (pages.ts): its own service, shop and browser, which run one named case after another. Its standard output is
// the service's log. At the end it reports the payers' secrets that it has found in pages and store.

import assert from 'node:assert/strict'
import { ServerResponse } from 'node:http'
import { SANDBOX_OTP } from '../../src/adapters/acquirer/sandbox/sandbox.ts'
import type { Language } from '../../src/pages/kit/messages/messages.ts'
import { amountCases, amountWorld, nameOfAmountCase, runAmountCase } from '../support/pages/amount-cases.ts'
import { axe, launch, openShop } from '../support/pages/browser.ts'
import { loaderCases, nameOfLoaderCase, runLoaderCase } from '../support/pages/loader-cases.ts'
import { cases, nameOf, runCase, type Taken, type World } from '../support/pages/page-cases.ts'
import { cutIn, cutWhenLarger } from '../support/pages/page-cut.ts'
import { byKeyboard } from '../support/pages/page-hands.ts'
import { eventNames, lostBy } from '../support/pages/page-kept.ts'
import { middles, nameOfMiddle, runMiddle } from '../support/pages/page-middles.ts'
import { SIZES, unseenAmiss, unseenIn } from '../support/pages/page-seen.ts'
import { assertHeard, heard, inState, states } from '../support/pages/page-states.ts'
import { browserWays, TYPED_ACCOUNT, TYPED_CARD } from '../support/pages/page-ways.ts'
import { type Service, startService } from '../support/run/service.ts'
import { bytesBelow, found, foundWords } from '../support/text/found.ts'

/** Part of every order's number, so that pages, store and log contain it. The search for secrets must find it. */
export const CONTROL = 'Control7f3a'
export interface Found {
  pages: number
  storeBytes: number
  /** The findings of each place, without the control. */
  inPages: string[]
  inStore: string[]
  isControlInPages: boolean
  isControlInStore: boolean
  /** For the process that has the log. */
  secrets: string[]
  words: string[]
}

// ---------------------------------------------------------------------------------------------- what leaves the service

const written: { address: string; html: string }[] = []
const secrets = { tokens: new Set<string>(), pages: new Set<string>(), codes: new Set<string>([SANDBOX_OTP]) }
const own: Service[] = []
const isOwn = (host: string | undefined) => own.some(({ url }) => new URL(url).host === host)

/** Listens to every answer of the service as it is sent. Keeps pages, and of other answers the tokens and codes. */
function listen() {
  const { end } = ServerResponse.prototype
  ServerResponse.prototype.end = function (this: ServerResponse, ...given: unknown[]) {
    const { req } = this
    const text = typeof given[0] === 'string' || Buffer.isBuffer(given[0]) ? String(given[0]) : ''
    if (isOwn(req.headers.host)) {
      for (const [, id] of (req.url ?? '').matchAll(/\/pay\/([0-9a-f]{32})/g)) secrets.pages.add(id!)
      if (text.startsWith('<!doctype html>')) written.push({ address: req.url ?? '', html: text })
      for (const [, token] of text.matchAll(/"(?:txnToken|accessToken)":"([^"]+)"/g)) secrets.tokens.add(token!)
      for (const [, otp] of text.matchAll(/"otp":"(\d{6})"/g)) secrets.codes.add(otp!)
    }
    return (end as (...all: unknown[]) => ServerResponse).apply(this, given)
  } as typeof end
}

const typed = [TYPED_CARD.number, TYPED_CARD.otpNumber, TYPED_ACCOUNT]
const grouped = (number: string) => number.replace(/(.{4})(?=.)/g, '$1 ')

/** A QR code's path is digits without meaning. The sandbox's drawer and its form are there to show the sandbox's codes. */
const ofPage = (html: string) => html.replace(/ d="[^"]*"/g, '').replace(/<aside class="sheet alone drawer"[\s\S]*?<\/aside>/g, '')

/** A page contains its own id and no other. */
function foundInPages(): string[] {
  const hits = new Set<string>()
  const all = Buffer.from(written.map(({ html }) => ofPage(html)).join('\n'))
  for (const hit of found(all, [...typed, ...typed.map(grouped), ...secrets.tokens])) hits.add(hit)
  for (const hit of foundWords(all, [TYPED_CARD.cvv, ...secrets.codes])) hits.add(hit)
  for (const { address, html } of written)
    for (const [id] of html.matchAll(/[0-9a-f]{32}/g))
      if (secrets.pages.has(id) && !address.includes(id)) hits.add(`the page ${id} in ${address.split('/')[1]}`)
  return [...hits]
}

function lookForSecrets(): Found {
  const store = Buffer.concat(own.map(({ place }) => bytesBelow(place.dataFolder)))
  const long = [...typed, ...secrets.tokens, ...secrets.pages]
  const words = [TYPED_CARD.cvv, ...secrets.codes]
  return {
    pages: written.length,
    storeBytes: store.length,
    inPages: foundInPages(),
    inStore: [...found(store, long), ...foundWords(store, words)],
    isControlInPages: written.some(({ html }) => html.includes(CONTROL)),
    isControlInStore: store.includes(CONTROL),
    secrets: long,
    words,
  }
}

// ---------------------------------------------------------------------------------------------------------- the parts

let orders = 0
const newId = () => `${CONTROL}_${process.pid}_${++orders}`

export interface Reported {
  views?: number
  /** Paid orders. For each, the amount taken was compared with the button. */
  paid?: number
  snapshot?: string
  /** The parts of the state that are out of sight for a reason. */
  excepted?: readonly string[]
}
const paidIn = async (taken: Promise<Taken>): Promise<Reported> => ({ paid: (await taken) === 'once' ? 1 : 0 })
async function started(more: Parameters<typeof startService>[1]): Promise<Service> {
  const service = await startService('sqlite', { env: { MOHUR_LOG: 'debug' }, ...more })
  own.push(service)
  return service
}
/** The service of the cases of amounts, started with the first of them, because it has other offers. */
let offering: Promise<Service> | undefined

/** The work of a lane, by part and name of a case. */
const works: Readonly<Record<string, (world: World, name: string) => Promise<Reported>>> = {
  ends: (world, name) => paidIn(runCase(world, cases.find((each) => nameOf(each) === name)!, newId())),
  middles: (world, name) => paidIn(runMiddle(world, middles.find((each) => nameOfMiddle(each) === name)!, newId())),
  loader: (world, name) => paidIn(runLoaderCase(world, loaderCases.find((each) => nameOfLoaderCase(each) === name)!, newId())),
  async amounts(world, name) {
    offering ??= started({ world: amountWorld })
    await runAmountCase({ ...world, service: await offering }, amountCases.find((each) => nameOfAmountCase(each) === name)!, newId())
    return { paid: 1 }
  },
  keys(world, name) {
    const [way, script] = name.split(', ')
    const one = { way: way!, end: 'pays', hasScript: script === 'script', isFramed: false } as const
    return paidIn(runCase(world, one, newId(), byKeyboard))
  },
  async reach(world, name) {
    const [state, language] = name.split(', ') as [string, Language]
    const orderId = newId()
    const { page, context } = await inState(world, { state, language }, orderId)
    const wrong: string[] = []
    let views = 0
    try {
      await assertHeard(page, { state, language }, orderId)
      for (const width of [1280, 320])
        for (const colorScheme of ['light', 'dark'] as const) {
          views++
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize({ width, height: 800 })
          for (const each of [...(await axe(page)), ...(await cutIn(page))]) wrong.push(`${colorScheme} ${width}: ${each}`)
          if (colorScheme === 'light') for (const each of await cutWhenLarger(page)) wrong.push(`${width}: ${each}`)
        }
    } finally {
      await context.close()
    }
    assert.deepEqual(wrong, [])
    return { views }
  },
  async seen(world, name) {
    const [state, language] = name.split(', ') as [string, Language]
    const wrong: string[] = []
    const excepted: string[] = []
    let views = 0
    for (const colorScheme of ['light', 'dark'] as const)
      for (const viewport of SIZES) {
        const { page, context } = await inState(world, { state, language, viewport, colorScheme }, newId())
        try {
          const unseen = await unseenIn(page)
          const amiss = unseenAmiss(state, viewport.width, unseen)
          views++
          if (amiss.length > 0) wrong.push(`${colorScheme} ${viewport.width}: ${amiss.join(' and ')} out of sight`)
          for (const part of unseen) if (!amiss.includes(part)) excepted.push(`${viewport.width} ${part}`)
        } finally {
          await context.close()
        }
      }
    assert.deepEqual(wrong, [])
    return { views, excepted }
  },
  async typed(world, name) {
    assert.deepEqual(await lostBy(world, name, newId()), [])
    return {}
  },
  async snapshots(world, name) {
    const [state, language] = name.split(', ') as [string, Language]
    const orderId = newId()
    const { page, context } = await inState(world, { state, language }, orderId)
    try {
      return { snapshot: await heard(page, orderId) }
    } finally {
      await context.close()
    }
  },
}
export const namesOf: Readonly<Record<string, readonly string[]>> = {
  ends: cases.map(nameOf),
  middles: middles.map(nameOfMiddle),
  loader: loaderCases.map(nameOfLoaderCase),
  amounts: amountCases.map(nameOfAmountCase),
  keys: Object.keys(browserWays).flatMap((way) => [`${way}, script`, `${way}, no script`]),
  reach: Object.keys(states).flatMap((state) => [`${state}, en`, `${state}, hi`]),
  seen: Object.keys(states).flatMap((state) => [`${state}, en`, `${state}, hi`]),
  typed: eventNames,
  snapshots: Object.keys(states).flatMap((state) => [`${state}, en`, `${state}, hi`]),
}

// ----------------------------------------------------------------------------------------------------------- the lane

const CASE_MS = 150_000

if (process.argv[1] === import.meta.filename) {
  process.on('disconnect', () => process.exit())
  const tell = (message: object) => process.send?.(message)
  listen()
  const [service, shop, browser] = await Promise.all([started({}), openShop(), launch()])
  const world = { service, shop, browser }
  process.on('message', async ({ part, name }: { part: string; name?: string }) => {
    if (part === 'end') {
      tell({ found: lookForSecrets() })
      for (const each of [browser, shop, ...own]) await each.close()
      process.disconnect?.()
      return
    }
    const late = AbortSignal.timeout(CASE_MS)
    try {
      const tooLong = new Promise<never>((_, no) => late.addEventListener('abort', () => no(new Error('it takes too long'))))
      const work = works[part]
      assert.ok(work && name, part)
      tell({ name, reported: await Promise.race([work(world, name), tooLong]) })
    } catch (error) {
      const { message, stack = '' } = error as Error
      for (const context of browser.contexts()) await context.close()
      const place =
        stack
          .split('\n')
          .find((line) => line.includes('page-'))
          ?.replace(/^.*\//, '') ?? ''
      tell({ name, failure: `${message.split('\n').slice(0, 12).join(' ').slice(0, 600)} (${place}` })
    }
  })
  tell({ ready: true })
}
