// One request of an operation, as a shop of the demo merchant would send it, and what samples share. A word in braces stands for a value
// that only the reader knows.

export type Known = Readonly<Partial<Record<string, string>>>

export interface Sample {
  query?: Known
  headers?: Known
  /** An envelope's head; a flat message has none. `{signature}` is over the body's own text. */
  head?: Readonly<Record<string, string>>
  body?: object
}

export const SAMPLE_MID = 'DEMO0000000000000001' // docs/sandbox.md, "The world"
export const SAMPLE_KEY = 'ABCDEFGHIJKLMNOP'

export const mid = SAMPLE_MID
export const order = { mid, orderId: '{orderId}' }
export const ofOrder = { query: order }
export const signed = { head: { signature: '{signature}' } }
export const byToken = { ...ofOrder, head: { txnToken: '{txnToken}' } }
export const checksum = { tokenType: 'CHECKSUM', token: '{signature}' }
export const rupees = (value: string) => ({ value, currency: 'INR' })

export const subsId = '{subscriptionId}'
export const ofSubscription = { ...signed, body: { mid, subsId } }

export const DEVICE = { 'x-device-identifier': 'device-1' }
export const CLIENT = { authorization: 'Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ=' } // demo-app:demo-secret
export const signIn = { query: { locale: 'en-IN' }, headers: { ...CLIENT, ...DEVICE } }
