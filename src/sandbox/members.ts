// The JSON body of a sandbox call. No schema describes it: each call reads the members that it knows.

import { isStorable } from '../interface/envelope.ts'

/** Anything but a JSON object has no members. */
export function membersOf(body: unknown): Readonly<Record<string, unknown>> {
  try {
    const members: unknown = JSON.parse(String(body ?? ''))
    return typeof members === 'object' && members !== null ? { ...members } : {}
  } catch {
    return {}
  }
}

export const isText = (given: unknown): given is string => typeof given === 'string' && isStorable(given)
