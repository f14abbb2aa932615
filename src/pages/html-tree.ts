// HTML of html.ts as names, attributes and texts, for a script that may write no HTML (docs/pages.md, "With script"). It reads only what
// html.ts has written, and throws on anything else.

import type { Html } from './html.ts'

export type Tree = string | Element
type Element = [name: string, attributes: Record<string, string>, ...inner: Tree[]]

const PARTS = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>|([^<>]+)/gy
const ATTRIBUTES = / ([a-z-]+)(?:="([^"]*)")?/g
const IS_EMPTY = /^(?:br|input)$/

/** The one element that `html` writes. */
export function treeOf({ text }: Html): Element {
  const root: Element = ['', {}]
  const open = [root]
  let end = 0
  for (const { 0: part, 1: closes, 2: name, 3: attributes = '', 4: words, index } of text.matchAll(PARTS)) {
    const inner = open.at(-1)!
    end = index + part.length
    if (words !== undefined) inner.push(plain(words))
    else if (closes) {
      if (open.pop()![0] !== name) throw new Error(`</${name}> closes another element`)
    } else {
      const named = [...attributes.matchAll(ATTRIBUTES)].map(([, each, value = '']) => [each!, plain(value)] as const)
      const element: Element = [name!, Object.fromEntries(named)]
      inner.push(element)
      if (!IS_EMPTY.test(name!)) open.push(element)
    }
  }
  const [, , element] = root
  if (end !== text.length || open.length !== 1 || root.length !== 3 || typeof element !== 'object') throw new Error('HTML of another form')
  return element
}

const plain = (text: string) => text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
