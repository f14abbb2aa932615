// What a change did to comments, for the person who reads them a second time. COMMIT is the commit before.
//
//     node bin/run.mjs test/house/prose/pairs.ts COMMIT FOLDER…              comments kept, changed, dropped, added; words a sentence; changed code
//     node bin/run.mjs test/house/prose/pairs.ts COMMIT FOLDER… --all        every comment that changed, before and after
//     node bin/run.mjs test/house/prose/pairs.ts COMMIT FOLDER… --sample 60  that many of them, drawn by a seed that `--seed` sets

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Random } from '../../support/text/random.ts'
import { parseProgram } from '../../support/text/syntax.ts'
import { sentencesOf } from './prose.ts'
import { isRead, textsOfComments } from './texts.ts'

const SEED = '20261128'
const { values: asked, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, sample: { type: 'string' }, seed: { type: 'string', default: SEED } },
})
const [commit, ...folders] = positionals
if (!commit) throw new Error('Name the commit to compare with')
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1e9 })

interface Program {
  /** Keyed by the line of code that a comment belongs to, and a number where several lines are equal. */
  comments: Map<string, string>
  tokens: string
  tokensWithoutTexts: string
  lines: number
}
const EMPTY: Program = { comments: new Map(), tokens: '', tokensWithoutTexts: '', lines: 0 }

function read(source: string): Program {
  const { comments, tokens } = parseProgram(source, { tokens: true })
  let code = source
  for (const { start, end } of comments!) code = code.slice(0, start) + code.slice(start!, end!).replace(/[^\n]/g, ' ') + code.slice(end)
  const lines = code.split('\n')
  const byLine = new Map<number, string>()
  for (const { line, text } of textsOfComments(source)) {
    const at = lines.findIndex((each, index) => index >= line - 1 && each.trim() !== '')
    byLine.set(at, `${byLine.get(at) ?? ''} ${text.replace(/\s+/g, ' ').trim()}`.trim())
  }
  const seen = new Map<string, number>()
  const keyed = [...byLine].map(([at, text]) => {
    const line = lines[at]?.trim() ?? 'the end'
    seen.set(line, (seen.get(line) ?? 0) + 1)
    return [`${line} #${seen.get(line)}`, text] as const
  })
  const ofCode = (tokens as { type: { label: string }; value?: unknown }[]).filter(({ type }) => type.label !== undefined)
  const withTexts = ofCode.map(({ type, value }) => `${type.label} ${value}`)
  const withoutTexts = ofCode.map(({ type, value }) => (/string|template/.test(type.label) ? type.label : `${type.label} ${value}`))
  return {
    comments: new Map(keyed.filter(([, text]) => text !== '')),
    tokens: withTexts.join('\n'),
    tokensWithoutTexts: withoutTexts.join('\n'),
    lines: source.split('\n').length - 1,
  }
}

const isProgram = (file: string) => isRead(file) && !file.endsWith('.md')
const before = new Map<string, Program>()
for (const file of git('ls-tree', '-r', '--name-only', commit, '--', ...folders)
  .split('\n')
  .filter(isProgram))
  before.set(file, read(git('show', `${commit}:${file}`)))
const after = new Map<string, Program>()
for (const file of git('ls-files', '--cached', '--others', '--exclude-standard', '--', ...folders)
  .split('\n')
  .filter(isProgram))
  if (existsSync(file)) after.set(file, read(readFileSync(file, 'utf8')))

const counts = { kept: 0, changed: 0, dropped: 0, added: 0 }
const changes: { place: string; was: string; is: string }[] = []
const otherCode: string[] = []
const otherTexts: string[] = []
for (const file of new Set([...before.keys(), ...after.keys()])) {
  const [was, is] = [before.get(file) ?? EMPTY, after.get(file) ?? EMPTY]
  if (was.tokensWithoutTexts !== is.tokensWithoutTexts) otherCode.push(file)
  else if (was.tokens !== is.tokens) otherTexts.push(file)
  for (const key of new Set([...was.comments.keys(), ...is.comments.keys()])) {
    const [old, now] = [was.comments.get(key) ?? '', is.comments.get(key) ?? '']
    counts[old === now ? 'kept' : old === '' ? 'added' : now === '' ? 'dropped' : 'changed']++
    if (old !== now) changes.push({ place: `${file}: ${key}`, was: old, is: now })
  }
}

function figuresOf(programs: ReadonlyMap<string, Program>): string {
  const comments = [...programs.values()].flatMap(({ comments }) => [...comments.values()])
  const words = comments.flatMap((text) => sentencesOf({ line: 0, text }).map((sentence) => sentence.words)).filter((count) => count > 0)
  words.sort((a, b) => a - b)
  const share = (part: number) => words[Math.ceil(words.length * part) - 1] ?? 0
  const lines = [...programs.values()].reduce((sum, program) => sum + program.lines, 0)
  return `${lines} lines, ${words.length} sentences of comments, median ${share(0.5)} words, 95th percentile ${share(0.95)}`
}

if (asked.all || asked.sample) {
  const random = new Random(Number(asked.seed))
  const left = [...changes]
  const shown = asked.all
    ? left
    : Array.from({ length: Math.min(Number(asked.sample), left.length) }, () => left.splice(random.below(left.length), 1)[0]!)
  if (asked.sample) console.log(`seed ${asked.seed}\n`)
  for (const { place, was, is } of shown) console.log(`${place}\n- ${was || '(nothing)'}\n+ ${is || '(nothing)'}\n`)
}
console.log(`before: ${figuresOf(before)}`)
console.log(`now:    ${figuresOf(after)}`)
console.log(`comments kept ${counts.kept}, changed ${counts.changed}, dropped ${counts.dropped}, added ${counts.added}`)
console.log(`code changed in ${otherCode.length} files, texts alone in ${otherTexts.length}`)
for (const file of [...otherCode.map((each) => `code: ${each}`), ...otherTexts.map((each) => `texts: ${each}`)]) console.log(`  ${file}`)
