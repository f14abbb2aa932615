/**
 * Whether a change only moves and renames: `node test/house/moved.ts BEFORE AFTER`, two commits. It compares the code token by token,
 * and lets through import paths, the paths of moves.tsv in strings, and the words of words.tsv. Exit 1 when anything else differs.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from '@babel/parser'

const [before, after] = process.argv.slice(2)
if (!before || !after) throw new Error('two commits are needed')
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))

// As the moves were then: later ones have lines of their own.
const moves = new Map(linesOf(git('show', `${after}:test/house/moves.tsv`)) as [string, string][])
const words = new Set(linesOf(readFileSync(join(import.meta.dirname, 'words.tsv'), 'utf8')).map(([old, now]) => `${old} ${now}`))
const counts = { 'files moved': 0, 'files renamed': 0, 'path strings': 0, 'listed words': 0, 'other tokens': 0 }

interface Token {
  kind: string
  text: string
  line: number
}

/** The tokens of a file but for its imports, whose order the formatter sets, and for commas that the layout adds. */
function tokensOf(source: string): Token[] {
  const { program, tokens } = parse(source, { sourceType: 'module', plugins: ['typescript'], tokens: true, errorRecovery: true })
  const imports = program.body.filter(({ type }) => type === 'ImportDeclaration')
  const within = (at: number) => imports.some(({ start, end }) => at >= start! && at < end!)
  const all = (tokens ?? []).filter(({ type, start }) => !/^Comment/.test(String(type)) && !within(start))
  const found = all
    .map((token) => ({ kind: token.type.label, text: source.slice(token.start, token.end), line: token.loc.start.line }))
    .filter(({ text }, index, list) => text !== ',' || !/^[)\]}>]$/.test(list[index + 1]?.text ?? ''))
  const layout = aroundBodies(found)
  return found.filter((_, index) => !layout.has(index))
}

/** Parentheses around what an arrow function returns: the layout takes them away where the line is broken. */
function aroundBodies(tokens: readonly Token[]): Set<number> {
  const dropped = new Set<number>()
  const open: { index: number; isBody: boolean }[] = []
  tokens.forEach(({ text }, index) => {
    if (text === '(') open.push({ index, isBody: tokens[index - 1]?.text === '=>' })
    if (text !== ')') return
    const last = open.pop()
    if (last?.isBody) for (const each of [last.index, index]) dropped.add(each)
  })
  return dropped
}

const isPath = (text: string) => text === "'..'" || /\.(ts|mjs|js|json|css|md)\b|\.\.\/|(?:^|['"`/])(?:src|test)\//.test(text)

function compare(from: string, to: string) {
  const [old, now] = [tokensOf(git('show', `${before}:${from}`)), tokensOf(git('show', `${after}:${to}`))]
  let at = 0
  for (const token of old) {
    const other = now[at++]
    if (other?.text === token.text) continue
    // A property that was named by the word alone keeps its name: `{ old }` becomes `{ old: new }`.
    if (other && words.has(`${token.text} ${other.text}`)) counts['listed words']++
    else if (other && other.kind === token.kind && isPath(token.text) && isPath(other.text)) counts['path strings']++
    else {
      counts['other tokens']++
      console.log(`${to}:${other?.line}: ${token.text} → ${other?.text}`)
    }
  }
  counts['other tokens'] += now.length - at
  if (now.length !== at) console.log(`${to}: ${now.length - at} tokens more`)
}

const files = git('ls-tree', '-r', '--name-only', before).trim().split('\n')
for (const file of files) {
  const to = moves.get(file) ?? file
  if (to !== file) counts['files moved']++
  if (basename(to) !== basename(file)) counts['files renamed']++
  if (/\.(ts|mjs|js)$/.test(file) && /^(src|test|bench|bin)\//.test(file)) compare(file, to)
}
console.log(
  Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(', '),
)
process.exitCode = counts['other tokens'] === 0 ? 0 : 1
