/**
 * Kills the service with SIGKILL while one person asks for large refunds and another gives them, and starts it again:
 *
 *     node bin/run.mjs test/crash/approval-loop.ts --store sqlite|postgres --times 100 [--seed 1]
 *
 * Requests that a kill left are given after the next start. At the end time moves until the bank has answered about each refund. Each given
 * request must have its refund and its audit rows. No large refund may be there without a given request. The bank must have given back each
 * refund once.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { Vault } from '../../src/adapters/store/vault.ts'
import { refIdOf } from '../../src/flows/ask-for-refund.ts'
import { sign } from '../../src/interface/checksum.ts'
import { ask } from '../support/console/desk.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { CARD } from '../support/paying/paying.ts'
import { mohurCommand, type ServedProcess, serveProcess } from '../support/run/process.ts'
import { KEY, MID, type StoreName } from '../support/run/service.ts'
import { Random } from '../support/text/random.ts'
import { breachesIn, fromShell, inPlace, MASTER_KEY, type Place, settingsOf, settle, within } from './place.ts'

const DESKS = 4 // at the same time: each asks and gives one refund after another
const GIVEN_MIN = 2 // of a round before its kill may come
const LOAD_MS_MAX = 250 // after that
const APART_MS_MAX = 60
const PASSWORD = 'correct horse 7 battery'

export interface ApprovalFigures {
  store: StoreName
  seed: number
  kills: number
  asked: number
  given: number
  /** Requests that a kill left, and that were given after the next start. */
  givenLater: number
  /** Requests that a person saw, and that the store lacks or has otherwise. */
  broken: number
  /** Given requests without their refund, and large refunds without a given request. */
  withoutRefund: number
  withoutApproval: number
  /** Refunds that the bank gave back twice, and those that it did not give back. */
  sentTwice: number
  notSent: number
  /** Audit rows of requests, approvals and refunds, less the rows that they are about. */
  auditRows: number
  breaches: string[]
  unexpected: Record<string, number>
}
export const isSound = ({ broken, withoutRefund, withoutApproval, sentTwice, notSent, auditRows, breaches, unexpected }: ApprovalFigures) =>
  broken +
    withoutRefund +
    withoutApproval +
    sentTwice +
    notSent +
    Math.abs(auditRows) +
    breaches.length +
    Object.keys(unexpected).length ===
  0

interface Loop extends Place {
  random: Random
  asked: Set<string>
  given: Set<string>
  unexpected: Record<string, number>
}

export const approvalLoop = (store: StoreName, times: number, seed: number): Promise<ApprovalFigures> =>
  inPlace(store, 'approval', (place) =>
    run({ ...place, random: new Random(seed), asked: new Set(), given: new Set(), unexpected: {} }, times, seed),
  )

const settingsOfLoop = (loop: Loop) => ({ ...settingsOf(loop), MOHUR_CONSOLE_APPROVALS: 'on' })

interface Signed {
  cookie: string
  token: string
}
const PEOPLE = { asker: 'asker@staff.test', giver: 'giver@staff.test' } as const

async function run(loop: Loop, times: number, seed: number): Promise<ApprovalFigures> {
  await invite(loop)
  let givenLater = 0
  for (let time = 0; time < times; time++) {
    const service = await serveProcess(settingsOfLoop(loop))
    const [asker, giver] = [await signedIn(service, PEOPLE.asker), await signedIn(service, PEOPLE.giver)]
    for (const id of loop.asked)
      if (!loop.given.has(id)) {
        await give(loop, service, giver, id)
        givenLater++
      }
    const underLoad = Promise.withResolvers<void>()
    let givenNow = 0
    const isGiven = () => ++givenNow >= GIVEN_MIN && underLoad.resolve()
    const load = Array.from({ length: DESKS }, (_, desk) => atDesk(loop, { service, asker, giver, prefix: `K${time}-${desk}`, isGiven }))
    await Promise.race([underLoad.promise, Promise.all(load)])
    await sleep(loop.random.below(LOAD_MS_MAX))
    await service.kill('SIGKILL')
    await Promise.all(load)
  }
  await settle(loop, () => serveProcess(settingsOfLoop(loop)))
  const breaches = await breachesIn(loop, loop.folder)
  const { store, asked, given, unexpected } = loop
  const seen = { store, seed, kills: times, asked: asked.size, given: given.size, givenLater }
  return { ...seen, ...(await inspect(loop)), breaches, unexpected }
}

/** The two people, as an operator's shell and their browsers make them. */
async function invite(loop: Loop) {
  const service = await serveProcess(settingsOfLoop(loop))
  for (const [email, role] of [
    [PEOPLE.asker, 'finance'],
    [PEOPLE.giver, 'operations'],
  ] as const) {
    const { out, err } = await mohurCommand(['operator', 'setup', '--email', email, '--role', role], settingsOfLoop(loop))
    const path = /(\/console\/set-up\/\S+)/.exec(out)?.[1]
    if (!path) throw new Error(`no link: ${out}${err}`)
    const { status } = await ask(service, path, { form: { password: PASSWORD } })
    if (status !== 303) throw new Error(`the password was not set: ${status}`)
  }
  await service.kill('SIGTERM')
}

async function signedIn(service: ServedProcess, email: string): Promise<Signed> {
  const { cookie } = await ask(service, '/console/sign-in', { form: { email, password: PASSWORD } })
  const { text } = await ask(service, '/console/me', { cookie })
  return { cookie: cookie!, token: fieldIn(text, 'token') }
}
const fieldIn = (text: string, name: string) => new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(text)?.[1] ?? ''

interface Desk {
  service: ServedProcess
  asker: Signed
  giver: Signed
  prefix: string
  isGiven(): void
}

/** Pays an order, asks for its refund and gives it, until the service is gone. */
async function atDesk(loop: Loop, { service, asker, giver, prefix, isGiven }: Desk) {
  try {
    for (let number = 0; ; number++) {
      const orderId = `${prefix}-${number}`
      const body = JSON.stringify(orderBody(orderId, { txnAmount: { value: '20000.00', currency: 'INR' } }))
      const created = await post(
        service,
        `/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=${orderId}`,
        `{"head":{"signature":"${sign(body, KEY, 'Ab3=')}"},"body":${body}}`,
      )
      const payment = { requestType: 'NATIVE', mid: MID, orderId, ...CARD }
      const paid = await post(
        service,
        `/theia/api/v1/processTransaction?mid=${MID}&orderId=${orderId}`,
        JSON.stringify({ head: { txnToken: created.txnToken }, body: payment }),
      )
      const at = `/console/payments/${MID}/${paid.txnId}/refund`
      const { text } = await ask(service, at, { cookie: asker.cookie })
      const [id, mark, version] = [fieldIn(text, 'id'), fieldIn(text, 'mark'), fieldIn(text, 'version')]
      const form = { token: asker.token, id, mark, version, amount: '15000', reason: 'the shop closed' }
      const asked = await ask(service, at, { cookie: asker.cookie, form })
      if (asked.location === `/console/approvals/${id}`) loop.asked.add(id)
      else note(loop, `asked: ${asked.status}`)
      await sleep(loop.random.below(APART_MS_MAX)) // so that kills come between asking and giving too
      await give(loop, service, giver, id)
      isGiven()
    }
  } catch {
    // The kill came in the middle of a call, which is what this test looks for.
  }
}

async function give(loop: Loop, service: ServedProcess, { cookie, token }: Signed, id: string) {
  const { status } = await ask(service, `/console/approvals/${id}/give`, { cookie, form: { token } })
  // A decided one was given before the kill, and its answer was lost.
  if (status === 303 || status === 409) loop.given.add(id)
  else note(loop, `given: ${status}`)
}

const note = ({ unexpected }: Loop, what: string) => {
  unexpected[what] = (unexpected[what] ?? 0) + 1
}

// biome-ignore lint/suspicious/noExplicitAny: replies are what is about to be judged
async function post({ url }: ServedProcess, path: string, body: string): Promise<any> {
  const response = await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { body: unknown }).body
}

async function inspect(loop: Loop) {
  const journal = await within(
    loop,
    (rows) => rows<{ key: string }>("select key from bank_journal where outcome = 'success' and kind = 'refund'"),
    'bank.sqlite',
  )
  return within(loop, async (rows) => {
    const approvals = await rows<{ id: string; status: string }>('select approval_id as id, status from approvals')
    const refunds = await rows<{ id: string }>('select ref_id as id from refunds')
    const logged = await rows<{ id: string }>(
      "select audit_id as id from audit_log where (action, outcome) in (('approval.ask', 'asked'), ('approval.give', 'given'), ('payment.refund', 'success'))",
    )
    const vault = new Vault(MASTER_KEY)
    const statusOf = new Map(approvals.map(({ id, status }) => [id, status]))
    const given = approvals.filter(({ status }) => status === 'GIVEN').map(({ id }) => refIdOf(vault, id))
    const [made, wanted] = [new Set(refunds.map(({ id }) => id)), new Set(given)]
    const sent = journal.map(({ key }) => key.split(':').at(-1)!)
    return {
      broken:
        [...loop.asked].filter((id) => !statusOf.has(id)).length + [...loop.given].filter((id) => statusOf.get(id) !== 'GIVEN').length,
      withoutRefund: given.filter((refId) => !made.has(refId)).length,
      withoutApproval: [...made].filter((refId) => !wanted.has(refId)).length,
      sentTwice: sent.length - new Set(sent).size,
      notSent: [...made].filter((refId) => !sent.includes(refId)).length,
      auditRows: logged.length - approvals.length - given.length - refunds.length,
    }
  })
}

if (process.argv[1] === import.meta.filename)
  await fromShell({ times: 100 }, (store, seed, { times }) => approvalLoop(store, times, seed), isSound)
