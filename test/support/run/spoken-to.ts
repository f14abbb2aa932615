// A service in another process, called over HTTP by helpers that call one in this process.

import { sign } from '../../../src/interface/checksum.ts'
import { assertFits } from './fits.ts'
import { KEY, type Reply, type Service } from './service.ts'

/** Has `signed` and `post` alone. Everything else of the service is in the other process. */
export function spokenTo(url: string): Service {
  const post = async (path: string, text: string): Promise<Reply> => {
    const response = await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text })
    const reply = await response.text()
    const parsed = JSON.parse(reply)
    assertFits(path, reply, parsed, response.status)
    return {
      status: response.status,
      text: reply,
      head: parsed.head,
      body: parsed.body ?? parsed,
      hint: response.headers.get('mohur-hint') ?? '',
    }
  }
  const signed = (path: string, body: object) => {
    const text = JSON.stringify(body)
    return post(path, `{"head":{"signature":${JSON.stringify(sign(text, KEY, 'salt'))}},"body":${text}}`)
  }
  return { url, post, signed } as unknown as Service
}
