// An answer and a refusal of each operation, from docs/examples. A test makes the examples again and compares.

import { readFileSync } from 'node:fs'
import { operations } from '../../api/operations.ts'
import { own } from '../../own.ts'

export interface Exchange {
  request: { method: string; path: string; headers: Readonly<Record<string, string>>; body?: unknown }
  reply: { status: number; body?: unknown }
}
export interface Example {
  answer: Exchange
  refusal: Exchange
}
/** By the operation's name. */
export type Examples = Readonly<Record<string, Example>>

export const readExamples = (): Examples =>
  Object.fromEntries(Object.keys(operations).map((name) => [name, JSON.parse(readFileSync(own(`docs/examples/${name}.json`), 'utf8'))]))
