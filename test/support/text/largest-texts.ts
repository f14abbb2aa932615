// The largest text of each kind that a search of the checksum doctor accepts, signed over another text.

import { sign } from '../../../src/interface/checksum.ts'

/** Published: it is the demo merchant's key. */
export const KEY = 'ABCDEFGHIJKLMNOP'
const MID = 'DEMO0000000000000001'
export const ofAnotherText = sign('another', KEY, 'salt')

const many = (count: number, one: (at: number) => string, between: string) =>
  Array.from({ length: count }, (_, at) => one(at)).join(between)
/** The shortest name at this place. */
const name = (at: number) => at.toString(36)
const ESCAPED = encodeURIComponent(ofAnotherText)
const form = (count: number, one: (name: string) => string) =>
  `MID=${MID}&ORDERID=O&${many(count - 2, (at) => one(name(at)), '&')}&CHECKSUMHASH=${ESCAPED}`
const asSent = (body: string, head = '') => `{"head":{"signature":"${ofAnotherText}"${head}},"body":${body}}`
const envelope = (members: string) => asSent(`{"mid":"${MID}","orderId":"O",${members}}`)
const members = (count: number, value: string) => many(count, (at) => `"${name(at)}":${value}`, ',')

export const largest: Readonly<Record<string, string>> = {
  'form of 99 short fields': form(99, (each) => `${each}=`),
  'form of 900 short fields': form(900, (each) => `${each}=`),
  'form of 999 long fields': form(999, (each) => `${each}=${'x'.repeat(58)}`),
  'form of 999 checksums': form(999, (each) => `checksum${each}=1`),
  'form of one field': form(3, () => `a=${'x'.repeat(65_000)}`),
  'form of escapes': form(3, () => `a=${'%20'.repeat(21_000)}b`),
  'form as JSON': `{${members(997, '"1"')},"MID":"${MID}","ORDERID":"O","CHECKSUMHASH":"${ofAnotherText}"}`,
  'body of 997 members': envelope(members(994, '1')),
  'body of 990 long members': envelope(members(990, `"${'é'.repeat(27)}"`)),
  'body of 990 amounts': envelope(many(990, (at) => `"amount${name(at)}":"499.00"`, ',')),
  'body of 16 long members': envelope(members(16, `"${'x'.repeat(4_000)}"`)),
  'body in lines': asSent(
    `{\n  "mid": "${MID}",\n  "orderId": "O",\n  ${many(990, (at) => `"${name(at)}": "${'x'.repeat(40)}"`, ',\n  ')}\n}`,
  ),
  'body of irregular spaces': envelope(` ${many(900, (at) => `"${name(at)}":  "${'x'.repeat(50)}"`, ',')}`),
  'body with a gap': envelope(`"a":1,${' '.repeat(60_000)}"b":2`),
  'body that nests': envelope(many(70, (at) => `"${name(at)}":${'{"a":'.repeat(13)}1${'}'.repeat(13)}`, ',')),
  'body of customers': envelope(members(490, '{"custId":"1"}')),
  'body of a list': envelope(`"a":[${many(1_990, () => `"${'/'.repeat(28)}"`, ',')}]`),
  'body of one text to escape': envelope(`"a":"${'<'.repeat(64_000)}"`),
  'body of escapes': envelope(`"a":"${'\\u0041'.repeat(10_000)}"`),
  'body in quotes': asSent(JSON.stringify('"'.repeat(30_000))),
  'head of 990 members': asSent(`{"mid":"${MID}","orderId":"O"}`, `,${members(990, `"${'x'.repeat(50)}"`)}`),
  'body of numbers': envelope(members(990, `${'9'.repeat(14)}.25`)),
}
