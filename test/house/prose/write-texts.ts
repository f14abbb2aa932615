// Writes every text that pages say into test/snapshots/texts.txt, the payer's with the Hindi below the English:
//
//     node bin/run.mjs test/house/prose/write-texts.ts
//
// So a person who reads Hindi can mend it in an hour. They mend src/pages/kit/messages/*hi.ts by the name that stands above each pair.

import { readFileSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { childrenOf, type Node, programOf } from '../../support/text/syntax.ts'

const ROOT = join(import.meta.dirname, '../../..')
export const TEXTS_FILE = join(ROOT, 'test/snapshots/texts.txt')
const CATALOGUES = ['', 'steps-', 'mandate-', 'errors-']
/** These pages speak English alone. */
const ENGLISH = [
  'src/console/**/*.ts',
  'src/sandbox/{phone,phone-pages,inbox,shop,shop-pages,drawer,shell}.ts',
  'src/pages/mandate/drawer-subject.ts',
]
const MARKUP = /<[^>]*>/
const INLINE = /<\/?(?:a|b|bdi|code|em|kbd|span|strong|time)\b[^>]*>/g
const SHORT_VALUE = /^[\w.?![\]]+(?:\([\w., ]*\))?$/

/** Texts by the names of the members that hold them: `cancel.heading`. A short expression within a text stands as `{expression}`, a long one as `{…}`. */
function textsByName(source: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const visit = (node: Node, name: string) => {
    const add = (text: string) => {
      const said = text.replace(INLINE, '').split(MARKUP)
      for (const part of said.map((each) => each.replace(/\s+/g, ' ').trim()).filter(Boolean))
        found.set(name, [...(found.get(name) ?? []), part])
    }
    if (node.type.startsWith('TS') || node.type.startsWith('Import') || ['BinaryExpression', 'ThrowStatement'].includes(node.type)) return
    if (node.type === 'StringLiteral') add(node['value'] as string)
    if (node.type === 'TemplateLiteral') {
      const values = node['expressions'] as Node[]
      const parts = node['quasis'] as { value: { cooked: string } }[]
      const shown = (value: Node) => {
        const expression = source.slice(value.start, value.end)
        return `{${SHORT_VALUE.test(expression) ? expression : '…'}}`
      }
      add(parts.map(({ value }, at) => value.cooked + (values[at] ? shown(values[at]) : '')).join(''))
    }
    const isNamed = node.type === 'ObjectProperty' || node.type === 'VariableDeclarator'
    const key = (node['key'] ?? node['id']) as { name?: string; value?: string } | undefined
    const below = isNamed && key ? [name, key.name ?? key.value].filter(Boolean).join('.') : name
    for (const child of childrenOf(node)) if (child.field !== 'key') visit(child.node, below)
  }
  visit(programOf(source), '')
  return found
}

/** `en` and `stepsEn` name the same members as `hi` and `stepsHi`. */
const withoutLanguage = (name: string) => name.replace(/^(\w*?)(?:en|En|hi|Hi)\./, (_, of) => (of ? `${of}.` : ''))

function pairs(): string[] {
  return CATALOGUES.flatMap((of) => {
    const [english, hindi] = ['en', 'hi'].map((language) => {
      const texts = textsByName(readFileSync(join(ROOT, `src/pages/kit/messages/${of}${language}.ts`), 'utf8'))
      return new Map([...texts].map(([name, said]) => [withoutLanguage(name), said.join(' | ')]))
    })
    const names = new Set([...english!.keys(), ...hindi!.keys()])
    return [
      `# src/pages/kit/messages/${of}hi.ts`,
      ...[...names].map((name) => [name, english!.get(name), hindi!.get(name)].filter(Boolean).join('\n  ')),
    ]
  })
}

const isSaid = (text: string) => /^\S*\p{L}{2,}\S*\s+\S/u.test(text) || /^\p{Lu}\p{Ll}+\.?$/u.test(text)

async function englishAlone(): Promise<string[]> {
  const files = (await Array.fromAsync(glob(ENGLISH, { cwd: ROOT }))).sort()
  return files.flatMap((file) => {
    const texts = [...textsByName(readFileSync(join(ROOT, file), 'utf8'))].flatMap(([, said]) => said.filter(isSaid))
    return texts.length > 0 ? [`# ${file}`, texts.map((text) => `  ${text}`).join('\n')] : []
  })
}

export const allTexts = async () => `${[...pairs(), ...(await englishAlone())].join('\n\n')}\n`

if (process.argv[1] === import.meta.filename) writeFileSync(TEXTS_FILE, await allTexts())
