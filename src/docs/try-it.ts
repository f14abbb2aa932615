// Tries an operation from its page: signs with the demo merchant's key, calls this service over HTTP as a shop does, and shows both texts.

import { type Known, SAMPLE_MID } from '../api/kit/sample.ts'
import { type OperationName, operations } from '../api/operations.ts'
import { filled, KNOWN } from './sample-requests.ts'
import { samplePath } from './snippets.ts'

/** How the sandbox lets a page call. `exchange` returns undefined when no answer came. */
export interface Trying {
  sign(mid: string, text: string): Promise<string | undefined>
  exchange(path: string, request: Exchanged): Promise<{ status: number; hint: string | undefined; text: string } | undefined>
}
interface Exchanged {
  method: string
  headers: Readonly<Record<string, string>>
  text: string | undefined
}

export interface Tried {
  /** The request line, headers and bytes, as they were sent. */
  sent: string
  status: number
  reply: string
  hint: string | undefined
  /** The words that were known, and the words of the reply. */
  known: Known
}

/** Fills the body's words in braces, signs and sends. Undefined without a demo merchant, or without an answer. */
export async function tried(operation: OperationName, bodyText: string, known: Known, trying: Trying): Promise<Tried | undefined> {
  const sample = operations[operation].sample
  const { method } = operations[operation]
  const text = sample.body && filled(bodyText, known)
  const signature = (await trying.sign(SAMPLE_MID, text ?? '')) ?? ''
  const named = (part: object | undefined) =>
    JSON.parse(filled(JSON.stringify(part ?? {}), known).replaceAll('{signature}', signature)) as Record<string, string>
  const headers = { ...(text !== undefined && { 'content-type': 'application/json' }), ...named(sample.headers) }
  const bytes = text === undefined ? undefined : sample.head ? `{"head":${JSON.stringify(named(sample.head))},"body":${text}}` : text
  const path = samplePath(operation, sample, known)
  const answer = await trying.exchange(path, { method, headers, text: bytes })
  if (!answer) return undefined
  const lines = [`${method} ${path}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  return {
    sent: bytes === undefined ? lines.join('\n') : `${lines.join('\n')}\n\n${bytes}`,
    status: answer.status,
    reply: answer.text,
    hint: answer.hint,
    known: { ...known, ...knownFrom(answer.text) },
  }
}

/** The mid that a body names, when its merchant is not the one whose key signs here. */
export function foreignMid(bodyText: string): string | undefined {
  try {
    const { mid } = JSON.parse(bodyText) as { mid?: unknown }
    return typeof mid === 'string' && mid !== SAMPLE_MID ? mid : undefined
  } catch {
    return undefined // the operation answers a body that is not JSON
  }
}

/** Members of replies, and their names in the samples. */
const SPELLED: Readonly<Record<string, string>> = {
  TXNID: 'txnId',
  subsId: 'subscriptionId',
  state_token: 'stateToken',
  access_token: 'ssoToken',
  accessToken: 'accessToken',
  refresh_token: 'refreshToken',
}

/** Returns the known words in a reply. Searches even texts that are JSON themselves (`tokens` of Validate OTP). */
function knownFrom(reply: string): Known {
  const found: Record<string, string> = {}
  const visit = (value: unknown, name: string, depth: number) => {
    if (depth > 6) return
    if (typeof value === 'string') {
      const known = Object.hasOwn(SPELLED, name) ? SPELLED[name]! : name
      if ((KNOWN as readonly string[]).includes(known) && value !== '') found[known] ??= value
      if (name === 'tokens') visit(readJson(value), name, depth + 1)
    } else if (typeof value === 'object' && value !== null) for (const [each, inner] of Object.entries(value)) visit(inner, each, depth + 1)
  }
  visit(readJson(reply), '', 0)
  return found
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
