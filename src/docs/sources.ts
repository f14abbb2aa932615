// The Markdown of this checkout, read for the first requested page: the README's first order, the interface by sections, the guides.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { own } from '../own.ts'

export interface Guide {
  title: string
  text: string
}

/** A section of docs/interface.md, without its heading. */
export interface Section {
  title: string
  text: string
}

export interface Sources {
  /** By their addresses below /docs/guide/: `sandbox`, `operating/watch`, `examples`. */
  guides: ReadonlyMap<string, Guide>
  /** The README's "A first order". */
  firstOrder: string
  /** The need that each operation answers, by its name: section 1. */
  needs: ReadonlyMap<string, string>
  /** The sections of section 4 by number: `4.14`. */
  sections: ReadonlyMap<string, Section>
  /** The code tables of section 7, by the operation's name: `Apply Refund`. */
  codes: ReadonlyMap<string, string>
}

const FOLDERS = ['', 'operating/', 'decisions/']
const PICTURE_FORM = /^[a-z-]+\.(png|svg)$/
const PICTURE_TYPES = { png: 'image/png', svg: 'image/svg+xml' }

export function readSources(): Sources {
  const guides = new Map<string, Guide>()
  for (const folder of FOLDERS)
    for (const file of readdirSync(own(`docs/${folder}`)).filter((name) => name.endsWith('.md')))
      guides.set(guideName(folder + file), guideOf(readFileSync(own(`docs/${folder}${file}`), 'utf8')))
  guides.set('examples', guideOf(readFileSync(own('examples/README.md'), 'utf8')))
  const readme = readFileSync(own('README.md'), 'utf8')
  return {
    guides,
    firstOrder: /^## A first order\n(.*?)^## /ms.exec(readme)![1]!,
    ...interfaceOf(guides.get('interface')!.text),
  }
}

/** `operating/README.md` is `operating`, `sandbox.md` is `sandbox`. */
export const guideName = (file: string): string => file.replace(/(?:\/?README)?\.md$/, '')

/** A picture of the guides. Undefined when no picture has that name. */
export function readPicture(name: string): { bytes: Buffer; type: string } | undefined {
  const folder = own('docs/pictures')
  const ending = PICTURE_FORM.exec(name)?.[1] as keyof typeof PICTURE_TYPES | undefined
  if (ending === undefined || !readdirSync(folder).includes(name)) return undefined
  return { bytes: readFileSync(join(folder, name)), type: PICTURE_TYPES[ending] }
}

/** The reply bodies that docs/examples keeps from a sandbox with a fixed clock. */
export function readExample(operation: string): { answer: unknown; refusal: unknown } {
  const kept = JSON.parse(readFileSync(own(`docs/examples/${operation}.json`), 'utf8')) as Record<string, { reply: { body: unknown } }>
  return { answer: kept['answer']!.reply.body, refusal: kept['refusal']!.reply.body }
}

export const readStyle = (): string => readFileSync(own('src/docs/docs.css'), 'utf8')

function guideOf(text: string): Guide {
  const [, title = '', rest = text] = /^# (.+?)\n(.*)$/s.exec(text) ?? []
  return { title, text: rest }
}

function interfaceOf(text: string): Pick<Sources, 'needs' | 'sections' | 'codes'> {
  const chapters = text.split(/^## /m)
  const chapter = (number: string) => chapters.find((each) => each.startsWith(`${number}. `)) ?? ''
  const parts = (number: string) =>
    chapter(number)
      .split(/^### /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n')
        return { title: part.slice(0, end).replace(/ \(Mohur\)$/, ''), text: part.slice(end + 1) }
      })
  const numbered = parts('4').flatMap(({ title, text: said }): [string, Section][] => {
    const [, number, name] = /^(4\.\d+) (.+)$/.exec(title) ?? []
    return number && name ? [[number, { title: name, text: said }]] : []
  })
  const needs = [...chapter('1').matchAll(/^\| (.+?)(?: \(Mohur\))? \| (.+?) \| [0-9.]+ \|$/gm)].map(
    ([, need, title]): [string, string] => [title!, need!],
  )
  return { needs: new Map(needs), sections: new Map(numbered), codes: new Map(parts('7').map(({ title, text: said }) => [title, said])) }
}
