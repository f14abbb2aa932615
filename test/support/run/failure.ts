// The text of a failed test: its message, the difference, and where. From long texts, such as pages, it shows the differing lines alone.
// `--verbose` prints them whole.

import { AssertionError } from 'node:assert'
import { diff, inspect } from 'node:util'

/** Mohur's choice: a longer message is a page or a list, in which no reader finds the difference. */
const MESSAGE_MAX = 2_000
const LINES_MAX = 60
const LINE_MAX = 400
/** Equal lines around those that differ. */
const AROUND = 2
/** Signs that Node has put both values into a message of the test's own. */
const SAYS_BOTH = /^\+ actual - expected$|!==/m
/** Lines of a page that a pattern may have meant. */
const NEAREST = 5

/** Stack frames of Node's runner, and of this folder's additions to it. */
const OF_RUNNER =
  /^ +at .*(?:node:internal\/(?:test_runner|async_local_storage)\/|node:diagnostics_channel|node:async_hooks|follow-tests\.ts|test-process\.ts).*\n?/gm

export const failureText = (error: unknown) => wholeText(error).replace(OF_RUNNER, '').trimEnd()

function wholeText(error: unknown): string {
  const cause = causeOf(error)
  if (!(cause instanceof AssertionError)) return inspect(cause)
  const { message, stack = '' } = cause
  const at = stack.indexOf(message)
  const frames = at < 0 ? `\n${stack}` : stack.slice(at + message.length)
  const isWhole = message.length <= MESSAGE_MAX && (cause.generatedMessage || SAYS_BOTH.test(message))
  const told = isWhole ? message : [headOf(cause), differenceOf(cause)].filter(Boolean).join('\n\n')
  return `${cause.name}: ${told}${frames}${cause.cause === undefined ? '' : `\ncause: ${inspect(cause.cause)}`}`
}

/** Node wraps the error that a test threw. */
function causeOf(error: unknown): unknown {
  const { code, cause } = (error ?? {}) as { code?: string; cause?: unknown }
  return code === 'ERR_TEST_FAILURE' && cause instanceof Error ? cause : error
}

/** A test's own message stays whole. The first line of Node's message says what was compared. */
function headOf({ generatedMessage, message, operator, expected }: AssertionError): string {
  if (!generatedMessage) return message
  const pattern = operator === 'match' || operator === 'doesNotMatch' ? ` ${expected}` : ''
  return cut(message.split(/[:.]?\s*\n/, 1)[0]!, '') + (message.includes(pattern) ? '' : pattern)
}

function differenceOf({ operator, actual, expected }: AssertionError): string {
  if (operator === '==' && expected === true) return '' // `assert.ok` has no other values
  if (expected instanceof RegExp && typeof actual === 'string')
    return operator === 'doesNotMatch' ? foundBy(expected, actual) : nearest(expected, actual)
  return differing(actual, expected)
}

/** Lines that only one side has: `+` before actual lines, `-` before expected ones. */
export function differing(actual: unknown, expected: unknown): string {
  const [came, wanted] = [linesOf(actual), linesOf(expected)]
  const lines = diff(came, wanted).map(([kind, line]) => ({ sign: kind === 0 ? ' ' : kind > 0 ? '+' : '-', line }))
  const isNear = lines.map((_, at) => lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ sign }) => sign !== ' '))
  const shown = lines.flatMap(({ sign, line }, at) => (isNear[at] ? [`${sign} ${cut(line, '')}`] : isNear[at - 1] ? ['  …'] : []))
  return ['+ actual - expected', ...atMost(shown)].join('\n')
}

/** A page has one element on a line; other values have Node's format. */
function linesOf(value: unknown): string[] {
  const text = typeof value === 'string' ? value : inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null })
  return text.replaceAll('><', '>\n<').split('\n')
}

/** The lines that share the most words with a pattern without a match. */
function nearest(pattern: RegExp, text: string): string {
  const words = new Set(pattern.source.match(/[\p{L}\p{N}]{2,}/gu) ?? [])
  const lines = linesOf(text).map((line, at) => ({ line, at, shared: [...words].filter((word) => line.includes(word)).length }))
  const best = lines.sort((a, b) => b.shared - a.shared || a.at - b.at).slice(0, NEAREST)
  const shown = best.sort((a, b) => a.at - b.at).map(({ line, at }) => `${String(at + 1).padStart(5)}  ${cut(line, [...words][0] ?? '')}`)
  return [`the nearest of its ${lines.length} lines, ${text.length} characters:`, ...shown].join('\n')
}

/** The lines around the match of a forbidden pattern. */
function foundBy(pattern: RegExp, text: string): string {
  const found = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).exec(text)
  const before = text.slice(0, found?.index ?? 0).split('\n')
  const [from, to] = [Math.max(0, before.length - 1 - AROUND), before.length + AROUND]
  return text
    .split('\n')
    .slice(from, to)
    .map((line, at) => `${String(from + at + 1).padStart(5)}  ${cut(line, found?.[0] ?? '')}`)
    .join('\n')
}

function cut(line: string, around: string): string {
  if (line.length <= LINE_MAX) return line
  const from = Math.max(0, line.indexOf(around) - LINE_MAX / 2)
  return `${from > 0 ? '…' : ''}${line.slice(from, from + LINE_MAX)}… (${line.length} characters)`
}

const atMost = (lines: readonly string[]) =>
  lines.length <= LINES_MAX ? lines : [...lines.slice(0, LINES_MAX), `  … and ${lines.length - LINES_MAX} more lines: --verbose prints all`]
