// `mohur acquirer check`: checks an adapter against docs/acquirer.md, one line for each check. It needs no database and no service. Its
// payments are of Rs 10.05 each, by the named test means.

import type { Means } from '../../adapters/acquirer/acquirer.ts'
import { readReference } from '../../adapters/reference/read-reference.ts'
import { readSettings, SettingError, acquirer as settingsOf } from '../../settings.ts'
import { checks } from './acquirer-checks.ts'
import { Broken, Subject } from './acquirer-subject.ts'
import { serveCashfree, simulatedMeans } from './cashfree.ts'
import type { Given } from './check.ts'

const MID = 'CHECK'

interface Flags {
  cashfree?: boolean
  paid?: string
  declined?: string
  pending?: string
  otp?: string
  'otp-value'?: string
  url?: string
  secret?: string
  mid?: string
}

export async function acquirer(values: Flags) {
  const broken = values.cashfree ? await checkCashfree(values) : await checkAdapter(values)
  if (broken > 0) process.exitCode = 1
}

async function checkCashfree(values: Flags): Promise<number> {
  for (const option of ['url', 'secret', 'otp', 'otp-value'] as const)
    if (values[option] !== undefined) throw new SettingError(`--${option} does not go with --cashfree`)
  if (process.env['MOHUR_MODE'] === 'production')
    throw new SettingError("--cashfree is for the sandbox: it pays by a simulation, which only Cashfree's test host has")
  const { cashfree: account, reference } = readSettings(process.env)
  if (!account) throw new SettingError('--cashfree needs MOHUR_CASHFREE_CLIENT_ID and MOHUR_CASHFREE_CLIENT_SECRET: the test keys')
  const { banks } = readReference(reference)
  const means = (option: 'paid' | 'declined' | 'pending', simulated?: 'SUCCESS' | 'FAILED') =>
    simulatedMeans(`--${option}`, meansOf(`--${option}`, values[option] ?? 'upi'), banks, simulated)
  const given: Given = {
    paid: means('paid', 'SUCCESS'),
    declined: means('declined', 'FAILED'),
    pending: means('pending'),
    otp: undefined,
    noCards: 'Cashfree is asked for UPI and net banking only',
  }
  const { subject, close } = await serveCashfree(account, banks, console.error)
  try {
    return await checkAll(new Subject({ ...subject, mid: values.mid ?? MID }), given, console.log)
  } finally {
    await close()
  }
}

async function checkAdapter(values: Flags): Promise<number> {
  const { url = process.env['MOHUR_ACQUIRER_URL'] ?? '', secret = process.env['MOHUR_ACQUIRER_SECRET'] ?? '', mid = MID } = values
  const names = {
    url: values.url === undefined ? 'MOHUR_ACQUIRER_URL' : '--url',
    secret: values.secret === undefined ? 'MOHUR_ACQUIRER_SECRET' : '--secret',
  }
  const named = settingsOf(url, secret, names)
  if (!named) throw new SettingError('name the adapter by --url and --secret, or by MOHUR_ACQUIRER_URL and MOHUR_ACQUIRER_SECRET')
  if ((values.otp === undefined) !== (values['otp-value'] === undefined)) throw new SettingError('--otp and --otp-value go together')
  const given: Given = {
    paid: meansOf('--paid', needed('paid', values.paid)),
    declined: meansOf('--declined', needed('declined', values.declined)),
    pending: values.pending === undefined ? undefined : meansOf('--pending', values.pending),
    otp: values.otp === undefined ? undefined : { means: meansOf('--otp', values.otp), value: values['otp-value']! },
  }
  return checkAll(new Subject({ ...named, mid }), given, console.log)
}

function needed(option: string, value: string | undefined): string {
  if (value === undefined) throw new SettingError(`--${option} MEANS is needed, except with --cashfree`)
  return value
}

/** Prints a line for each check, and returns how many were broken. */
export async function checkAll(subject: Subject, given: Given, say: (line: string) => void): Promise<number> {
  const counts = { kept: 0, broken: 0, skipped: 0 }
  for (const { name, skipped, run } of checks) {
    let because: string | undefined
    const broken = await brokenBy(async () => {
      because = await skipped?.(given, subject)
      if (because === undefined) await run(subject, given)
    })
    const verdict = because !== undefined ? 'skipped' : broken === undefined ? 'kept' : 'broken'
    counts[verdict]++
    say(`${verdict.padEnd('skipped'.length)}  ${name}${(because ?? broken) === undefined ? '' : `: ${because ?? broken}`}`)
  }
  say(`${counts.kept} kept, ${counts.broken} broken, ${counts.skipped} skipped`)
  return counts.broken
}

async function brokenBy(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    if (error instanceof Broken) return error.message
    throw error
  }
}

function meansOf(option: string, text: string): Means {
  if (text === 'upi') return { kind: 'upiIntent' }
  const [, kind, rest = ''] = /^(upi|card|bank):(.+)$/.exec(text) ?? []
  if (kind === 'upi' && /^[^@\s]+@[^@\s]+$/.test(rest)) return { kind: 'upiCollect', vpa: rest }
  if (kind === 'bank' && /^[A-Za-z0-9_]+$/.test(rest)) return { kind: 'netBanking', bank: rest }
  const [, number, cvv, month, year] = /^([0-9]{12,19}),([0-9]{3,4}),(0[1-9]|1[0-2])\/(20[0-9]{2})$/.exec(rest) ?? []
  if (kind === 'card' && number !== undefined)
    return { kind: 'card', number, cvv: cvv!, expiryMonth: Number(month), expiryYear: Number(year) }
  throw new SettingError(`${option} must be upi:NAME@HANDLE, upi, card:NUMBER,CVV,MM/YYYY or bank:CODE`)
}
