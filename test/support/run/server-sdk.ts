// The server SDK `paytm-pg-node-sdk`, unmodified, configured as a merchant does: its hosts are settings.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installedClient } from './installed-client.ts'
import { KEY, MID, type Service } from './service.ts'

export const SDK_NAME = 'paytm-pg-node-sdk'

/** One log for each process: the SDK opens it with its first line, and keeps it open. */
let logs: string | undefined

// biome-ignore lint/suspicious/noExplicitAny: the SDK has no types
export type ServerSdk = Record<string, any>

/** The SDK's modules, or why it cannot be installed. */
export async function serverSdk(): Promise<{ sdk: ServerSdk } | { failure: string }> {
  const client = await installedClient(SDK_NAME)
  return 'failure' in client ? client : { sdk: load(client.require) }
}

function load(require: NodeJS.Require): ServerSdk {
  const at = (path: string) => require(`${SDK_NAME}/dist/com/paytm/${path}.js`)
  at('pg/constants/Config').Config.logfile = logFile()
  return {
    ...at('pg/constants/MerchantProperties'),
    ...at('pg/process/Payment'),
    ...at('pg/process/Refund'),
    ...at('pg/process/Request'),
    ...at('pg/models/Money'),
    ...at('pg/models/UserInfo'),
    ...at('merchant/models/PaymentDetail'),
    ...at('merchant/models/PaymentStatusDetail'),
    ...at('merchant/models/RefundDetail'),
    ...at('merchant/models/RefundStatusDetail'),
  }
}

/** Without this the SDK writes into ./logs of the caller's folder. */
function logFile(): string {
  if (logs === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'mohur-sdk-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    logs = folder
  }
  return join(logs, 'app.log')
}

export function pointAt({ MerchantProperties }: ServerSdk, { url }: Pick<Service, 'url'>) {
  MerchantProperties.initialize('STAGE', MID, KEY, 'DEFAULT')
  MerchantProperties.setClientId('C11')
  MerchantProperties.initiateTxnUrl = `${url}/theia/api/v1/initiateTransaction`
  MerchantProperties.paymentStatusUrl = `${url}/merchant-status/api/v1/getPaymentStatus`
  MerchantProperties.refundUrl = `${url}/refund/api/v1/async/refund`
  MerchantProperties.refundStatusUrl = `${url}/refund/api/v1/refundStatus`
}

interface Answered {
  resultStatus: string
  resultCode: string
  resultMsg: unknown
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK has no types
export function answered(response: any): { info: Answered; body: any } {
  const body = response.getResponseObject().getBody()
  const { resultStatus, resultCode, resultMsg } = body.resultInfo
  return { info: { resultStatus, resultCode, resultMsg }, body }
}
