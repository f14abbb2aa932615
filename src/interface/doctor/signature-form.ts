// Repairs a signature whose characters the transport changed: docs/checksum.md, "form".

import { isSignatureForm } from '../checksum.ts'
import type { NamedCause } from './causes.ts'

const SIGNATURE_READ_MAX = 2_048 // Mohur's choice: no damage makes 108 characters longer than this

export interface ReadSignature {
  /** Undefined when no repair makes the given text base64 of 108 characters. */
  signature: string | undefined
  causes: readonly NamedCause[]
}

const REPAIRS: readonly (readonly [detail: string, repair: (text: string) => string])[] = [
  ['a line end or quotes stand around it', unwrapped],
  ['it was escaped for an address', (text) => text.replace(/%(?:2B|2F|3D|0A|0D)/gi, (escaped) => decodeURIComponent(escaped))],
  ['it was escaped for an address twice', (text) => text.replace(/%25(2B|2F|3D)/gi, (_, code) => decodeURIComponent(`%${code}`))],
  ['its slashes were escaped as in JSON', (text) => text.replaceAll('\\/', '/')],
  ['its signs were escaped as in JSON or HTML', (text) => text.replace(/\\u002b|&#43;|&#x2b;/gi, '+').replace(/\\u003d|&#61;/gi, '=')],
  ['it was broken into lines', (text) => text.replace(/\\[rn]|[\r\n]+/g, '')],
  ['its + became spaces', (text) => text.replaceAll(' ', '+')],
  ['it is base64 for addresses', (text) => text.replaceAll('-', '+').replaceAll('_', '/')],
  ['its last = is missing', (text) => (text.length === 107 ? `${text}=` : text)],
]

function unwrapped(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/s, '$2')
}

export function readSignature(given: string): ReadSignature {
  if (isSignatureForm(given)) return { signature: given, causes: [] }
  const described: NamedCause = {
    name: 'form',
    detail: `it has ${given.length} characters${given.length === 64 ? ', as a plain hash has' : ''}`,
  }
  if (given.length > SIGNATURE_READ_MAX) return { signature: undefined, causes: [described] }
  // A space before the signature comes from copying, or was the signature's first +.
  const signature = repaired(given, REPAIRS) ?? repaired(given, REPAIRS.slice(1))
  if (signature) return signature
  const text = unwrapped(given)
  if (/^[0-9a-f]{160}$/i.test(text))
    return { signature: Buffer.from(text, 'hex').toString('base64'), causes: [{ name: 'form', detail: 'it is hexadecimal' }] }
  return { signature: undefined, causes: [described] }
}

function repaired(given: string, repairs: typeof REPAIRS): ReadSignature | undefined {
  const done: string[] = []
  let text = given
  for (const [detail, repair] of repairs) {
    const before = text
    text = repair(before)
    if (text !== before) done.push(detail)
    if (isSignatureForm(text)) return { signature: text, causes: [{ name: 'form', detail: done.join(', ') }] }
  }
  return undefined
}
