// The settings of a service whose payments go through the simulator, and what its payers send.

import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { orderIdOf } from '../../../src/adapters/acquirer/cashfree/ids.ts'
import { MID } from '../run/service.ts'
import { CLIENT_ID, CLIENT_SECRET } from './simulator.ts'

export const WEBHOOK = '/acquirer/cashfree/webhook'
export const PAYER = { userInfo: { custId: 'CUST_1', mobile: '9876543210', email: 'payer@example.com' } }
export const UPI = { paymentMode: 'UPI', channelCode: 'UPIPUSH' }
export const NET_BANKING = { paymentMode: 'NET_BANKING', channelCode: 'HDFC' }
const UPI_MAX_PAISE = 10_000_000 // docs/interface.md section 2
const HDFC = 3021

export const meansFor = (amountPaise: number) => (amountPaise > UPI_MAX_PAISE ? [NET_BANKING] : [UPI, UPI, NET_BANKING])

/** The sample's lists, with a Cashfree number for one bank. */
export function listsWithCodes(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-reference-'))
  cpSync(resolve(import.meta.dirname, '../../../src/adapters/reference/sample'), folder, { recursive: true })
  const file = join(folder, 'banks.json')
  const { banks } = JSON.parse(readFileSync(file, 'utf8')) as { banks: { code: string }[] }
  writeFileSync(file, JSON.stringify({ banks: banks.map((bank) => (bank.code === 'HDFC' ? { ...bank, cashfree: HDFC } : bank)) }))
  return folder
}

export const accountAt = (url: string) => ({
  MOHUR_CASHFREE_CLIENT_ID: CLIENT_ID,
  MOHUR_CASHFREE_CLIENT_SECRET: CLIENT_SECRET,
  MOHUR_CASHFREE_URL: url,
  MOHUR_REFERENCE: listsWithCodes(),
})

/** The id of the order at Cashfree for one payment of Mohur. */
export const idOf = (txnId: string) => orderIdOf(`${MID}:${txnId}`)
