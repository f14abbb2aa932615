// Refunds in the console, as a person's browser makes them: a form is opened, and posted as it came.

import assert from 'node:assert/strict'
import { changeOperator } from '../../../src/domain/operator/change-operator.ts'
import { auditIdAt } from '../../../src/flows/auditing.ts'
import { operatorById } from '../../../src/tables/keys.ts'
import { find, type Row } from '../../../src/tables/tables.ts'
import { bankJournal } from '../paying/paying.ts'
import { type Paid, paidOrder } from '../paying/refunds.ts'
import { MID, type Service } from '../run/service.ts'
import { type Answer, ask, type Person } from './desk.ts'

/** Large refunds wait for a second person in the sandbox too. */
export const APPROVALS_ON = { MOHUR_CONSOLE_APPROVALS: 'on' }
export const REASON = 'The parcel came back'
type Served = Pick<Service, 'url'> & Partial<Pick<Service, 'tasks'>>

/** A payment of so many rupees, by card. */
export const paidRupees = (service: Service, orderId: string, rupees: number): Promise<Paid> =>
  paidOrder(service, orderId, { order: { txnAmount: { value: `${rupees}.00`, currency: 'INR' } } })

let orders = 0
/** A payment of so many rupees, of a new order. */
export const paidAnew = (service: Service, rupees: number): Promise<Paid> => paidRupees(service, `REFUNDED_${++orders}`, rupees)

/** A large refund of a new payment. It waits for a second person. */
export async function askedBy(service: Service, person: Person, rupees = 20_000): Promise<{ payment: Paid; id: string }> {
  const payment = await paidAnew(service, rupees)
  return { payment, id: approvalOf(await refundBy(service, person, payment.txnId)) }
}
export const approvalRow = async ({ ports }: Pick<Service, 'ports'>, approvalId: string): Promise<Row<'approvals'>> =>
  (await ports.query.rows(find('approvals', { equals: { approvalId }, limit: 1 })))[0]!

export const paymentAt = (txnId: string) => `/console/payments/${MID}/${txnId}`
export const refundAt = (txnId: string) => `${paymentAt(txnId)}/refund`

export type RefundForm = Record<'token' | 'id' | 'mark' | 'version' | 'amount' | 'reason', string>

/**
 * The form as its page has it, with an amount and a reason. The bank has answered about earlier refunds, because an answer changes the
 * payment.
 */
export async function opened(service: Served, { cookie }: Person, txnId: string, amount?: string, reason = REASON): Promise<RefundForm> {
  await service.tasks?.runDue()
  const { status, text } = await ask(service, refundAt(txnId), { cookie })
  assert.equal(status, 200)
  const fieldOf = (name: string) => new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(text)?.[1] ?? assert.fail(`no field ${name}`)
  const [token, id, mark, version, all] = [fieldOf('token'), fieldOf('id'), fieldOf('mark'), fieldOf('version'), fieldOf('amount')]
  return { token, id, mark, version, amount: amount ?? all, reason }
}

/** The mark of a form that a test makes up. */
export const markOf = ({ ports }: Pick<Service, 'ports'>, { operatorId }: Person, txnId: string, id: string): string =>
  ports.vault.hash('refund form', JSON.stringify([operatorId, MID, txnId, id]))

export const post = (service: Served, { cookie }: Person, txnId: string, form: RefundForm): Promise<Answer> =>
  ask(service, refundAt(txnId), { cookie, form })

export const refundBy = async (service: Served, person: Person, txnId: string, amount?: string, reason?: string): Promise<Answer> =>
  post(service, person, txnId, await opened(service, person, txnId, amount, reason))

/** The id of a request that a form made. */
export const approvalOf = ({ status, location, text }: Answer): string => {
  assert.equal(status, 303, text)
  return /^\/console\/approvals\/([0-9]+)$/.exec(location ?? '')?.[1] ?? assert.fail(`${location} is no request`)
}

export const give = (service: Served, { cookie, token }: Person, id: string): Promise<Answer> =>
  ask(service, `/console/approvals/${id}/give`, { cookie, form: { token } })
export const refuse = (service: Served, { cookie, token }: Person, id: string): Promise<Answer> =>
  ask(service, `/console/approvals/${id}/refuse`, { cookie, form: { token } })

export const refundsOf = ({ ports }: Pick<Service, 'ports'>, { orderId }: Pick<Paid, 'orderId'>): Promise<readonly Row<'refunds'>[]> =>
  ports.query.rows(find('refunds', { equals: { mid: MID, orderId }, limit: 1_000 }))

/** What the bank gave back for these refunds, in paise and in number, by its own journal. */
export async function returned(
  service: Service,
  refunds: readonly Pick<Row<'refunds'>, 'refId'>[],
): Promise<{ paise: number; times: number }> {
  await service.tasks.runDue()
  const keys = new Set(refunds.map(({ refId }) => `${MID}:refund:ref:${refId}`))
  const lines = (await bankJournal(service)).filter(({ kind, outcome, key }) => kind === 'refund' && outcome === 'success' && keys.has(key))
  return { paise: lines.reduce((sum, { amountPaise }) => sum + amountPaise, 0), times: lines.length }
}

/** Changes a person as an admin would. */
export async function changed({ ports }: Pick<Service, 'ports'>, { operatorId }: Person, to: Partial<Row<'operators'>>): Promise<void> {
  const [row] = await ports.query.rows(operatorById(operatorId))
  const by = { auditId: auditIdAt(ports), operatorId: 'shell', network: '', at: ports.clock.realNow() }
  const { emailHash, version } = row!
  const { result } = await ports.engine.submit(changeOperator, { emailHash, version, action: 'operator.roles', to, by })
  assert.equal(result.name, 'changed')
}
