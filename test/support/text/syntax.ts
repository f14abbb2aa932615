// A program as the parser sees it, for tests and tools that walk through code.

import { type ParserOptions, parse } from '@babel/parser'

export interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}
export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

export const parseProgram = (source: string, options: ParserOptions = {}) =>
  parse(source, { sourceType: 'module', plugins: ['typescript'], attachComment: false, ...options })
export const programOf = (source: string): Node => parseProgram(source).program as unknown as Node

export interface Child {
  field: string
  node: Node
}
/** The direct parts of a node, with the field that holds each. */
export const childrenOf = (node: Node): Child[] =>
  Object.entries(node).flatMap(([field, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).map((child) => ({ field, node: child })),
  )
