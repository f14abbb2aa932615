// How a shop's plugin registers its notification URL: docs/interface.md section 4.18. The request is JSON without an envelope, signed in a
// header over its exact bytes. The reply has `success` or lacks it: plugins check nothing else.

import { barredFor, body, registerNotificationUrl, reply, wantedUrl } from '../../domain/merchant/register-notification-url.ts'
import type { Ports } from '../../flows/ports.ts'
import type { Handler, RouteAnswer } from '../../http/handler.ts'
import { headerOf } from '../../http/request-headers.ts'
import { isObject, readRequest } from '../../interface/envelope.ts'
import { type Refusal, reader } from '../../interface/request.ts'
import { registerNotificationUrl as codes } from '../../interface/result-codes.ts'
import { merchantKey } from '../../tables/keys.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { registration } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'

const SECRET_BYTES = 32

type RegistrationReply = Refusal & Pick<RouteAnswer, 'about'>

function handlerOf(ports: Ports): Handler {
  const { codes } = registerNotificationUrl
  const read = reader(body)
  return async ({ rawHeaders, bytes }) => {
    let reply: RegistrationReply
    let error: Error | undefined
    try {
      reply = await answer(rawHeaders, bytes)
    } catch (thrown) {
      error = thrown as Error
      reply = { result: codes.systemError! }
    }
    const { result, parameter, cause, about } = reply
    const said = result.name === 'success' ? { success: true } : { [result.code]: result.message }
    const text = JSON.stringify({ responseCode: result.code, message: result.message, ...said })
    return { text, result, parameter, cause, error, ...(about && { about }) }
  }

  async function answer(rawHeaders: readonly string[], bytes: Uint8Array): Promise<RegistrationReply> {
    const given = readRequest(bytes)
    if (!given || !isObject(given.root)) return { result: codes.invalidRequest!, cause: 'unreadable' }
    const { value, faults } = read(given.root)
    if (faults) return { result: codes.invalidRequest!, parameter: faults[0]!.path, cause: faults[0]!.asks }
    const { engine, query, clock, merchantKeys, fresh, allowsUrl } = ports
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    const signature = await merchantKeys.check(value.mid, undefined, text, headerOf(rawHeaders, 'x-checksum'))
    const merchant = signature === 'valid' ? await query.row(merchantKey(value.mid)) : undefined
    if (!merchant) return { result: codes.invalidChecksum! }
    const barred = barredFor(merchant)
    const about = { mid: value.mid, orderId: undefined }
    if (barred) return { result: barred, about }
    const url = wantedUrl(value)
    if (url !== undefined && !(await allowsUrl(url))) return { result: codes.invalidUrl!, parameter: 'paymentNotificationUrl', about }
    const secret = `whsec_${Buffer.from(fresh.text(SECRET_BYTES), 'base64url').toString('base64')}`
    return { ...(await engine.submit(registerNotificationUrl, { mid: value.mid, url, now: clock.now(), fresh: { secret } })), about }
  }
}

export const operation: Descriptor = {
  name: 'registerNotificationUrl',
  section: '4.18',
  resource: 'merchant',
  method: 'PUT',
  paths: ['/api/v1/external/putMerchantInfo'],
  codes,
  credentials: [['requestChecksum']],
  signs: {},
  wire: { body },
  reply,
  form: registration,
  sample: {
    headers: { 'x-checksum': '{signature}' },
    body: { mid: sample.mid, queryParam: 'notificationUrls', paymentNotificationUrl: 'http://127.0.0.1:9000/notify' },
  },
  handler: ({ ports }) => handlerOf(ports),
}
