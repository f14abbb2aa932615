// The texts that people read in a file: paragraphs, items and cells of a document, comments of a program, messages of a catalogue.

import { marked, type Token, type Tokens } from 'marked'
import { childrenOf, type Node, parseProgram, programOf } from '../../support/text/syntax.ts'

const DOCUMENT = /\.md$/
const PROGRAM = /^(?:src|test|bench|bin|examples)\/.*\.[mc]?[jt]s$/
/** Files whose texts people read: settings, command line, console, /docs, sandbox, checksum doctor, payment page. Code samples are not prose. */
const CATALOGUE =
  /(?:^|\/)src\/(?:settings|main|flows\/order-next|(?:cli|console|docs|sandbox|interface\/doctor)\/.+|pages\/kit\/messages\/(?:\w+-)?en)\.ts$/
const CODE_SAMPLES = /\/docs\/snippets\.ts$/

export const isRead = (file: string) => DOCUMENT.test(file) || PROGRAM.test(file)

/** A paragraph, an item of a list, a cell or a comment. */
export interface Text {
  line: number
  text: string
  isCell?: boolean
}

const lineEnds = (text: string) => text.split('\n').length - 1

export function textsOf(file: string, source: string): Text[] {
  if (DOCUMENT.test(file)) return textsOfDocument(marked.lexer(source), 1)
  return [...textsOfComments(source), ...(CATALOGUE.test(file) && !CODE_SAMPLES.test(file) ? textsOfCatalogue(source) : [])]
}

/** `marked` gives no lines, so they are counted in the text of each token. */
function textsOfDocument(tokens: readonly Token[], first: number): Text[] {
  let line = first
  return tokens.flatMap((token) => {
    const start = line
    line += lineEnds(token.raw)
    if (token.type === 'list') return textsOfDocument((token as Tokens.List).items, start)
    if (token.type === 'list_item') return textsOfDocument(token.tokens ?? [], start)
    if (token.type === 'table') {
      const { header, rows } = token as Tokens.Table
      const cells = (row: readonly Tokens.TableCell[], at: number) =>
        row.map((cell) => ({ line: at, text: plain(cell.tokens), isCell: true }))
      return [...cells(header, start), ...rows.flatMap((row, at) => cells(row, start + 2 + at))]
    }
    return ['paragraph', 'heading', 'text'].includes(token.type) ? [{ line: start, text: plain([token]) }] : []
  })
}

const plain = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.type === 'codespan') return `\`${(token as Tokens.Codespan).text.replaceAll('`', ' ')}\``
      if (token.type === 'br') return '\n'
      if (token.type === 'html' || token.type === 'image') return ''
      const { tokens, text } = token as Tokens.Text
      return tokens ? plain(tokens) : text
    })
    .join('')

const ITEM = /^\s*(?:[-*]|\d+\.)\s/
/** Consecutive lines of comments are one text. An empty line or an item of a list begins another; indented lines are code. */
export function textsOfComments(source: string): Text[] {
  const lines = source.split('\n')
  const texts: Text[] = []
  let above = { line: -1, column: 0 }
  for (const { type, value, loc } of parseProgram(source).comments!) {
    const { line, column } = loc!.start
    const isBelow =
      type === 'CommentLine' && above.line === line - 1 && above.column === column && lines[line - 1]!.slice(0, column).trim() === ''
    const rows = type === 'CommentLine' ? [value] : value.split('\n').map((row) => row.replace(/^\s*\*(?= |$)/, ''))
    for (const [at, row] of rows.entries()) {
      const isOther = (at === 0 && !isBelow) || row.trim() === '' || ITEM.test(row)
      const text = /^ {4}/.test(row) ? '' : row.replace(ITEM, '')
      if (isOther) texts.push({ line: line + at, text })
      else texts.at(-1)!.text += `\n${text}`
    }
    above = { line: loc!.end.line, column }
  }
  return texts
}

/** Elements within a sentence. Every other element of HTML begins and ends a text. */
const INLINE = /<\/?(?:a|b|bdi|br|em|i|kbd|span|strong)\b[^>]*>/g
const NAME = /^\w+(?:[.:/-]\w+)+$/
const withCode = (html: string) => html.replace(/<code>(.*?)<\/code>/gs, '`$1`').replace(INLINE, ' ')

/** Every text of a catalogue. A value inside a text counts as a word. */
function textsOfCatalogue(source: string): Text[] {
  const texts: Text[] = []
  const add = (node: Node, html: string) => {
    const { line } = (node['loc'] as { start: { line: number } }).start
    for (const text of withCode(html).split(/<[^>]*>/)) if (!NAME.test(text)) texts.push({ line, text })
  }
  const visit = (node: Node) => {
    if (node.type === 'StringLiteral') add(node, node['value'] as string)
    if (node.type === 'TemplateLiteral')
      add(node, (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('X'))
    if (node.type.startsWith('Import') || node.type.startsWith('TS')) return
    for (const child of childrenOf(node)) if (child.field !== 'key') visit(child.node)
  }
  visit(programOf(source))
  return texts
}
