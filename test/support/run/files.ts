// Chooses the files of a run, and the order in which they begin.

import { globSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Run } from './which-stores.ts'

export const root = resolve(import.meta.dirname, '../../..')
const SLOW = /(^|\/)test\/slow\//
/** These take longer than larger files. */
const LONG = ['test/scenario/kills.test.ts', 'test/adapters/store/commit-answers.test.ts', 'test/pages/payment/browser.test.ts']

export interface TestFile {
  /** The path from the project's folder. */
  name: string
  path: string
  /** True when it shares its process with no other file. */
  isAlone: boolean
}

/** A file that cannot share a process says so with its reason: it counts or changes something of the whole process. */
const ALONE = /^\/\/ Runs alone: (.+)$/m
/** Why a file runs alone; undefined where it may share a process. */
export const whyAlone = (source: string): string | undefined => ALONE.exec(source)?.[1]

/**
 * Without names: all files of the run. Named files keep their order, so `--test-concurrency=1` repeats the order of one process. Other
 * files begin with the slow and the long ones, and within each kind with the largest, which mostly takes longest. So the last files are
 * quick, and no processor waits long for another.
 */
export function filesOf(run: Run, named: readonly string[]): TestFile[] {
  const paths = named.length > 0 ? named.flatMap(expanded) : ordered(all().filter((path) => run === 'prove' || !SLOW.test(path)))
  const files = [...new Set(paths)].map((path) => ({
    name: relative(root, path),
    path,
    isAlone: whyAlone(readFileSync(path, 'utf8')) !== undefined,
  }))
  return [...files.filter(({ isAlone }) => isAlone), ...files.filter(({ isAlone }) => !isAlone)]
}

const all = () => globSync('test/**/*.test.ts', { cwd: root }).map((file) => join(root, file))

function ordered(paths: readonly string[]): string[] {
  const size = new Map(paths.map((path) => [path, statSync(path).size]))
  const isLong = (path: string) => Number(SLOW.test(path) || LONG.includes(relative(root, path)))
  return [...paths].sort((a, b) => isLong(b) - isLong(a) || size.get(b)! - size.get(a)!)
}

/** A folder stands for its files, a pattern for the files that it fits. */
function expanded(name: string): string[] {
  const path = resolve(name)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return ordered(globSync(join(path, '**/*.test.ts')))
  const fitting = found ? [path] : globSync(path)
  if (fitting.length === 0) throw new Error(`no test file ${name}`)
  return fitting
}
