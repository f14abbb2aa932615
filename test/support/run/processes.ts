// The processes of tests. Each takes the next file when it has finished one, so no processor waits while files are left.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestFile } from './files.ts'
import type { FileResult } from './report.ts'
import { sized } from './sizes.ts'
import type { Given, Said } from './test-process.ts'

/** How many files share a process. After forty files it holds 560 MB; each start costs two seconds of processor time. */
const TOGETHER = 40
/**
 * Mohur's choice: eleven times the longest file of `npm run prove` on two processors (156 s), because other work slows files down. A search
 * at full size takes longer.
 */
export const FILE_LIMIT_MS = sized(30, 60) * 60_000

export interface Ended {
  file: TestFile
  ms: number
  result: FileResult
  /** Its process's standard output and standard error during the file. */
  output: string
  /** The files that ran before it in the same process. */
  after: readonly string[]
  /** The file had ended, and this error came after all tests of its process. */
  isLate: boolean
}

export interface Started {
  execArgv: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
  /** Output goes to the terminal as it comes, because a debugger talks with a person. */
  isDebugged: boolean
  limitMs: number | undefined
}

export class TestProcesses {
  readonly #started: Started
  readonly #onEnded: (ended: Ended) => void
  readonly #onRest: (output: string) => void
  readonly #running = new Set<ChildProcess>()
  #queue: TestFile[]

  /** `onRest` gets what a process wrote after its last file. */
  constructor(files: readonly TestFile[], started: Started, onEnded: (ended: Ended) => void, onRest: (output: string) => void = () => {}) {
    this.#queue = [...files]
    this.#started = started
    this.#onEnded = onEnded
    this.#onRest = onRest
  }

  async run(concurrency: number) {
    const place = async () => {
      for (let file = this.#queue.shift(); file; file = this.#queue.shift()) await this.#runFrom(file)
    }
    await Promise.all(Array.from({ length: concurrency }, place))
  }

  /** Starts no more files, and ends those that run. */
  stop(signal: NodeJS.Signals) {
    this.#queue = []
    for (const child of this.#running) signalGroup(child, signal)
  }

  async #runFrom(first: TestFile) {
    const { execArgv, env, cwd, isDebugged, limitMs } = this.#started
    const child = spawn(process.execPath, [...execArgv, new URL('./test-process.ts', import.meta.url).pathname], {
      cwd,
      env,
      // In its own group, so that a file's processes end with it when it exceeds its limit.
      detached: !isDebugged,
      stdio: isDebugged ? ['inherit', 'inherit', 'inherit', 'ipc'] : ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#running.add(child)
    const book = new ProcessBook(child, limitMs, this.#onEnded)
    let next: TestFile | undefined = first
    child.on('message', (said: Said) => {
      book.hear(said)
      if (!('wants' in said)) return
      const file = next ?? this.#shared(first, book.count)
      next = undefined
      if (file) book.begin(file)
      const given: Given = file ? { name: file.name, path: file.path } : 'none'
      child.send(given, () => {}) // a process that has ended meanwhile reports so by its end
    })
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    this.#running.delete(child)
    this.#onRest(book.close(code, signal))
  }

  /** The next file for a process that has run some. */
  #shared(first: TestFile, count: number): TestFile | undefined {
    return first.isAlone || count >= TOGETHER || this.#queue[0]?.isAlone ? undefined : this.#queue.shift()
  }
}

class ProcessBook {
  readonly #child: ChildProcess
  readonly #limitMs: number | undefined
  readonly #onEnded: (ended: Ended) => void
  readonly #files: TestFile[] = []
  #current: { file: TestFile; began: number; limit: NodeJS.Timeout | undefined } | undefined
  #running: string | undefined
  #output = ''
  #outside: string[] = []
  #hasFailed = false
  #isLate = false

  constructor(child: ChildProcess, limitMs: number | undefined, onEnded: (ended: Ended) => void) {
    this.#child = child
    this.#limitMs = limitMs
    this.#onEnded = onEnded
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
      })
  }

  get count() {
    return this.#files.length
  }

  begin(file: TestFile) {
    const limit = this.#limitMs === undefined ? undefined : setTimeout(() => this.#tookTooLong(), this.#limitMs)
    this.#current = { file, began: performance.now(), limit }
    this.#running = undefined
  }

  hear(said: Said) {
    if ('running' in said) this.#running = said.running
    if ('ended' in said) this.#end(said.ended)
    if ('outside' in said) this.#outside.push(said.outside)
    if ('open' in said) {
      this.#outside.push(`the process does not end after its tests: it still has open ${said.open.join(', ')}`)
      signalGroup(this.#child, 'SIGKILL')
    }
  }

  /**
   * Handles the process's end. A file that has not ended, or an error that belongs to no test, is a failure. Returns the rest of its
   * output.
   */
  close(code: number | null, signal: NodeJS.Signals | null): string {
    const how = signal ? `on ${signal}` : `with ${code}`
    if (this.#current) this.#fail(`the process ended ${how}`)
    else if (this.#outside.length > 0 || (code !== 0 && !this.#hasFailed)) {
      const file = this.#files.at(-1) ?? { name: 'no file', path: '', isAlone: true }
      this.#files.pop()
      this.#isLate = true
      this.#current = { file, began: performance.now(), limit: undefined }
      this.#fail(this.#outside.join('\n') || `the process ended ${how}`, 'after all tests of the process')
    }
    return this.#output
  }

  #tookTooLong() {
    this.#fail(`the file took longer than ${this.#limitMs! / 1_000} seconds, and was ended`)
    signalGroup(this.#child, 'SIGKILL')
  }

  #fail(text: string, test = this.#running === undefined ? 'no test yet' : this.#running) {
    this.#end({ tests: 0, passed: 0, leftOut: 0, failures: [{ test, at: '', text }] })
  }

  #end(result: FileResult) {
    if (!this.#current) return
    const { file, began, limit } = this.#current
    clearTimeout(limit)
    this.#current = undefined
    this.#hasFailed ||= result.failures.length > 0
    const after = this.#files.map(({ name }) => name)
    this.#onEnded({ file, ms: performance.now() - began, result, output: this.#output, after, isLate: this.#isLate })
    this.#files.push(file)
    this.#output = ''
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals) {
  try {
    process.kill(process.platform === 'win32' ? pid! : -pid!, signal)
  } catch {
    // It has ended meanwhile.
  }
}
