// Runs a shop at the sandbox's bank, and puts the store back to an earlier day in the middle. Payments, debits, refunds and pauses are
// newer than the backup. At the end the bank's journal is held against the books. Each seed is one run.

import { authorizeKey } from '../../../src/domain/transaction/transaction.ts'
import { find } from '../../../src/tables/tables.ts'
import { consented, moveTo } from '../mandates/timeline.ts'
import { bankJournal, CARD, createOrder, type JournalLine, pay, script, statusOf } from '../paying/paying.ts'
import { refund } from '../paying/refunds.ts'
import { MID, type Service } from '../run/service.ts'
import { backup, type PutBack } from '../store/restored.ts'
import { Random } from '../text/random.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const STEPS = 24
const STEP_MS = [4 * MINUTE, HOUR, 5 * HOUR, 20 * HOUR, 20 * HOUR, 2 * DAY]
const SETTLES_DAYS = 40
const RECENT = 5 // every other backup is one of the last five: operators restore most backups within days
const OF_PAYMENT = ['success', 'success', 'lost', 'slow', 'late', 'wrongAmount', 'timeout', 'pending', 'insufficient']
const OF_DEBIT = ['success', 'success', 'success', 'lost', 'slow', 'late', 'wrongAmount', 'timeout', 'insufficient', 'declined']
const OF_REFUND = ['success', 'success', 'lost', 'slow', 'late', 'declined', 'timeout']

export interface Restored {
  ageMs: number
  /** What the bank had moved since the backup. */
  movedSince: number
  /** Debits that no later run of their cycle can find, because its days were over at the restore. */
  unseen: number
  differ: string[]
}

interface Shop {
  service: Service
  random: Random
  orders: string[]
  subscriptionId: string
  /** Refunds that the shop requested, and requests again after the restore. */
  refunds: { orderId: string; refId: string; amount: string }[]
}

const moneyOf = (journal: readonly JournalLine[]) =>
  journal.filter(({ kind, outcome }) => outcome === 'success' && ['authorize', 'collect', 'refund'].includes(kind))

export async function restoredLife(service: Service, seed: number): Promise<Restored> {
  const random = new Random(seed)
  const begins = (await bankJournal(service)).length
  const shop = await opened(service, random, seed)
  const backedUp = random.below(2) === 0 ? random.below(STEPS) : STEPS - 1 - random.below(RECENT)
  let kept: { at: number; lines: number; putBack: PutBack } | undefined
  for (let step = 0; step < STEPS; step++) {
    if (step === backedUp)
      kept = { at: service.clock.now(), lines: moneyOf(await bankJournal(service)).length, putBack: await backup(service) }
    await happen(shop)
    await pass(service, random.pick(STEP_MS))
  }
  const { at, lines, putBack } = kept!
  const movedSince = moneyOf(await bankJournal(service)).length - lines
  await putBack()
  const ageMs = service.clock.now() - at
  await pass(service, HOUR)
  // A shop asks again after "pending", or when the service does not know the refund.
  for (let time = 0; time < 2; time++) {
    for (const asked of shop.refunds) await giveBack(shop, asked)
    await pass(service, SETTLES_DAYS * DAY)
  }
  const journal = (await bankJournal(service)).slice(begins)
  return { ageMs, movedSince, ...(await compared(shop, journal)) }
}

const pass = (service: Service, ms: number) =>
  service.tasks.advance(service.clock.now() + ms, async (at) => service.clock.advance(Math.max(0, at - service.clock.now())))

async function opened(service: Service, random: Random, seed: number): Promise<Shop> {
  const first = new Date(service.clock.now() + 2 * DAY)
  const day = (days: number) => new Date(first.getTime() + days * DAY).toISOString().slice(0, 10)
  await moveTo(service, `${day(0)} 11:00:00`)
  const { subscriptionId } = await consented(service, `M${seed}`, {
    ...{ txnAmount: { value: '1.00', currency: 'INR' }, renewalAmount: '250.00', userInfo: { custId: 'C1' } },
    ...{ subscriptionFrequencyUnit: 'WEEK', subscriptionGraceDays: String(1 + random.below(6)), subscriptionRetryCount: '3' },
    ...{ subscriptionStartDate: day(3), subscriptionExpiryDate: day(24) },
  })
  for (const [call, words] of [['collect', OF_DEBIT]] as const)
    await service.post(
      '/sandbox/bank/script',
      JSON.stringify({ mid: MID, subscriptionId, call, outcomes: Array.from({ length: 9 }, () => random.pick(words)) }),
    )
  const orders = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const order = await createOrder(service, `O${seed}-${number}`)
      await script(service, order, random.pick(OF_PAYMENT), random.pick(OF_REFUND), random.pick(OF_REFUND))
      await pay(service, order, CARD)
      return order.orderId
    }),
  )
  return { service, random, orders, subscriptionId, refunds: [] }
}

/** Mostly nothing. Else the merchant refunds or pauses, or the payer pauses. */
async function happen(shop: Shop): Promise<void> {
  const { service, random, subscriptionId } = shop
  const status = (status: string) =>
    service.signed('/subscription/status/modify', { mid: MID, subscriptionId, status }, { head: { tokenType: 'AES' } })
  const payer = (action: string) => service.post('/sandbox/payer', JSON.stringify({ mid: MID, subscriptionId, action }))
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2: {
      const orderId = random.pick([...shop.orders, ...(await debitsOf(shop))])
      const whole = orderId.startsWith('O') ? '100.00' : '250.00'
      const asked = { orderId, refId: `${orderId.slice(-24)}-${shop.refunds.length}`, amount: random.pick([whole, whole, '30.00']) }
      if (await giveBack(shop, asked)) shop.refunds.push(asked)
      return
    }
    case 3:
      await status('SUSPENDED')
      await pass(service, random.pick([HOUR, DAY]))
      return void (await status('ACTIVE'))
    case 4:
      await payer('pause')
      await pass(service, random.pick([HOUR, DAY]))
      return void (await payer('resume'))
    case 5:
      return void (await payer('skip'))
    default:
  }
}

const debitsOf = async ({ service, subscriptionId }: Shop) =>
  (await service.ports.query.rows(find('orders', { equals: { mid: MID, subscriptionId, requestType: 'RENEWAL' }, limit: 50 }))).map(
    ({ orderId }) => orderId,
  )

/** Refunds the order's latest transaction, as a shop does. True when the service accepted it. */
async function giveBack({ service }: Shop, { orderId, refId, amount }: Shop['refunds'][number]): Promise<boolean> {
  const { body } = await statusOf(service, { orderId })
  if (!body.txnId) return false
  const reply = await refund(service, { orderId, txnId: body.txnId }, refId, amount)
  await service.tasks.runDue()
  return ['PENDING', 'TXN_SUCCESS'].includes(reply.body.resultInfo.resultStatus)
}

async function compared({ service, refunds }: Shop, journal: readonly JournalLine[]): Promise<Pick<Restored, 'unseen' | 'differ'>> {
  const done = moneyOf(journal)
  const transactions = await service.ports.query.rows(find('transactions', { equals: { mid: MID }, limit: 100_000 }))
  const ours = new Map(transactions.map((each) => [authorizeKey(each), each]))
  const differ: string[] = []
  const twice = done.length - new Set(done.map(({ key }) => key)).size
  if (twice > 0) differ.push(`the bank did ${twice} things twice`)
  const taken = done.filter(({ kind }) => kind !== 'refund')
  const unseen = taken.filter(({ key }) => !ours.has(key))
  for (const { key, amountPaise } of taken) {
    const captured = ours.get(key)
    if (captured && captured.capturedPaise !== amountPaise)
      differ.push(`${key}: taken ${amountPaise}, in the books ${captured.capturedPaise}`)
  }
  // A debit's order has its cycle and attempt in its id: domain/subscription/collection/attempt.ts.
  const orderOf = (key: string) => `A${key.split(':').slice(1).join('.')}`
  const isUnseen = ({ key }: JournalLine) =>
    unseen.some((debit) => {
      const asked = refunds.filter(({ orderId }) => orderId === orderOf(debit.key)).map(({ refId }) => `${MID}:refund:ref:${refId}`)
      return key.startsWith(`${debit.key}:refund:`) || asked.includes(key)
    })
  const given = done.filter((line) => line.kind === 'refund' && !isUnseen(line)).reduce((sum, { amountPaise }) => sum + amountPaise, 0)
  const keys = new Set(taken.map(({ key }) => key))
  const returned = [...ours].filter(([key]) => keys.has(key)).reduce((sum, [, { returnedPaise }]) => sum + returnedPaise, 0)
  if (given !== returned) differ.push(`given back ${given}, in the books ${returned}`)
  for (const [key, { capturedPaise, initiatedAt }] of ours)
    if (capturedPaise > 0 && initiatedAt >= Date.parse(journal[0]?.at ?? '9999') && !keys.has(key))
      differ.push(`${key}: ${capturedPaise} that the bank never took`)
  return { unseen: unseen.length, differ }
}
