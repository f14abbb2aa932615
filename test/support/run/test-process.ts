// A process of tests. It asks run.ts for one file after the other, because loading the service takes longer than running most files. Each
// file is a `describe` of its own, so everything that it opens for its tests is closed before the next file begins.

import { tracingChannel } from 'node:diagnostics_channel'
import { describe } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { FileResult } from './report.ts'
import { AS_FILE, resultOf } from './report.ts'
import './service.ts' // its `await` belongs to no file

/** The messages of a process of tests to run.ts. */
export type Said =
  | { wants: 'file' }
  | { running: string | undefined }
  | { ended: FileResult }
  /** An error that belongs to no running test. */
  | { outside: string }
  /** The process has no more tests, and does not end. */
  | { open: string[] }
export type Given = { name: string; path: string } | 'none'

/** Mohur's choice: files close what they opened in milliseconds; a busy machine takes longer. */
const ENDS_WITHIN_MS = 60_000
/** With a pattern, a file may have no test that fits, and then Node reports nothing about it. */
const isFiltered = process.execArgv.some((option) => /^--(test-(name-pattern|skip-pattern|only)|experimental-test-tag)/.test(option))
const FILTERED_MS = 50

const say = (said: Said) => process.send!(said)
process.once('disconnect', () => process.exit(1))

/** Sent at once, and not by the reporter, so that a test that never yields the processor is named too. */
tracingChannel('node.test').start.subscribe((started) => {
  const { name, type } = started as { name: string; type: string }
  if (type === 'test' && name !== '<root>') say({ running: name })
})

/** Until no files are left, the channel keeps the process alive. A test may wait for a timer that does not. */
function next(): Promise<Given> {
  say({ wants: 'file' })
  return new Promise((resolved) => process.once('message', resolved))
}

for (let file = await next(); file !== 'none'; file = await next()) {
  const { name, path } = file
  const result = resultOf(name)
  // The query makes Node load it anew, even where another file of the process has imported it.
  await describe(name, () => import(`${pathToFileURL(path)}?${AS_FILE}`))
  const unreported = { tests: 0, passed: 0, leftOut: 0, failures: [] }
  const ended = await (isFiltered ? Promise.race([result, sleep(FILTERED_MS, unreported)]) : result)
  say({ ended })
}
process.channel!.unref()
setTimeout(() => say({ open: process.getActiveResourcesInfo() }), ENDS_WITHIN_MS).unref()
