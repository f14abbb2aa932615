// A reporter of Node's test runner in a process of tests: the result of each file, and the whole text of each failure.

import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { failureText } from './failure.ts'
import { root } from './files.ts'

export interface Failure {
  /** The names of the test and of its suites. */
  test: string
  /** File, line and column. */
  at: string
  text: string
}

export interface FileResult {
  tests: number
  passed: number
  leftOut: number
  failures: Failure[]
}

/** The query by which a process loads its test files. */
export const AS_FILE = 'file'
const waiting = new Map<string, (result: FileResult) => void>()
/** The result of a file, once its last event was read. */
export const resultOf = (name: string) => new Promise<FileResult>((resolved) => waiting.set(name, resolved))

type Reported = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>['data']
const nothing = (): FileResult => ({ tests: 0, passed: 0, leftOut: 0, failures: [] })

/** A file is the `describe` at nesting 0 that test-process.ts makes. */
export default async function* report(events: AsyncIterable<TestEvent>) {
  let result = nothing()
  const names: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:start') names[data.nesting] = data.name
    // At the end of the process Node reports here what failed after its test had ended.
    if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) process.send?.({ outside: data.message })
    if (type !== 'test:pass' && type !== 'test:fail') continue
    count(result, type, data)
    if (type === 'test:fail' && isOwnFailure(data)) result.failures.push(failureOf(data, names))
    if (data.nesting > 0) continue
    waiting.get(data.name)?.(result)
    waiting.delete(data.name)
    result = nothing()
  }
  yield ''
}

function count(result: FileResult, type: 'test:pass' | 'test:fail', { details, skip, todo }: Reported) {
  if (details.type === 'suite') return
  result.tests++
  if (skip !== undefined || todo !== undefined) result.leftOut++
  else if (type === 'test:pass') result.passed++
}

/** A suite fails with its tests, whose failures say more. */
function isOwnFailure({ details, todo }: Reported): boolean {
  const { failureType } = (details as { error?: { failureType?: string } }).error ?? {}
  return todo === undefined && failureType !== 'subtestsFailed'
}

function failureOf({ name, nesting, file, line, column, details }: Reported, names: readonly string[]): Failure {
  return {
    test: nesting === 0 ? 'the file itself, while it was loaded or in a hook' : [...names.slice(1, nesting), name].join(' > '),
    at: nesting === 0 || file === undefined ? '' : `${relative(root, file)}:${line}:${column}`,
    text: failureText((details as { error?: unknown }).error).replaceAll(`.ts?${AS_FILE}:`, '.ts:'),
  }
}
