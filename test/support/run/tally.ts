// A reporter of Node's test runner that writes what all test files came to, for the end of `run.ts`.

import type { TestEvent } from 'node:test/reporters'

export interface Tally {
  counts: { tests: number; passed: number; skipped: number; todo: number }
  ms: number
  files: { file: string; ms: number }[]
}

export default async function* tally(events: AsyncIterable<TestEvent>) {
  const files: Tally['files'] = []
  for await (const { type, data } of events) {
    if ((type === 'test:pass' || type === 'test:fail') && data.nesting === 0 && data.name.endsWith('.test.ts'))
      files.push({ file: data.name, ms: data.details.duration_ms })
    if (type !== 'test:summary') continue
    if (data.file) {
      if (!data.file.endsWith('.mjs')) files.push({ file: data.file, ms: data.duration_ms })
    } else yield JSON.stringify({ counts: data.counts, ms: data.duration_ms, files } satisfies Tally)
  }
}
