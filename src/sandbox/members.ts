// What a call of the sandbox's brings along: JSON that no schema describes, of which each call reads what it knows.

import { isStorable } from '../interface/envelope.ts'

/** What is not an object of JSON has no members. */
export function membersOf(body: unknown): Readonly<Record<string, unknown>> {
  try {
    const members: unknown = JSON.parse(String(body ?? ''))
    return typeof members === 'object' && members !== null ? { ...members } : {}
  } catch {
    return {}
  }
}

export const isText = (given: unknown): given is string => typeof given === 'string' && isStorable(given)
