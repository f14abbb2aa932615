// Runs the unchanged code on the pages of operations: every operation in curl, Node, Python and PHP, each as its own program. All succeed.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { type Known, SAMPLE_KEY, SAMPLE_MID } from '../../../src/api/kit/sample.ts'
import { type OperationName, operations } from '../../../src/api/operations.ts'
import { knownAt } from '../../../src/docs/sample-requests.ts'
import { languages, type SnippetLanguage, snippet } from '../../../src/docs/snippets.ts'
import { dateInIndia } from '../../../src/engine/clock.ts'
import { fix, initiate, subscription } from '../../support/mandates/subscription.ts'
import { moveTo } from '../../support/mandates/timeline.ts'
import { CARD, createOrder, pay } from '../../support/paying/paying.ts'
import { interpreterOf } from '../../support/run/interpreters.ts'
import { MID, type Service, startService } from '../../support/run/service.ts'
import { changeWorld, receive } from '../../support/signin/signin.ts'
import { receiveAt, signIn, signInAt } from '../../support/signin/tokens.ts'

const PROGRAMS: Readonly<Record<SnippetLanguage, { file: string; command: string | undefined }>> = {
  curl: { file: 'snippet.sh', command: 'bash' },
  Node: { file: 'snippet.mjs', command: process.execPath },
  Python: { file: 'snippet.py', command: interpreterOf('python') },
  PHP: { file: 'snippet.php', command: interpreterOf('php') },
}
/** There `npx mohur` is this checkout's. */
const checkout = resolve(import.meta.dirname, '../../..')
const HOUR_MS = 3_600_000
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'mohur-snippets-'))
const starting = startService('sqlite', {})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await (await starting).close()
})

let drawn = 0
/** A customer of this run alone, because a number gets few codes an hour. */
const mobile = () => `98${String(++drawn).padStart(8, '0')}`

/** Requests of the test make what the operation needs to succeed. */
async function prepared(service: Service, operation: OperationName): Promise<Known> {
  const known = { ...knownAt(service.ports.clock.now(), `SNIPPET${++drawn}`) }
  const orderId = known['orderId']!
  const ordered = () => createOrder(service, orderId, { txnAmount: { value: '499.00', currency: 'INR' } })
  const paid = async () => {
    const order = await ordered()
    const { body } = await pay(service, order, CARD)
    return { ...order, txnId: body.txnInfo.TXNID as string }
  }
  switch (operation) {
    case 'modifyOrder':
    case 'processTransaction':
    case 'sendCheckoutOtp':
    case 'fetchPaymentOptions':
    case 'fetchBinDetail':
    case 'validateVpa':
    case 'fetchNbPaymentChannels':
    case 'fetchEmiDetail':
    case 'closeOrder':
      return { ...known, ...(await ordered()) }
    case 'directBankRequest': {
      const order = await ordered()
      await pay(service, order, { ...CARD, cardInfo: '|4000000000003220|123|122032', authMode: 'otp' })
      return { ...known, ...order }
    }
    case 'validateCheckoutOtp': {
      const order = await ordered()
      return { ...known, ...order, otp: await receiveAt(service, { mid: MID, ...order }, mobile()) }
    }
    case 'fetchBalanceInfo': {
      const order = await ordered()
      await signInAt(service, orderId, order.txnToken, mobile())
      return { ...known, ...order }
    }
    case 'orderStatus':
    case 'transactionStatus':
    case 'applyRefund':
      return { ...known, ...(await paid()) }
    case 'refundStatus': {
      const order = await paid()
      const refId = known['refId']!
      await service.signed('/refund/apply', { mid: MID, txnType: 'REFUND', orderId, txnId: order.txnId, refId, refundAmount: '499.00' })
      return { ...known, ...order }
    }
    case 'validateOtp': {
      const { state_token: stateToken, otp } = await receive(service, mobile())
      return { ...known, stateToken, otp }
    }
    case 'refreshToken':
    case 'revokeToken':
    case 'userDetails':
    case 'listSubscriptions':
      return { ...known, ...(await signIn(service, mobile())) }
    case 'checkSubscriptionStatus':
    case 'cancelSubscription':
    case 'modifySubscriptionStatus':
    case 'preNotify':
    case 'preNotifyStatus':
    case 'renewSubscription':
    case 'consultSubscription':
    case 'editSubscription':
      return { ...known, ...(await subscribed(service, operation, known)) }
    default:
      return known
  }
}

/**
 * A mandate that the merchant collects; its first cycle begins in three days. For a renewal the payer is notified, and the clock moves to
 * that day.
 */
async function subscribed(service: Service, operation: OperationName, known: Known): Promise<Known> {
  const startDate = Temporal.PlainDate.from(dateInIndia(service.clock.now())).add({ days: 3 }).toString()
  const expiryDate = Temporal.PlainDate.from(startDate).add({ years: 1 }).toString()
  const orderId = `${known['orderId']}_FIRST`
  const terms = { ...fix('199.00'), subscriptionStartDate: startDate, subscriptionExpiryDate: expiryDate }
  const reply = await initiate(service, subscription(orderId, { ...terms, txnAmount: { value: '1.00', currency: 'INR' } }))
  const { subscriptionId, txnToken } = reply.body as { subscriptionId: string; txnToken: string }
  const { body } = await pay(service, { orderId, txnToken }, { paymentMode: 'UPI', payerAccount: 'success@upi' })
  assert.equal(body.resultInfo.resultStatus, 'S', JSON.stringify(body))
  if (operation === 'preNotifyStatus' || operation === 'renewSubscription') {
    const notice = { mid: MID, subsId: subscriptionId, txnAmount: '199.00', referenceId: known['noticeReference'] }
    assert.equal((await service.signed('/subscription/preNotify', notice)).body.resultInfo.status, 'SUCCESS')
    await service.tasks.runDue()
  }
  if (operation === 'renewSubscription') await moveTo(service, `${startDate} 11:00:00`)
  return { subscriptionId }
}

/** What a program printed, once it has succeeded. */
async function printed(service: Service, operation: OperationName, language: SnippetLanguage, known: Known): Promise<string> {
  const { file, command } = PROGRAMS[language]
  const path = join(folder, file)
  writeFileSync(path, snippet(operation, language, { url: service.url, mid: SAMPLE_MID, key: SAMPLE_KEY, known }))
  const { stdout } = await run(command!, [path], { cwd: checkout })
  return stdout
}

/** The replies of section 7's success rows, in each operation's form. */
const SUCCEEDS = /"(resultStatus|status)":"(S|SUCCESS|TXN_SUCCESS|TXN_PENDING|PENDING)"|"resultCode":"(601|0001)"|"success":true/
const succeeded = (operation: OperationName, text: string) => {
  if (operation === 'revokeToken') return text.trim() === '' // its status is the answer, and a program fails by another status
  if (operation === 'refreshToken') return text.includes('"accessToken"')
  if (operation === 'userDetails') return text.includes('"mobile"')
  return SUCCEEDS.test(text)
}

const names = Object.keys(operations) as OperationName[]
for (const language of languages) {
  if (!PROGRAMS[language].command) continue // a test has said so
  test(`${language}: each of the ${names.length} operations answers its snippet with success`, { timeout: 300_000 }, async (t) => {
    const service = await starting
    await changeWorld(service, { merchants: [{ mid: MID, registersNotificationUrl: true }] })
    service.clock.advance(HOUR_MS) // a number gets few codes an hour
    const refused: string[] = []
    for (const operation of names) {
      const text = await printed(service, operation, language, await prepared(service, operation))
      if (!succeeded(operation, text)) refused.push(`${operation}: ${text.slice(0, 300)}`)
    }
    t.diagnostic(`${names.length - refused.length} of ${names.length} operations in ${language}`)
    assert.deepEqual(refused, [])
  })
}
