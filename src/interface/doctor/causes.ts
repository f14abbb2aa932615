// Why a checksum is refused. docs/checksum.md has a section for each name, and test/interface/doctor/causes.test.ts holds the two equal.

/** One sentence of advice for each cause. `Mohur-Hint` carries the sentence, so it has only plain letters, without quotes or semicolons. */
export const causes = {
  form: 'The signature was changed on its way: send base64 of 108 characters as it was made, with + as %2B in a form.',
  'key-length': 'The key has not 16, 24 or 32 bytes, was cut to 16, or is the mid: use the merchant key whole.',
  'key-hash': 'The key was cut before a #: put it in quotes in the .env file.',
  'key-quotes': 'Quotes, a space or a line end went into the key: strip them.',
  'key-entity': 'HTML or an address has escaped the key: decode it before you sign.',
  'key-other': 'Another key signed: check the clientId, rotated keys, the demo key, and live against test.',
  spaces: 'The signed JSON has other spaces than the sent JSON: make the text once, sign it, send it.',
  newline: 'A line end or a byte order mark was signed and not sent, or is another: strip it before you sign.',
  order: 'Members or values were signed in another order: JSON as it is sent, a form by the names of its fields.',
  escapes: 'Other escapes were signed than sent, as in \\u20b9 or \\/: make the text once, sign it, send it.',
  numbers: 'A number was signed in another form than it was sent, as 499.0 for 499: make the text once.',
  nulls: 'Members without a value were signed and not sent, or sent and not signed: make the text once.',
  envelope: 'The head was signed too: sign the value of body alone.',
  map: 'The values of the object were signed: give the library the JSON text and not the object.',
  twice: 'The text was written as JSON once more: sign and send it as it is.',
  changed: 'A member was added after signing, or was left unsigned: sign last.',
  ours: 'The body has resultInfo or respCode, as replies and notifications of Mohur have: leave them out.',
  'with-hash': 'The checksum stood among the values: take CHECKSUMHASH out before you sign or verify.',
  json: 'A text was signed in place of the values: join the values by |, in the order of their names.',
  trimmed: 'A framework trimmed or dropped values: verify the fields as they came.',
  absent: 'No checksum came: find what dropped it, and refuse unsigned messages.',
} as const

const AS_IT_CAME = 'Your code wrote the text anew: verify the bytes as they came.'

/** The advice for a receiver of a callback, a notification or a reply: Mohur has signed it. */
const received: Partial<Record<CauseName, string>> = {
  newline: 'A line end was added or lost on its way to you: verify the bytes as they came.',
  order: AS_IT_CAME,
  spaces: AS_IT_CAME,
  escapes: AS_IT_CAME,
  numbers: AS_IT_CAME,
  nulls: AS_IT_CAME,
  twice: AS_IT_CAME,
  changed: 'A member was added or lost on its way to you: verify all that came, and nothing else.',
}

export const adviceOf = (name: CauseName, isReceived: boolean): string => (isReceived && received[name]) || causes[name]

/** A page or a hint of the sandbox says this when its search time is up. Its letters are as plain as those of `causes`. */
export const ENDED_EARLY = 'Not everything was tried: npx mohur checksum doctor searches longer.'

export type CauseName = keyof typeof causes

export interface NamedCause {
  name: CauseName
  /** The exact fault, in Mohur's words. A member's name is cut to harmless letters. No part of a key stands here. */
  detail: string
}
