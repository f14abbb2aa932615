// Tries an operation from its page: signs with the demo merchant's key, asks this service over HTTP as a shop does, and shows both texts.

import { type Known, SAMPLE_MID } from '../api/kit/sample.ts'
import { type OperationName, operations } from '../api/operations.ts'
import { filled, KNOWN } from './sample-requests.ts'
import { samplePath } from './snippets.ts'

/** How the sandbox lets a page ask. `exchange` is undefined where no answer came. */
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
  /** The request line, its headers and its bytes, as they were sent. */
  sent: string
  status: number
  reply: string
  hint: string | undefined
  /** What the reply said, beside what was known. */
  known: Known
}

/** Undefined where the demo merchant is not there, or no answer came. A word in braces of the body is filled in first. */
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

/** The mid that a body names, when it is another merchant's than the one whose key signs here. */
export function foreignMid(bodyText: string): string | undefined {
  try {
    const { mid } = JSON.parse(bodyText) as { mid?: unknown }
    return typeof mid === 'string' && mid !== SAMPLE_MID ? mid : undefined
  } catch {
    return undefined // what is no JSON is answered by the operation
  }
}

/** Members of replies, and what the samples call them. */
const SPELLED: Readonly<Record<string, string>> = {
  TXNID: 'txnId',
  subsId: 'subscriptionId',
  state_token: 'stateToken',
  access_token: 'ssoToken',
  accessToken: 'accessToken',
  refresh_token: 'refreshToken',
}

/** Looks through a reply, into texts that are JSON themselves (`tokens` of Validate OTP) too. */
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
