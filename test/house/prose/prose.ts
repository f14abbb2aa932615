// English that is read once: finds long sentences, long cells and unclear words in documents, comments and message catalogues.
//
//     npm run prose                      the findings of every file, with their lines; fails when there is one
//     npm run prose -- FILE…             the findings of these files, with their lines
//     npm run prose -- --figures FILE…   words, sentences, words a sentence (median and 95th percentile), long cells
//
// Code, links' targets, quotations and block quotes do not count.

import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRead, type Text, textsOf } from './texts.ts'

const SENTENCE_WORDS_MAX = 25
const CELL_WORDS_MAX = 30
const EXCEPTIONS_MAX = 40
const UNCLEAR = /\b(whoever|told|he|him|his|of which|of whom|such an? one|likewise|how-?manieth)\b/gi
const BEGINNING = /^(?:Of|Who|Whoever|Which)\b/
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|cf|vs|Rs)\.$/i

const EXCEPTIONS = join(import.meta.dirname, 'exceptions.txt')
const TEXTS = join(import.meta.dirname, 'texts.ts')
const PACKAGES = join(import.meta.dirname, '../../../package-lock.json')
const LAST = 'node_modules/.cache/mohur-prose.json'

interface Sentence {
  line: number
  /** The sentence on one line. */
  text: string
  /** Without code and quotations. */
  counted: string
  words: number
}
interface Finding {
  line: number
  problem: string
  sentence: string
}
export interface Exception {
  file: string
  start: string
  reason: string
}

const lineEnds = (text: string) => text.split('\n').length - 1
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

/** The result has the same length, so positions in both agree. A quotation that ends a sentence still ends it. */
const withoutCode = (text: string) =>
  text.replace(
    /`[^`]+`|"[^"]*"|“[^”]*”/g,
    (quoted) => quoted.slice(0, -1).replace(/[^\n]/g, '\0') + (/[.!?]["”]$/.test(quoted) ? '.' : '\0'),
  )

export function sentencesOf({ line, text }: Text): Sentence[] {
  const counted = withoutCode(text)
  const ends = [...counted.matchAll(/[.!?][)\]’']*(?=\s|$)/g)]
    .map((end) => end.index + end[0].length)
    .filter((end) => !ABBREVIATION.test(counted.slice(0, end)))
  return [0, ...ends].flatMap((start, at) => {
    const end = ends[at] ?? text.length
    const begin = start + /^\s*/.exec(text.slice(start))![0].length
    if (begin >= end) return []
    const words = counted.slice(begin, end).split(/\s+/)
    return {
      line: line + lineEnds(text.slice(0, begin)),
      text: oneLine(text.slice(begin, end)),
      counted: oneLine(counted.slice(begin, end)),
      words: words.filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
    }
  })
}

const wordsOf = (text: Text) => sentencesOf(text).reduce((sum, { words }) => sum + words, 0)

function problemsOf({ counted, words }: Sentence): string[] {
  return [
    ...(words > SENTENCE_WORDS_MAX ? [`a sentence of ${words} words`] : []),
    ...[...counted.matchAll(UNCLEAR)].map(([word]) => `the word "${word}"`),
    ...(BEGINNING.test(counted) && !counted.endsWith('?') ? [`begins with "${counted.split(' ')[0]}"`] : []),
  ]
}

export function findingsIn(file: string, source: string): Finding[] {
  return textsOf(file, source).flatMap((text) => {
    const found = sentencesOf(text).flatMap((sentence) =>
      problemsOf(sentence).map((problem) => ({ line: sentence.line, problem, sentence: sentence.text })),
    )
    const words = text.isCell ? wordsOf(text) : 0
    return words > CELL_WORDS_MAX
      ? [...found, { line: text.line, problem: `a cell of ${words} words`, sentence: oneLine(text.text) }]
      : found
  })
}

export function readExceptions(text: string): Exception[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [file = '', start = '', reason = ''] = line.split(' | ')
      return { file, start, reason }
    })
}

const excuses = (exception: Exception, file: string, { sentence }: Finding) =>
  exception.file === file && sentence.startsWith(exception.start)

/** The findings that no exception excuses, by file, and the faults of the exceptions. */
export function judged(findings: ReadonlyMap<string, readonly Finding[]>, exceptions: readonly Exception[]) {
  const left = new Map(
    [...findings].map(([file, found]) => [file, found.filter((each) => !exceptions.some((one) => excuses(one, file, each)))] as const),
  )
  const idle = exceptions.filter((one) => !(findings.get(one.file) ?? []).some((each) => excuses(one, one.file, each)))
  const wrong = [
    ...(exceptions.length > EXCEPTIONS_MAX ? [`exceptions.txt has ${exceptions.length} lines; at most ${EXCEPTIONS_MAX}`] : []),
    ...exceptions
      .filter(({ start, reason }) => !start || !reason)
      .map(({ file }) => `exceptions.txt: ${file} needs a sentence's start and a reason`),
    ...idle.map(({ file, start }) => `exceptions.txt: nothing in ${file} needs "${start}" any more`),
  ]
  return { left, wrong }
}

function figuresOf(file: string, texts: readonly Text[]): string {
  const lengths = texts
    .flatMap(sentencesOf)
    .map(({ words }) => words)
    .filter((words) => words > 0)
    .sort((a, b) => a - b)
  const share = (part: number) => lengths[Math.ceil(lengths.length * part) - 1] ?? 0
  const words = lengths.reduce((sum, each) => sum + each, 0)
  const cells = texts.filter((text) => text.isCell && wordsOf(text) > CELL_WORDS_MAX).length
  return `${file}: ${words} words, ${lengths.length} sentences, median ${share(0.5)}, 95th percentile ${share(0.95)}, ${cells} cells above ${CELL_WORDS_MAX} words`
}

function filesOfProject(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  return listed.split('\0').filter((file) => isRead(file) && existsSync(file))
}

function say(problems: readonly string[]) {
  for (const problem of problems) console.log(problem)
  if (problems.length > 0) process.exitCode = 1
}

/** Keyed by a hash of each file. Parsing takes most of the time, so an unchanged file has its findings from the last run. */
function findingsOfProject(): Map<string, readonly Finding[]> {
  const tools = [import.meta.filename, TEXTS, PACKAGES].map((file) => readFileSync(file, 'utf8')).join()
  const last = readLast()
  const found = filesOfProject().map((file) => {
    const source = readFileSync(file, 'utf8')
    const key = hash('sha256', JSON.stringify([hash('sha256', tools), file, source]))
    return { file, key, findings: last[key] ?? findingsIn(file, source) }
  })
  mkdirSync(dirname(LAST), { recursive: true })
  writeFileSync(`${LAST}.${process.pid}`, JSON.stringify(Object.fromEntries(found.map(({ key, findings }) => [key, findings]))))
  renameSync(`${LAST}.${process.pid}`, LAST)
  return new Map(found.map(({ file, findings }) => [file, findings]))
}

function readLast(): Record<string, readonly Finding[]> {
  try {
    return JSON.parse(readFileSync(LAST, 'utf8'))
  } catch {
    return {} // the first run, or a file that another tool has cut
  }
}

function main(args: readonly string[]) {
  const named = args.filter((argument) => !argument.startsWith('--'))
  const absent = named.filter((file) => !existsSync(file))
  if (absent.length > 0) return say(absent.map((file) => `prose: there is no file ${file}`))
  if (args.includes('--figures')) {
    for (const file of named) console.log(figuresOf(file, textsOf(file, readFileSync(file, 'utf8'))))
    return
  }
  const exceptions = readExceptions(readFileSync(EXCEPTIONS, 'utf8'))
  const isWhole = named.length === 0
  const findings = isWhole ? findingsOfProject() : new Map(named.map((file) => [file, findingsIn(file, readFileSync(file, 'utf8'))]))
  const { left, wrong } = judged(findings, exceptions)
  const found = [...left].flatMap(([file, of]) => of.map(({ line, problem, sentence }) => `${file}:${line}: ${problem}: ${sentence}`))
  say([...found, ...(isWhole ? wrong : [])])
  if (isWhole) console.log(`prose: ${left.size} files, ${found.length} findings, ${exceptions.length} exceptions`)
}

if (process.argv[1] === import.meta.filename) main(process.argv.slice(2))
