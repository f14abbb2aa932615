// Verifies the signature of a webhook from Cashfree.

import { createHmac, timingSafeEqual } from 'node:crypto'

/** The signature is base64 of HMAC-SHA256 over the timestamp, in milliseconds, and the bytes of the body. */
export function isSignedByCashfree(secret: string, timestamp: string, bytes: Uint8Array, signature: string): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(timestamp).update(bytes).digest('base64'))
  const given = Buffer.from(signature) // compared as text: base64 has other spellings of the same bytes
  return given.length === expected.length && timingSafeEqual(given, expected)
}
