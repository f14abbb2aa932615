// An answer and a refusal of each operation, from docs/examples. A test makes the examples again and compares.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { operations } from '../../api/operations.ts'

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

export const readExamples = (root: string): Examples =>
  Object.fromEntries(
    Object.keys(operations).map((name) => [name, JSON.parse(readFileSync(resolve(root, `docs/examples/${name}.json`), 'utf8'))]),
  )
