// JSON that keeps each word as written, so that one part can be rewritten while all others stay. `treeOf` takes only texts that `readJson`
// has accepted, which bounds depth and members.

export type JsonTree =
  | { kind: 'object'; members: readonly TreeMember[] }
  | { kind: 'list'; items: readonly JsonTree[] }
  | { kind: 'text' | 'number' | 'word'; raw: string }

export interface TreeMember {
  /** The name with its quotes and escapes. */
  raw: string
  name: string
  value: JsonTree
}

const TOKEN = /[{}[\],:]|"(?:[^"\\]|\\.)*"|-?[0-9][0-9eE.+-]*|true|false|null/gs

export function treeOf(json: string): JsonTree {
  const tokens = json.match(TOKEN) ?? []
  let at = 0
  const value = (): JsonTree => {
    const token = tokens[at++] ?? 'null'
    if (token === '{') return { kind: 'object', members: list('}', member) }
    if (token === '[') return { kind: 'list', items: list(']', value) }
    return { kind: token.startsWith('"') ? 'text' : /^[-0-9]/.test(token) ? 'number' : 'word', raw: token }
  }
  const member = (): TreeMember => {
    const raw = tokens[at]!
    at += 2 // the name and its colon
    return { raw, name: textOf(raw), value: value() }
  }
  const list = <T>(end: string, one: () => T): T[] => {
    const found: T[] = []
    while (at < tokens.length && tokens[at] !== end) {
      found.push(one())
      if (tokens[at] === ',') at++
    }
    at++
    return found
  }
  return value()
}

export interface JsonSpacing {
  comma: string
  colon: string
  /** One step of indentation. With an indent each member has its own line. */
  indent?: string
  lineEnd?: string
}

export function writeTree(tree: JsonTree, spacing: JsonSpacing, depth = 0): string {
  if (tree.kind !== 'object' && tree.kind !== 'list') return tree.raw
  const [open, close] = tree.kind === 'object' ? ['{', '}'] : ['[', ']']
  const parts =
    tree.kind === 'object'
      ? tree.members.map(({ raw, value }) => raw + spacing.colon + writeTree(value, spacing, depth + 1))
      : tree.items.map((item) => writeTree(item, spacing, depth + 1))
  if (parts.length === 0 || spacing.indent === undefined) return open + parts.join(spacing.comma) + close
  const line = (spacing.lineEnd ?? '\n') + spacing.indent.repeat(depth)
  return open + line + spacing.indent + parts.join(spacing.comma + line + spacing.indent) + line + close
}

/** Changes every object of the tree, the innermost first. */
export function mapObjects(
  tree: JsonTree,
  change: (members: readonly TreeMember[], depth: number) => readonly TreeMember[],
  depth = 0,
): JsonTree {
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => mapObjects(item, change, depth + 1)) }
  if (tree.kind !== 'object') return tree
  const members = tree.members.map((member) => ({ ...member, value: mapObjects(member.value, change, depth + 1) }))
  return { ...tree, members: change(members, depth) }
}

/** Rewrites every text, and every name too. */
export function mapTexts(tree: JsonTree, write: (text: string) => string): JsonTree {
  const again = (raw: string) => write(textOf(raw))
  if (tree.kind === 'text') return { ...tree, raw: again(tree.raw) }
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => mapTexts(item, write)) }
  if (tree.kind !== 'object') return tree
  return { ...tree, members: tree.members.map(({ raw, name, value }) => ({ raw: again(raw), name, value: mapTexts(value, write) })) }
}

/** Changes every value that is neither object nor list. `change` gets the name of the value's member. */
export function mapValues(tree: JsonTree, change: (value: JsonTree & { raw: string }, name: string) => JsonTree, name = ''): JsonTree {
  if (tree.kind === 'object')
    return { ...tree, members: tree.members.map((member) => ({ ...member, value: mapValues(member.value, change, member.name) })) }
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => mapValues(item, change, name)) }
  return change(tree, name)
}

export const textOf = (raw: string) => JSON.parse(raw) as string
