// Compiled and never run: what the compiler must refuse in a decision. A line that it accepts is an error here: nothing then answers its
// comment `@ts-expect-error`.

import { type Change, type Decision, operation, question, refuse } from '../../src/engine/decision.ts'
import { createOrder as codes, modifyOrder as otherCodes } from '../../src/interface/result-codes.ts'
import { merchantKey, orderKey, settingKey } from '../../src/tables/keys.ts'
import { find, type Row } from '../../src/tables/tables.ts'

interface Command {
  mid: string
  orderId: string
}
const nothing = { changes: [], events: [], tasks: [] }
const reads = ({ mid, orderId }: Command) => ({ merchant: merchantKey(mid), order: orderKey(mid, orderId) })

// A correct operation compiles.
export const right = operation({
  name: 'right',
  codes,
  reads,
  readsNext: (_, { order }) => ({
    setting: order && settingKey(order.custId),
    others: find('orders', { limit: 1 }),
    listed: order ? [orderKey(order.mid, 'a'), orderKey(order.mid, 'b')] : [],
  }),
  readsLast: (_, { setting }) => ({ last: setting && settingKey(setting.value) }),
  decide(_, { merchant, order, setting, others, listed, last }) {
    if (!merchant) return refuse(codes.invalidMid)
    const amount: number = order?.amountPaise ?? others[0]?.amountPaise ?? listed[0]?.amountPaise ?? 0
    return { reply: { result: codes.success, body: { amount, value: setting?.value ?? last?.value } }, ...nothing }
  },
})

// A row that was not declared.
operation({
  name: 'undeclared',
  codes,
  reads,
  // @ts-expect-error: `customer` is not among the reads
  decide: (_, { customer }) => ({ reply: { result: codes.success, body: { customer } }, ...nothing }),
})
operation({
  name: 'undeclared in a later round',
  codes,
  reads,
  // @ts-expect-error: `order2` is not among the reads
  readsNext: (_, { order2 }) => ({ setting: settingKey(order2.custId) }),
  decide: () => refuse(codes.invalidMid),
})

// A row that may be absent, used as if it were present.
operation({
  name: 'unchecked',
  codes,
  reads,
  // @ts-expect-error: `order` may be undefined
  decide: (_, { order }) => ({ reply: { result: codes.success, body: { amount: order.amountPaise } }, ...nothing }),
})
operation({
  name: 'unchecked in a later round',
  codes,
  reads,
  // @ts-expect-error: `order` may be undefined
  readsNext: (_, { order }) => ({ setting: settingKey(order.custId) }),
  decide: () => refuse(codes.invalidMid),
})

operation({
  name: 'unchecked in a list',
  codes,
  reads: ({ mid, orderId }: Command) => ({ listed: [orderKey(mid, orderId)] }),
  // @ts-expect-error: a listed row may be undefined
  decide: (_, { listed }) => ({ reply: { result: codes.success, body: { amounts: listed.map((row) => row.amountPaise) } }, ...nothing }),
})

// A column that the table lacks, and a column of another type.
operation({
  name: 'no such column',
  codes,
  reads,
  // @ts-expect-error: orders have no column `amount`
  decide: (_, { order }) => ({ reply: { result: codes.success, body: { amount: order?.amount } }, ...nothing }),
})
operation({
  name: 'another type',
  codes,
  reads,
  decide(_, { order }) {
    // @ts-expect-error: an amount is a number of paise
    const amount: string = order?.amountPaise ?? ''
    return { reply: { result: codes.success, body: { amount } }, ...nothing }
  },
})

// Another operation's code, in a refusal and in a reply.
operation({
  name: 'foreign refusal',
  codes,
  reads,
  // @ts-expect-error: 201 belongs to Modify Order
  decide: () => refuse(otherCodes.orderPaid),
})
operation({
  name: 'foreign reply',
  codes,
  reads,
  // @ts-expect-error: this success belongs to Modify Order
  decide: () => ({ reply: { result: otherCodes.success }, ...nothing }),
})
question({
  name: 'foreign answer',
  codes,
  // @ts-expect-error: this success belongs to Modify Order
  answer: async (_: Command) => ({ result: otherCodes.success }),
})
// @ts-expect-error: there is no such row in Create Order's table
refuse(codes.orderPaid)

// A decision that waits, and one that leaves something out.
operation({
  name: 'waits',
  codes,
  reads,
  // @ts-expect-error: a decision does not wait for anything
  decide: async () => refuse(codes.invalidMid),
})
// @ts-expect-error: a decision says what happens to tasks as well
export const incomplete: Decision = { reply: { result: codes.success }, changes: [], events: [] }

// Changes: the whole row fits the table of its key, a delete has none, and read rows are not edited.
const row = {} as Row<'settings'>
export const changes: Change[] = [
  { kind: 'insert', key: settingKey('a'), row },
  { kind: 'delete', key: settingKey('a') },
  // @ts-expect-error: a row of another table
  { kind: 'insert', key: orderKey('m', 'o'), row },
  // @ts-expect-error: half a row
  { kind: 'update', key: settingKey('a'), row: { name: 'a' } },
  // @ts-expect-error: neither inserted nor updated nor deleted
  { kind: 'upsert', key: settingKey('a'), row },
]
// @ts-expect-error: rows are not edited
row.value = 'edited'

// Finds name columns of their table, with values of their type.
// @ts-expect-error: merchants have no orderId
find('merchants', { equals: { orderId: 'a' }, limit: 1 })
// @ts-expect-error: an amount is a number
find('orders', { equals: { amountPaise: '1' }, limit: 1 })
// @ts-expect-error: merchants have no column `price`
find('merchants', { orderBy: ['price'], limit: 1 })
// @ts-expect-error: a set without a limit
find('orders', {})
// @ts-expect-error: a table that is not there
find('carts', { limit: 1 })
