// Rotates a merchant's keys in every way, in drawn order, beside payments and notifications. No request with a living key's signature is
// refused. A key signs nothing before it is activated. On PostgreSQL two processes serve, each with its own five seconds.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { rotateKey } from '../../../src/domain/merchant/keys.ts'
import { activateKey, dropKey, prepareKey } from '../../../src/domain/merchant/prepared-key.ts'
import { joinedValues, sign, verify } from '../../../src/interface/checksum.ts'
import { merchantKeysOf } from '../../../src/tables/keys.ts'
import { pass } from '../../support/clocks/jumps.ts'
import { DAY_MS, HOUR_MS } from '../../support/clocks/times.ts'
import { notifiedWorld, receiver } from '../../support/notifications/receiver.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { CARD, pay } from '../../support/paying/paying.ts'
import { KEY, MID, onBothStores, type Service, startService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { MOHUR_MASTER_KEY } from '../../support/store/at-rest.ts'
import { assertHolds } from '../../support/store/verify.ts'
import { Random } from '../../support/text/random.ts'

const [PARTS, ROTATIONS] = [sized(1, 4), sized(40, 250)] // of each part
const SEED = 20261128
const PAID_EVERY = 4 // steps: a payment takes longer than ten of them
const KEPT_MS = 5_000 // docs/operating/rotate-a-key.md
const WAYS = ['rotate', 'prepare', 'prepare', 'prepare', 'activate', 'activate', 'activate', 'drop', 'now', 'activate now'] as const
const JSON_TYPE = { 'content-type': 'application/json' }
const CHANGES_SIGNER = ['rotated', 'ended', 'activated']

interface Known {
  key: string
  until: number
  isPrepared: boolean
  wasActivated: boolean
}
interface Step {
  way: (typeof WAYS)[number]
  key: string
}

/** The effect of each step by docs/operating/rotate-a-key.md. */
function after(keys: readonly Known[], { way, key }: Step, now: number): { answer: string; keys: readonly Known[] } {
  const hasPrepared = keys.some(({ isPrepared }) => isPrepared)
  const older = (until: number) => keys.map((each) => (each.isPrepared ? each : { ...each, until: Math.min(each.until, until) }))
  const made = { key, until: Number.POSITIVE_INFINITY }
  switch (way) {
    case 'rotate':
      if (hasPrepared) return { answer: 'onePrepared', keys }
      return { answer: 'rotated', keys: [...older(now + DAY_MS), { ...made, isPrepared: false, wasActivated: true }] }
    case 'now':
      return {
        answer: 'ended',
        keys: [...older(0).map((each) => ({ ...each, until: 0, isPrepared: false })), { ...made, isPrepared: false, wasActivated: true }],
      }
    case 'prepare':
      if (hasPrepared) return { answer: 'alreadyPrepared', keys }
      return { answer: 'prepared', keys: [...keys, { ...made, isPrepared: true, wasActivated: false }] }
    case 'drop':
      if (!hasPrepared) return { answer: 'notPrepared', keys }
      return { answer: 'dropped', keys: keys.map((each) => (each.isPrepared ? { ...each, isPrepared: false, until: 0 } : each)) }
    case 'activate':
    case 'activate now': {
      if (!hasPrepared) return { answer: 'notPrepared', keys }
      const left = older(way === 'activate' ? now + DAY_MS : 0)
      const answer = way === 'activate' ? 'activated' : 'ended'
      return { answer, keys: left.map((each) => (each.isPrepared ? { ...each, isPrepared: false, wasActivated: true } : each)) }
    }
    default:
      return way satisfies never
  }
}

function submit({ ports: { engine, clock } }: Service, { way, key }: Step) {
  const of = { mid: MID, clientId: 'C11', now: clock.now(), realNow: clock.realNow() }
  if (way === 'rotate' || way === 'now') return engine.submit(rotateKey, { ...of, atOnce: way === 'now', fresh: { key } })
  if (way === 'prepare') return engine.submit(prepareKey, { ...of, fresh: { key } })
  if (way === 'drop') return engine.submit(dropKey, of)
  return engine.submit(activateKey, { ...of, atOnce: way === 'activate now' })
}

/** The key, of all that were ever made, which signed this. */
const signerOf = (keys: readonly Known[], data: string, signature: string) => keys.find(({ key }) => verify(data, signature, key))

class Rotations {
  readonly random: Random
  readonly figures = { rotations: 0, steps: 0, pairs: 0, requests: 0, payments: 0, notifications: 0, worlds: 0 }
  readonly refused: string[] = []
  readonly wronglySigned: string[] = []
  readonly wronglyAccepted: string[] = []
  keys: readonly Known[] = [{ key: KEY, until: Number.POSITIVE_INFINITY, isPrepared: false, wasActivated: true }]
  #made = 0
  readonly #services: readonly Service[]
  readonly #journal: { body: string }[]

  constructor(services: readonly Service[], journal: { body: string }[], seed: number) {
    this.random = new Random(seed)
    this.#services = services
    this.#journal = journal
  }

  draw = (): Step => ({ way: this.random.pick(WAYS), key: `K${String(++this.#made).padStart(15, '0')}` })
  pass = (ms: number) => this.#services.forEach((each) => void pass(each, ms))
  living(keys = this.keys) {
    const now = this.#services[0]!.clock.realNow()
    return keys.filter(({ until }) => until > now + 30_000)
  }

  /** Whether the request is accepted, and its reply signed by the key of the request. */
  async #asks(service: Service, { key }: Known) {
    const asked = JSON.stringify({ mid: MID, orderId: 'NONE' })
    const text = `{"head":{"signature":"${sign(asked, key, 'salt')}"},"body":${asked}}`
    const replied = await (await fetch(`${service.url}/v3/order/status`, { method: 'POST', headers: JSON_TYPE, body: text })).text()
    this.figures.requests++
    const reply = JSON.parse(replied)
    const isTaken = reply.body.resultInfo.resultCode === '334'
    const bodyText = replied.slice(replied.indexOf('"body":') + '"body":'.length, -1)
    if (isTaken && !verify(bodyText, reply.head.signature, key)) this.wronglySigned.push(`the reply to ${key}`)
    return isTaken
  }

  /** Pays an order that `key` signed. The callback has the key of one that was activated. */
  async #pays(service: Service, { key }: Known, orderId: string) {
    const body = JSON.stringify(orderBody(orderId, { txnAmount: { value: '100.00', currency: 'INR' } }))
    const text = `{"head":{"signature":"${sign(body, key, 'salt')}"},"body":${body}}`
    const { body: created } = await service.post(`/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=${orderId}`, text)
    if (created.resultInfo.resultCode !== '0000') return void this.refused.push(`create with ${key}: ${created.resultInfo.resultCode}`)
    const paid = await pay(service, { orderId, txnToken: created.txnToken }, CARD)
    const { CHECKSUMHASH, ...fields } = paid.body.txnInfo
    assert.equal(fields.STATUS, 'TXN_SUCCESS', paid.text)
    this.figures.payments++
    return { data: joinedValues(fields), signature: CHECKSUMHASH as string }
  }

  /** One step, or two at once in two processes, beside requests and a payment. */
  async step() {
    const before = this.keys
    const steps = this.random.below(5) === 0 ? [this.draw(), this.draw()] : [this.draw()]
    const now = this.#services[0]!.clock.realNow()
    const asking = [...this.living()].sort(() => this.random.fraction() - 0.5).slice(0, 2)
    const payer = asking[0]!
    const orderId = `ROTATED${this.figures.steps}`
    const [replies, taken, paid] = await Promise.all([
      Promise.all(steps.map((each, at) => submit(this.#services[at % this.#services.length]!, each))),
      Promise.all(asking.map((known, at) => this.#asks(this.#services[at % this.#services.length]!, known))),
      // No payer uses keys that a step may end in the middle.
      steps.every(({ way }) => way === 'rotate' || way === 'prepare' || way === 'activate') && this.figures.steps % 4 === 0
        ? this.#pays(this.random.pick(this.#services), payer, orderId)
        : undefined,
    ])
    const answers = replies.map(({ result }) => result.name)
    const orders =
      steps.length === 1
        ? [[0]]
        : [
            [0, 1],
            [1, 0],
          ]
    const possible = orders.map((order) => {
      let keys = before
      const said: string[] = []
      for (const at of order) {
        const each = after(keys, steps[at]!, now)
        keys = each.keys
        said[at] = each.answer
      }
      return { said, keys }
    })
    // Two orders of the steps may have the same answers. The rows show which it was.
    const rows = await this.#services[0]!.ports.query.rows(merchantKeysOf(MID))
    const kept = rows.filter(({ retiresAt }) => retiresAt === null).map(({ key, isPrepared }) => `${key} ${isPrepared}`)
    const wanted = (keys: readonly Known[]) =>
      keys.filter(({ until }) => until === Number.POSITIVE_INFINITY).map(({ key, isPrepared }) => `${key} ${isPrepared}`)
    const happened = possible.find(
      ({ said, keys }) => said.join() === answers.join() && wanted(keys).sort().join() === kept.toSorted().join(),
    )
    const ways = steps.map(({ way }) => way).join(', ')
    assert.ok(
      happened,
      `${ways} answered ${answers} and left ${kept}, and not ${possible.map(({ said, keys }) => `${said} ${wanted(keys)}`)}`,
    )
    this.keys = happened.keys
    this.figures.steps++
    if (steps.length === 2) this.figures.pairs++
    this.figures.rotations += answers.filter((answer) => CHANGES_SIGNER.includes(answer)).length
    const alive = new Set(this.living(happened.keys).map(({ key }) => key))
    for (const [at, { key }] of asking.entries())
      if (alive.has(key) && !taken[at]) this.refused.push(`${key} beside ${steps.map(({ way }) => way)}`)
    if (paid) this.#judge('callback', paid.data, paid.signature)
  }

  #judge(what: string, data: string, signature: string) {
    const by = signerOf(this.keys, data, signature)
    if (!by?.wasActivated) this.wronglySigned.push(`${what} by ${by ? `${by.key}, prepared` : 'no key'}`)
  }

  /** Once every process has the keys: all living ones are accepted and no others, and only the signing key signs. */
  async settled() {
    this.#services[0]!.ports.merchantKeys.forget()
    this.pass(KEPT_MS)
    const living = this.living()
    const over = this.keys.filter(({ until }) => until === 0).slice(-1)
    await Promise.all([
      ...living.slice(-3).map(async (known, at) => {
        if (!(await this.#asks(this.#services[at % this.#services.length]!, known))) this.refused.push(`${known.key}, settled`)
      }),
      ...over.map(async (known) => {
        if (await this.#asks(this.random.pick(this.#services), known)) this.wronglyAccepted.push(known.key)
      }),
    ])
    if (this.figures.steps % PAID_EVERY !== 0) return
    const service = this.random.pick(this.#services)
    const paid = await this.#pays(service, this.random.pick(living), `SETTLED${this.figures.steps}`)
    const signing = living.find(({ until, isPrepared }) => until === Number.POSITIVE_INFINITY && !isPrepared)!
    if (paid && !verify(paid.data, paid.signature, signing.key)) this.wronglySigned.push('a callback, settled')
    for (const each of this.#services) await each.tasks.runDue()
    for (const { body } of this.#journal.splice(0)) {
      const data = body.slice(body.indexOf('"body":') + '"body":'.length, -1)
      this.figures.notifications++
      this.#judge('notification', data, JSON.parse(body).head.signature)
    }
  }

  /** A world file names a key of any age, or an unknown one. The store does not change. */
  async world() {
    const key = this.random.pick([...this.keys.map((known) => known.key), 'NOBODYNOBODYNOBO'])
    const world = JSON.stringify({ merchants: [{ mid: MID, keys: [{ clientId: 'C11', key }] }] })
    assert.equal((await this.random.pick(this.#services).call('PUT', '/sandbox/world', {}, world)).status, 200)
    this.figures.worlds++
  }
}

onBothStores('drawn rotations', (store) => {
  for (let part = 1; part <= PARTS; part++)
    test(`part ${part}, ${ROTATIONS} of them, beside payments and notifications: no living key is refused, and none signs before it is activated`, async (t: TestContext) => {
      const { journal, url } = await receiver(() => 200, { endsWithTest: true })
      const world = notifiedWorld(url, 'json')
      const first = await startService(store, { world, env: { MOHUR_MASTER_KEY } })
      const env = { MOHUR_MASTER_KEY, DATABASE_URL: first.place.databaseUrl ?? '' }
      const services = store === 'postgres' ? [first, await startService(store, { world, env })] : [first]
      t.after(() => Promise.all(services.map((each) => each.close())))
      const rotations = new Rotations(services, journal, SEED + part)
      const { figures, random } = rotations
      while (figures.rotations < ROTATIONS) {
        await rotations.step()
        await rotations.settled()
        if (figures.steps > 1 && random.below(6) === 0) await rotations.world()
        if (random.below(4) === 0) rotations.pass((1 + random.below(25)) * HOUR_MS)
      }
      t.diagnostic(`seed ${SEED + part}, ${store}, ${services.length} process(es): ${JSON.stringify(figures)}`)
      const { refused, wronglySigned, wronglyAccepted } = rotations
      t.diagnostic(
        `requests refused that a living key signed: ${refused.length}; signed by a key that was not activated: ${wronglySigned.length}; taken of an ended key: ${wronglyAccepted.length}`,
      )
      assert.deepEqual([refused, wronglySigned, wronglyAccepted], [[], [], []])
      assert.ok(figures.pairs > 0 && figures.worlds > 0 && figures.notifications > 0 && figures.payments > figures.rotations / 4)
      await assertHolds(first)
    })
})
