// Web addresses as this service receives them: docs/interface.md section 2.

export const HOST_LENGTH_MAX = 253 // RFC 1035 section 2.3.4, as text
const LONG_LABEL = /[^.]{64}/ // RFC 1035 section 2.3.4: 63
const HOST = /^https?:\/\/(\[[^/?#@\]]*\]|[^/?#@:[\]]+)(?::[0-9]*)?(?:[/?#]|$)/i

/** An absolute http or https address without a user, a password, spaces or control characters. */
export function isHttpUrl(text: string): boolean {
  // The URL standard mends `https:host` and `https:\\host`. Code that follows the text later may read another host in it.
  const host = text.includes('\\') ? undefined : HOST.exec(text)?.[1]
  // Parsing a host beyond ASCII takes time by the square of its length: 0.15 s for 5,000 letters.
  if (host === undefined || host.length > HOST_LENGTH_MAX || LONG_LABEL.test(host) || !URL.canParse(text)) return false
  const url = new URL(text)
  return url.username === '' && url.password === '' && !/[\s\p{Cc}]/u.test(text)
}

export function isHttpsOrLoopback(text: string): boolean {
  if (!isHttpUrl(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
}
