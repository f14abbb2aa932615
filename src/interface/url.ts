// Addresses of the web, as they are given to us: docs/interface.md section 2.

/** An absolute http or https address that names nobody and holds no space. */
export function isHttpUrl(text: string): boolean {
  // The URL standard mends `https:host` and `https:\\host`; who follows the text later may read another host in it.
  if (!/^https?:\/\/[^/\\][^\\]*$/i.test(text) || !URL.canParse(text)) return false
  const url = new URL(text)
  return url.username === '' && url.password === '' && !/[\s\p{Cc}]/u.test(text)
}

/** One that may be reached: by https, or on this machine itself. */
export function isSafeUrl(text: string): boolean {
  if (!isHttpUrl(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
}
