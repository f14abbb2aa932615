// What a run of tests prints: a line for each file, each failure whole, and at the end the slowest files.

import type { Ended } from './processes.ts'

const SLOWEST = 20
/** The line of a test that lacks something on this machine (docs/contributing/tests.md). */
const LEFT_OUT = /^.*\bLEFT OUT\b.*$/gm

export class Progress {
  readonly #total: number
  readonly #isVerbose: boolean
  readonly #began = performance.now()
  readonly #files: { name: string; ms: number }[] = []
  readonly #failed: string[] = []
  readonly counts = { tests: 0, passed: 0, leftOut: 0, failed: 0 }

  constructor(total: number, isVerbose: boolean) {
    this.#total = total
    this.#isVerbose = isVerbose
  }

  get ms() {
    return performance.now() - this.#began
  }

  ended({ file, ms, result, output, after, isLate }: Ended) {
    const { tests, passed, leftOut, failures } = result
    this.counts.tests += tests
    this.counts.passed += passed
    this.counts.leftOut += leftOut
    this.counts.failed += Math.max(tests - passed - leftOut, failures.length)
    if (!isLate) this.#files.push({ name: file.name, ms })
    if (this.#isVerbose) process.stdout.write(output)
    else for (const [line] of output.matchAll(LEFT_OUT)) console.log(line)
    const done = `${String(this.#files.length).padStart(String(this.#total).length)}/${this.#total}`
    const at = `${done} ${seconds(this.ms, 5, 0)} s`
    console.log(`${at}  ${failures.length > 0 ? 'FAILED ' : ''}${file.name}: ${tests} tests, ${seconds(ms, 0, 1)} s`)
    if (failures.length === 0) return
    for (const { test, at: place, text } of failures) {
      this.#failed.push(`${file.name}: ${test}${place && ` (${place})`}`)
      console.log(`\n✖ ${test}\n  ${place || file.name}\n\n${indented(text)}\n`)
    }
    if (!this.#isVerbose && output.trim() !== '') console.log(`${file.name} wrote:\n${indented(output.trimEnd())}\n`)
    if (after.length > 0) console.log(`Before it ran in the same process: ${after.join(' ')}\n`)
  }

  /** What a process wrote after its files. Other reporters of Node write the number of tests there. */
  rest(output: string) {
    if (this.#isVerbose) process.stdout.write(output)
  }

  /** The slowest files first (docs/contributing/tests.md, "Two sizes"). */
  sayTheSlowest() {
    const files = this.#files.toSorted((a, b) => b.ms - a.ms)
    const rest = files.slice(SLOWEST)
    const restMs = rest.reduce((sum, { ms }) => sum + ms, 0)
    for (const { name, ms } of files.slice(0, SLOWEST)) console.log(`| ${name} | ${seconds(ms, 6, 1)} |`)
    console.log(`| ${rest.length} other files | ${seconds(restMs, 6, 1)} |`)
  }

  sayWhatFailed() {
    for (const failed of this.#failed) console.log(`failed: ${failed}`)
  }
}

const seconds = (ms: number, width: number, digits: number) => (ms / 1_000).toFixed(digits).padStart(width)
const indented = (text: string) => text.replace(/^(?=.)/gm, '  ')
