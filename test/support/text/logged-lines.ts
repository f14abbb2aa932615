// The lines of the log at warn, error and fatal, read out of the code by its parser. Where a call hands on a text, the search follows it by
// the names of functions, parameters and members.

import { childrenOf, isNode, type Node, programOf } from './syntax.ts'

export interface LoggedLine {
  level: Level
  /** An ellipsis stands for what differs from line to line. */
  text: string
}
const LEVELS = ['warn', 'error', 'fatal'] as const
type Level = (typeof LEVELS)[number]
const isLevel = (value: unknown): value is Level => LEVELS.some((level) => level === value)

/** `strange` are calls that no text was found for, and calls of these levels at something else than a `logger`. */
export function loggedLines(sources: Readonly<Record<string, string>>): { lines: LoggedLine[]; strange: string[] } {
  const code = new Code(sources)
  const lines: LoggedLine[] = []
  for (const call of code.calls) {
    const callee = call['callee'] as Node
    if (callee.type !== 'MemberExpression') continue
    const isLogger = /^#?logger$/.test(nameOf(callee['object']))
    const level = nameOf(callee['property'])
    if (callee['computed'] !== true && !isLevel(level)) continue
    if (!isLogger && (callee['computed'] === true || nameOf(callee['object']) === 'console')) continue
    const found = isLogger ? code.logged(call, callee) : []
    if (found.length === 0) code.strange.add(code.placeOf(call))
    lines.push(...found)
  }
  const unique = new Map(lines.map((line) => [`${line.level} ${line.text}`, line]))
  return { lines: [...unique.values()], strange: [...code.strange] }
}

/** The last name of an expression: `logger` of `this.#parts.logger`. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression') return nameOf(node['property'])
  if (node.type === 'PrivateName') return `#${nameOf(node['id'])}`
  return String(node['name'] ?? node['value'] ?? '')
}

const FUNCTION = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ObjectMethod|ClassMethod|ClassPrivateMethod)$/
/** Their value is that of a part, or of one of several. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  ArrayExpression: ['elements'],
  AwaitExpression: ['argument'],
  ConditionalExpression: ['consequent', 'alternate'],
  LogicalExpression: ['left', 'right'],
  SpreadElement: ['argument'],
  TSAsExpression: ['expression'],
}

interface Parameter {
  of: Node
  at: number
  /** Where the parameter is a list of names. */
  within?: number
}

/** Types make no value. */
const isType = ({ type }: Node) => type.startsWith('TS') && !type.endsWith('Expression')
const valuesIn = (node: Node) => childrenOf(node).flatMap((child) => (isType(child.node) ? [] : child.node))

class Code {
  readonly calls: Node[] = []
  readonly strange = new Set<string>()
  readonly #parents = new Map<Node, Node>()
  readonly #files = new Map<Node, string>()
  readonly #callsByName = new Map<string, Node[]>()
  readonly #functions = new Map<string, Node[]>()
  /** What variables and members of a name are made of. */
  readonly #values = new Map<string, Node[]>()

  constructor(sources: Readonly<Record<string, string>>) {
    for (const [file, source] of Object.entries(sources)) {
      const program = programOf(source)
      this.#files.set(program, file)
      this.#visit(program)
    }
  }

  #visit(node: Node) {
    this.#note(node)
    for (const child of valuesIn(node)) {
      this.#parents.set(child, node)
      this.#visit(child)
    }
  }

  #note(node: Node) {
    const add = (to: Map<string, Node[]>, name: string, value: unknown) => {
      if (name !== '' && isNode(value)) to.getOrInsert(name, []).push(value)
    }
    const named = (name: string, value: unknown) =>
      add(isNode(value) && FUNCTION.test(value.type) ? this.#functions : this.#values, name, value)
    if (FUNCTION.test(node.type)) add(this.#functions, nameOf(node['id'] ?? node['key']), node)
    if (node.type === 'VariableDeclarator') named(nameOf(node['id']), node['init'])
    if (node.type === 'ObjectProperty') named(nameOf(node['key']), node['value'])
    if (node.type === 'AssignmentExpression') named(nameOf(node['left']), node['right'])
    if (node.type !== 'CallExpression') return
    this.calls.push(node)
    add(this.#callsByName, nameOf(node['callee']), node)
    const callee = node['callee'] as Node
    if (callee.type === 'MemberExpression' && nameOf(callee) === 'push')
      for (const pushed of node['arguments'] as Node[]) named(nameOf(callee['object']), pushed)
  }

  placeOf(node: Node): string {
    let top = node
    for (let above = this.#parents.get(top); above; above = this.#parents.get(top)) top = above
    return `${this.#files.get(top)}:${(node['loc'] as { start: { line: number } }).start.line}`
  }

  logged(call: Node, callee: Node): LoggedLine[] {
    const message = (call['arguments'] as Node[]).at(-1)!
    if (callee['computed'] !== true) return this.#texts(message).map((text) => ({ level: nameOf(callee['property']) as Level, text }))
    const asked = this.#parameter(callee['property'] as Node)
    return (asked ? this.#callsOf(asked.of) : []).flatMap((each) => {
      const given = (each['arguments'] as Node[])[asked!.at]
      const chosen = given?.type === 'ConditionalExpression' ? [given['consequent'], given['alternate']] : [given]
      const levels = (chosen as Node[]).map((one) => one?.['value']).filter(isLevel)
      const handedOn = levels.length > 0 ? this.#parameter(message) : undefined
      const texts = handedOn ? this.#textsGiven(each, handedOn.at) : []
      return levels.flatMap((level) => texts.map((text) => ({ level, text })))
    })
  }

  #texts(node: Node | undefined, seen: ReadonlySet<Node> = new Set()): string[] {
    if (!node || seen.has(node)) return []
    const further = new Set([...seen, node])
    const all = (nodes: readonly (Node | undefined)[]) => nodes.flatMap((each) => this.#texts(each, further))
    if (node.type === 'StringLiteral') return [node['value'] as string]
    if (node.type === 'TemplateLiteral')
      return [(node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…')]
    if (PARTS[node.type]) return all(PARTS[node.type]!.flatMap((field) => (node[field] ?? []) as Node))
    if (FUNCTION.test(node.type)) return all(this.#returned(node))
    if (node.type === 'MemberExpression') return all(this.#values.get(nameOf(node)) ?? [])
    if (node.type === 'Identifier') {
      const parameter = this.#parameter(node)
      if (parameter && parameter.within === undefined)
        return this.#callsOf(parameter.of).flatMap((call) => this.#textsGiven(call, parameter.at, further))
      return all(this.#origins(node, parameter))
    }
    if (node.type !== 'CallExpression') return []
    const inner = (node['arguments'] as Node[]).filter(({ type }) => FUNCTION.test(type))
    return all(inner.length > 0 ? inner : (this.#functions.get(nameOf(node['callee'])) ?? []))
  }

  /** What a call gives for a parameter. */
  #textsGiven(call: Node, at: number, seen?: ReadonlySet<Node>): string[] {
    const texts = this.#texts((call['arguments'] as Node[])[at], seen)
    if (texts.length === 0) this.strange.add(this.placeOf(call))
    return texts
  }

  /** Where a value comes from: a part of its list’s elements, the list of its loop, or what its variable is set to. */
  #origins(node: Node, parameter: Parameter | undefined): Node[] {
    if (parameter) {
      const { of, within } = parameter
      const above = this.#parents.get(of)!
      // An arrow that is given to `list.flatMap` gets an element of the list, and here a part of it.
      if (above.type === 'CallExpression' && within !== undefined)
        return (this.#values.get(nameOf(((above['callee'] as Node)['object'] ?? above) as Node)) ?? [])
          .flatMap((list) => (list['elements'] ?? []) as Node[])
          .flatMap((element) => ((element['elements'] ?? []) as Node[])[within] ?? [])
    }
    for (let above: Node | undefined = node; above; above = this.#parents.get(above)) {
      const [declared] = above.type === 'ForOfStatement' ? (((above['left'] as Node)['declarations'] ?? []) as Node[]) : []
      if (declared && nameOf(declared['id']) === nameOf(node)) return [above['right'] as Node]
    }
    return this.#values.get(nameOf(node)) ?? []
  }

  /** The function around that has this name as a parameter. */
  #parameter(node: Node): Parameter | undefined {
    for (let above: Node | undefined = node; above; above = this.#parents.get(above)) {
      if (!FUNCTION.test(above.type)) continue
      for (const [at, parameter] of (above['params'] as Node[]).entries()) {
        if (nameOf(parameter) === nameOf(node)) return { of: above, at }
        const within = ((parameter['elements'] ?? []) as Node[]).findIndex((element) => nameOf(element) === nameOf(node))
        if (within >= 0) return { of: above, at, within }
      }
    }
    return undefined
  }

  #callsOf(found: Node): Node[] {
    const above = this.#parents.get(found)
    const name = nameOf(found['id'] ?? found['key'] ?? above?.['id'] ?? above?.['key'])
    return this.#callsByName.get(name) ?? []
  }

  #returned(found: Node): Node[] {
    const body = found['body'] as Node
    if (body.type !== 'BlockStatement') return [body]
    const returned: Node[] = []
    const visit = (node: Node) => {
      if (node.type === 'ReturnStatement' && isNode(node['argument'])) returned.push(node['argument'])
      if (FUNCTION.test(node.type)) return
      for (const child of valuesIn(node)) visit(child)
    }
    visit(body)
    return returned
  }
}
