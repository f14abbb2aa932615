// All cases of the payment page in a real browser, with figures; exits with 1 when something is wrong: `npm run pages`. `npm run pages --
// middles` runs one part, `npm run pages -- ends=netBanking` the cases whose names contain a text. `npm run pages -- snapshots` writes anew
// what a screen reader reads in each state (test/snapshots).
//
//     ends       way to pay x how it ends x script x frame, and then the payers' secrets in all pages, the store and the log of these
//     middles    way to pay x interruption x script: paid once, or not at all
//     loader     way to pay x how it ends x overlay or element x `redirect` x handler, from a shop's page by the browser loader
//     amounts    way to pay x offer or part from the wallet x script
//     keys       way to pay x script, by the keyboard alone
//     reach      state x language x scheme x width: WCAG 2.2 AA, and nothing cut where text is larger or wider apart
//     seen       state x language x scheme x size of window: the choice, the amount, the terms and the next step are in the window
//     typed      way to pay x fault, redirect, language, lost network x script: typed values that may be kept are kept
//     hostile    50 hostile names of a shop
//     first      the size of the first view, and when it answers on a slow line
//
// Wherever an order is paid, the amount that the bank's journal and the wallet took is compared with the button.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Request } from 'playwright-core'
import { type Language, languages } from '../../src/pages/kit/messages/messages.ts'
import { addressOf, chromiumPath, launch, openShop } from '../support/pages/browser.ts'
import { OTHERWISE } from '../support/pages/page-amounts.ts'
import type { World } from '../support/pages/page-cases.ts'
import { keptSnapshots, snapshotFile, snapshotText, states } from '../support/pages/page-states.ts'
import { createOrder } from '../support/paying/paying.ts'
import { MID, startService } from '../support/run/service.ts'
import { found, foundWords } from '../support/text/found.ts'
import { CONTROL, type Found, namesOf, type Reported } from './page-lane.ts'

if (!chromiumPath) throw new Error('there is no Chromium here: apt-get install chromium-headless-shell, or MOHUR_CHROMIUM')
const PARTS = ['ends', 'middles', 'loader', 'amounts', 'keys', 'reach', 'seen', 'typed', 'hostile', 'first'] as const
const LANES = Math.max(2, availableParallelism())
const started = performance.now()
const seconds = (since: number) => `${Math.round((performance.now() - since) / 1_000)} s`
const failures: string[] = []

// ------------------------------------------------------------------------------------------------------------- lanes

interface Lane {
  child: ChildProcess
  log: Buffer[]
  ask(message: { part: string; name?: string }): Promise<{ reported?: Reported; failure?: string; found?: Found }>
}

async function openLane(): Promise<Lane> {
  const child = fork(join(import.meta.dirname, 'page-lane.ts'), { silent: true })
  const log: Buffer[] = []
  child.stdout!.on('data', (part) => log.push(part))
  child.stderr!.on('data', (part) => process.stderr.write(part))
  const heard = () =>
    new Promise<{ reported?: Reported; failure?: string; found?: Found }>((resolved, rejected) => {
      const gone = (code: number | null) => rejected(new Error(`a lane ended with ${code}`))
      child.once('exit', gone)
      child.once('message', (message) => {
        child.off('exit', gone)
        resolved(message as { reported?: Reported })
      })
    })
  await heard()
  return {
    child,
    log,
    ask(message) {
      const answer = heard()
      child.send(message)
      return answer
    },
  }
}

/** The states that show less than all, and where. Each has its reason in page-seen.ts. */
function excepted(reported: ReadonlyMap<string, Reported>): string {
  const lines = [...reported].flatMap(([name, { excepted: parts = [] }]) =>
    parts.length > 0 ? [`${name} (${[...new Set(parts)].join(', ')})`] : [],
  )
  return `less in sight for a reason: ${lines.join('; ') || 'nowhere'}`
}

async function runAll(lanes: readonly Lane[], part: string, wanted: string): Promise<Map<string, Reported>> {
  const names = namesOf[part]!.filter((name) => name.includes(wanted))
  const reported = new Map<string, Reported>()
  const began = performance.now()
  let next = 0
  await Promise.all(
    lanes.map(async (lane) => {
      while (next < names.length) {
        const name = names[next++]!
        const { reported: said, failure } = await lane.ask({ part, name })
        if (failure !== undefined) failures.push(`${part}: ${name}: ${failure}`)
        reported.set(name, said ?? {})
        console.error(`${part} ${reported.size} of ${names.length}: ${name}${failure === undefined ? '' : `: ${failure}`}`)
      }
    }),
  )
  if (reported.size !== names.length) failures.push(`${part}: ${reported.size} of ${names.length} cases were run`)
  const sum = (of: 'views' | 'paid') => [...reported.values()].reduce((all, each) => all + (each[of] ?? 0), 0)
  const otherwise = failures.filter((failure) => failure.startsWith(`${part}: `) && failure.includes(OTHERWISE)).length
  const paid = `, ${sum('paid')} paid once, ${reported.size - sum('paid')} not at all; ${otherwise} took other than the button said`
  const more =
    {
      ...Object.fromEntries(['ends', 'middles', 'loader', 'amounts', 'keys'].map((each) => [each, paid])),
      reach: `, ${sum('views')} views`,
      seen: `, ${sum('views')} views, ${excepted(reported)}`,
    }[part] ?? ''
  console.log(`${part}: ${reported.size} of ${names.length} cases in ${seconds(began)}${more}`)
  return reported
}

/** Looks for typed values, tokens and codes in everything that the lanes have written. */
async function lookForSecrets(lanes: readonly Lane[]) {
  const began = performance.now()
  const answers = await Promise.all(lanes.map(async (lane) => ({ log: lane.log, found: (await lane.ask({ part: 'end' })).found! })))
  let [pages, storeBytes, logBytes, controls] = [0, 0, 0, 0]
  const hits: string[] = []
  for (const { log, found: one } of answers) {
    const logged = Buffer.concat(log)
    pages += one.pages
    storeBytes += one.storeBytes
    logBytes += logged.length
    controls += [one.isControlInPages, one.isControlInStore, logged.includes(CONTROL)].filter(Boolean).length
    const inLog = [...found(logged, one.secrets), ...foundWords(logged, one.words)]
    for (const [place, secrets] of Object.entries({ pages: one.inPages, store: one.inStore, log: inLog }))
      for (const secret of secrets) hits.push(`${place}: ${secret}`)
  }
  const kinds = answers.reduce((sum, { found: { secrets, words } }) => sum + secrets.length + words.length, 0)
  for (const hit of hits) failures.push(`a secret in the ${hit}`)
  const places = 3 * answers.filter(({ found: { pages: drawn } }) => drawn > 0).length // few cases leave lanes without work
  if (controls !== places) failures.push(`the control value was found in ${controls} of ${places} places`)
  console.log(
    `secrets: ${kinds} in ${pages} pages, ${(storeBytes / 1e6).toFixed(1)} MB of stores, ${(logBytes / 1e6).toFixed(1)} MB of logs: ${hits.length} found; the control in ${controls} of ${places}, ${seconds(began)}`,
  )
}

// ------------------------------------------------------------------------------------------------------ hostile names

const HOSTILE = [
  '<script>document.title="ran"</script>',
  '"><img src=x onerror="document.title=\'ran\'">',
  '</title><svg onload="document.title=\'ran\'">',
  "' autofocus onfocus='document.title=\"ran\"' x='",
  '\u202e<b>',
  '&lt;script&gt;',
]
async function hostile({ service, shop, browser }: World) {
  const context = await browser.newContext()
  const page = await context.newPage()
  for (let at = 0; at < 50; at++) {
    const name = `${HOSTILE[at % HOSTILE.length]}${at}`
    const reported = await fetch(`${service.url}/sandbox/world`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ merchants: [{ mid: MID, name }] }),
    })
    assert.equal(reported.status, 200)
    const order = await createOrder(service, `H${at}`, { callbackUrl: `${shop.callbackUrl}?${encodeURIComponent(name)}` })
    await page.goto(addressOf(service, order))
    await page.locator('#way-upi').waitFor()
    assert.match(await page.title(), /^Pay /)
    assert.equal(await page.locator('.shop b').innerText(), name)
  }
  assert.match(await (await fetch(`${service.url}/metrics`)).text(), /mohur_page_reports_total 0/)
  await context.close()
  console.log('hostile: 50 pages, scripts run 0, reports of the policy 0')
}

// --------------------------------------------------------------------------------------------------------- first view

/** How far parts of the page have moved by themselves so far. It is Chromium's own measure, without moves after a key or a press. */
const SHIFTED = `new Promise((answer) => {
  let moved = 0
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) moved += value
  }).observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => requestAnimationFrame(() => answer(moved)))
})`

/** Times the page on a slow line until a control answers a key. */
async function first({ service, shop, browser }: World) {
  const times: number[] = []
  let sizes: number[] = []
  let shifted = 0
  for (let at = 0; at < 3; at++) {
    const order = await createOrder(service, `F${at}`, { callbackUrl: shop.callbackUrl })
    const context = await browser.newContext()
    const page = await context.newPage()
    const line = await context.newCDPSession(page)
    await line.send('Network.enable')
    const rate = 400_000 / 8
    await line.send('Network.emulateNetworkConditions', { offline: false, latency: 400, downloadThroughput: rate, uploadThroughput: rate })
    const bodies: Promise<Buffer>[] = []
    const asked = new Set<Request>() // until the payer acts: a press's requests are no part of the first view
    let isPressed = false
    page.on('request', (request) => isPressed || asked.add(request))
    page.on('response', (response) => {
      if (response.ok() && response.url().startsWith('http') && asked.has(response.request())) bodies.push(response.body())
    })
    const began = performance.now()
    await page.goto(addressOf(service, order), { waitUntil: 'commit' })
    await page.locator('#way-upi summary').waitFor()
    isPressed = true
    await page.locator('#way-card summary').press('Enter')
    await page.locator('#card-cardNumber').waitFor()
    times.push(performance.now() - began)
    await page.waitForLoadState('load')
    shifted = Math.max(shifted, await page.evaluate<number>(SHIFTED))
    sizes = (await Promise.all(bodies)).map((body) => gzipSync(body, { level: 9 }).length)
    await context.close()
  }
  const median = times.toSorted((a, b) => a - b)[1]!
  const weight = sizes.reduce((sum, size) => sum + size, 0)
  if (!(median <= 2_000)) failures.push(`the first view takes ${Math.round(median)} ms`)
  if (sizes.length !== 3 || weight > 10 * 1024) failures.push(`the first view is ${sizes.length} requests, ${weight} bytes`)
  if (shifted > 0) failures.push(`the first view shifts by ${shifted}`)
  console.log(
    `first: ${sizes.length} requests, ${weight} bytes (gzip -9); a control answers after ${Math.round(median)} ms at 400 kbit/s and 400 ms (median of three); layout shift ${shifted}`,
  )
}

// ----------------------------------------------------------------------------------------------------------- the run

const attempt = async (what: string, work: () => Promise<unknown>) => {
  try {
    await work()
  } catch (error) {
    failures.push(`${what}: ${String((error as Error).message).split('\n')[0]}`)
  }
}

/** States that this run did not visit keep their snapshot. */
function keepSnapshots(language: Language, reported: ReadonlyMap<string, Reported>) {
  const file = snapshotFile(language)
  const kept = existsSync(file) ? keptSnapshots(language) : new Map<string, string>()
  const now = Object.keys(states).map(
    (state) => [state, reported.get(`${state}, ${language}`)?.snapshot ?? kept.get(state) ?? 'nothing'] as const,
  )
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, snapshotText(new Map(now)))
}

/** Each part has lanes of its own: its cases move the clock, and the day of a later part's mandates would be over. */
async function inLanes(parts: readonly (readonly [part: string, wanted: string])[]) {
  for (const [part, wanted] of parts) {
    const lanes = await Promise.all(Array.from({ length: LANES }, openLane))
    try {
      const reported = await runAll(lanes, part, wanted)
      if (part === 'snapshots') for (const language of Object.keys(languages) as Language[]) keepSnapshots(language, reported)
      await lookForSecrets(lanes)
    } finally {
      for (const { child } of lanes) child.kill()
    }
  }
}

async function alone(parts: readonly string[]) {
  const [service, shop, browser] = await Promise.all([startService('sqlite'), openShop(), launch()])
  try {
    if (parts.includes('first')) await attempt('first', () => first({ service, shop, browser }))
    if (parts.includes('hostile')) await attempt('hostile', () => hostile({ service, shop, browser }))
  } finally {
    await browser.close()
    await shop.close()
    await service.close()
  }
}

const given = process.argv.slice(2).map((argument) => argument.split('=') as [string, string?])
const asked = (given.length > 0 ? given : PARTS.map((part) => [part] as [string, string?])).map(
  ([part, wanted = '']) => [part, wanted] as const,
)
for (const [part] of asked)
  assert.ok(part in namesOf || part === 'hostile' || part === 'first', `there is no part ${part}: ${PARTS.join(', ')}, snapshots`)
const laned = asked.filter(([part]) => part in namesOf)
if (laned.length > 0) await inLanes(laned)
if (laned.length < asked.length) await alone(asked.map(([part]) => part))
console.log(`${failures.length} failures, ${seconds(started)} in all, ${LANES} lanes`)
for (const failure of failures) console.error(`  ${failure}`)
process.exitCode = failures.length > 0 ? 1 : 0
