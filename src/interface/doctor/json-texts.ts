// Texts that may have been signed instead of a JSON body: docs/checksum.md, "The text".

import type { SignedList } from '../signed-members.ts'
import type { CauseName } from './causes.ts'
import { type Candidate, combined, harmless } from './combine.ts'
import type { JsonDraft, JsonVariation } from './json-draft.ts'
import { type JsonSpacing, type JsonTree, mapObjects, mapTexts, type TreeMember, textOf, treeOf, writeTree } from './json-tree.ts'
import type { Material } from './material.ts'
import { amountVariations } from './number-forms.ts'

const STAGE = { subject: 0, changed: 1, nulls: 2, order: 3, numbers: 4, escapes: 5, spaces: 6, twice: 7, newline: 8 }

const COMPACT: JsonSpacing = { comma: ',', colon: ':' }
/** The layouts of JavaScript and PHP, of Python, of Ruby and of others. Then the layouts that each of these languages writes in lines. */
const SPACINGS: readonly JsonSpacing[] = [
  COMPACT,
  { comma: ', ', colon: ': ' },
  { comma: ',', colon: ': ' },
  { comma: ', ', colon: ':' },
  { comma: ',', colon: ': ', indent: '  ' },
  { comma: ',', colon: ': ', indent: '    ' },
  { comma: ',', colon: ': ', indent: '\t' },
  { comma: ',', colon: ' : ', indent: '  ' },
]
const IN_LINES = SPACINGS.filter(({ indent }) => indent !== undefined)
const IN_WINDOWS_LINES = IN_LINES.map((spacing): JsonSpacing => ({ ...spacing, lineEnd: '\r\n' }))

type Signed = Iterable<SignedList>

export function jsonTexts(material: Extract<Material, { kind: 'envelope' | 'body' }>, signed: Signed): Generator<Candidate> {
  const { bodyText } = material
  const tree = treeOf(bodyText)
  const spacing = [...SPACINGS, ...IN_WINDOWS_LINES].find((each) => writeTree(tree, each) === bodyText)
  const base: JsonDraft = { tree, place: [], asSent: bodyText, spacing, write: writeTree, after: [] }
  // First come variations that a language makes by itself. Last come variations that a large body has many of. So pairs of the earlier
  // variations are always tried.
  const dimensions = [
    spaces(spacing),
    escapes(),
    orders(),
    newlines(),
    nulls(),
    amountVariations(STAGE.numbers, tree),
    subjects(material),
    twice(bodyText),
    left(tree),
  ]
  return combined(base, dimensions, movedOrAdded(tree, signed), written)
}

function* movedOrAdded(tree: JsonTree, signed: Signed): Generator<JsonVariation> {
  yield* moved(tree)
  yield* addedNulls(tree, [...signed])
}

function written({ tree, asSent, spacing, write, after }: JsonDraft): string | undefined {
  const text = asSent ?? (spacing && write(tree, spacing))
  return text === undefined ? undefined : after.reduce((whole, change) => change(whole), text)
}

const of = (stage: number, name: CauseName, detail: string, change: (draft: JsonDraft) => JsonDraft): JsonVariation => ({
  stage,
  causes: [{ name, detail }],
  change,
})
const ofTree = (stage: number, name: CauseName, detail: string, change: (tree: JsonTree) => JsonTree) =>
  of(stage, name, detail, (draft) => ({ ...draft, asSent: undefined, tree: change(draft.tree) }))
const ofText = (stage: number, name: CauseName, detail: string, change: (text: string) => string) =>
  of(stage, name, detail, (draft) => ({ ...draft, after: [...draft.after, change] }))

function spaces(sent: JsonSpacing | undefined): JsonVariation[] {
  const words = (spacing: JsonSpacing) => {
    if (spacing === COMPACT) return 'it was signed without spaces'
    return spacing.indent === undefined ? 'it was signed with spaces behind commas or colons' : 'it was signed with a line for each member'
  }
  const inSpacing = (spacing: JsonSpacing): JsonVariation => {
    const isSameLayout = sent?.indent === spacing.indent && sent?.colon === spacing.colon // except for the ends of its lines
    const hasOtherEnds = spacing.indent !== undefined && (isSameLayout || spacing.lineEnd !== undefined)
    return {
      stage: STAGE.spaces,
      causes: [
        ...(isSameLayout && spacing.indent !== undefined ? [] : [{ name: 'spaces', detail: words(spacing) } as const]),
        ...(hasOtherEnds ? [{ name: 'newline', detail: `its lines end in ${spacing.lineEnd ? 'CR LF' : 'LF alone'}` } as const] : []),
      ],
      change: (draft) => ({ ...draft, asSent: undefined, spacing }),
    }
  }
  return [...SPACINGS, ...IN_WINDOWS_LINES].map(inSpacing)
}

const ascii = (text: string, isUpper: boolean) =>
  text.replace(/[\u007f-\uffff]/g, (char) => {
    const digits = char.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${isUpper ? digits.toUpperCase() : digits}`
  })
const slashes = (text: string) => text.replaceAll('/', '\\/')
const angles = (text: string) => text.replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
const quotes = (text: string) => angles(text).replace(/['=]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)

const escapes = (): JsonVariation[] =>
  (
    [
      ['letters beyond ASCII and slashes were escaped', (text) => ascii(slashes(JSON.stringify(text)), false)],
      ['letters beyond ASCII were escaped', (text) => ascii(JSON.stringify(text), false)],
      ['letters beyond ASCII were escaped, in capitals', (text) => ascii(JSON.stringify(text), true)],
      ['slashes were escaped', (text) => slashes(JSON.stringify(text))],
      ['nothing was escaped that need not be', (text) => JSON.stringify(text)],
      ['the signs of HTML were escaped', (text) => angles(JSON.stringify(text))],
      ['the signs of HTML and quotes were escaped', (text) => quotes(JSON.stringify(text))],
    ] satisfies [string, (text: string) => string][]
  ).map(([detail, write]) => ofTree(STAGE.escapes, 'escapes', detail, (tree) => mapTexts(tree, write)))

const byName = (members: readonly TreeMember[]) => members.toSorted((a, b) => (a.name < b.name ? -1 : 1))
const orders = (): JsonVariation[] => [
  ofTree(STAGE.order, 'order', 'the members were sorted by their names', (tree) => mapObjects(tree, byName)),
  ofTree(STAGE.order, 'order', 'the outer members were sorted by their names', (tree) =>
    mapObjects(tree, (members, depth) => (depth === 0 ? byName(members) : members)),
  ),
  ofTree(STAGE.order, 'order', 'the members were in the reverse order', (tree) => mapObjects(tree, (members) => members.toReversed())),
]

const newlines = (): JsonVariation[] => [
  ofText(STAGE.newline, 'newline', 'a line end follows it', (text) => `${text}\n`),
  ofText(STAGE.newline, 'newline', 'CR LF follows it', (text) => `${text}\r\n`),
  ofText(STAGE.newline, 'newline', 'a byte order mark stands before it', (text) => `\ufeff${text}`),
  ofText(STAGE.newline, 'newline', 'its lines ended in LF alone', (text) => text.replaceAll('\r\n', '\n')),
  ofText(STAGE.newline, 'newline', 'its lines ended in CR LF', (text) => text.replace(/\r?\n/g, '\r\n')),
]

const isNull = ({ value }: TreeMember) => value.kind === 'word' && value.raw === 'null'
const isEmpty = (member: TreeMember) => isNull(member) || (member.value.kind === 'text' && member.value.raw === '""')
const nulls = (): JsonVariation[] => [
  ofTree(STAGE.nulls, 'nulls', 'those that are null were not signed', (tree) =>
    mapObjects(tree, (members) => members.filter((each) => !isNull(each))),
  ),
  ofTree(STAGE.nulls, 'nulls', 'those that are null or empty were not signed', (tree) =>
    mapObjects(tree, (members) => members.filter((each) => !isEmpty(each))),
  ),
  ofTree(STAGE.nulls, 'nulls', 'those that are null were signed as empty texts', (tree) =>
    mapObjects(tree, (members) => members.map((each) => (isNull(each) ? { ...each, value: { kind: 'text', raw: '""' } } : each))),
  ),
]

const OF_USER = ['email', 'firstName', 'lastName', 'mobile', 'address', 'pincode'] // docs/interface.md section 2, "UserInfo"
const nothing = (name: string): TreeMember => ({ raw: JSON.stringify(name), name, value: { kind: 'word', raw: 'null' } })

/**
 * Adds members that are null: all that a list or UserInfo lacks, or one alone. They come at the end of the body, or of the object with a
 * custId.
 */
function* addedNulls(tree: JsonTree, signed: readonly SignedList[]): Generator<JsonVariation> {
  if (tree.kind !== 'object') return
  const has = new Set(tree.members.map(({ name }) => name))
  const DETAIL = 'members that are null were signed and not sent'
  const atEnd = (more: readonly string[]) =>
    ofTree(STAGE.nulls, 'nulls', DETAIL, (given) =>
      mapObjects(given, (members, depth) => (depth === 0 ? [...members, ...more.map(nothing)] : members)),
    )
  const ofUser = (more: readonly string[]) =>
    ofTree(STAGE.nulls, 'nulls', DETAIL, (given) =>
      mapObjects(given, (members, depth) => {
        const names = new Set(members.map(({ name }) => name))
        return depth > 0 && names.has('custId') ? [...members, ...more.filter((name) => !names.has(name)).map(nothing)] : members
      }),
    )
  const lacked = signed.flatMap(({ members, isStrict }) => (isStrict || !has.isSubsetOf(members) ? [] : [[...members.difference(has)]]))
  // Only names that the interface knows: no other name can be said to have been signed.
  const single = new Set(signed.flatMap(({ members }) => [...members])).difference(has)
  yield ofUser(OF_USER)
  for (const name of OF_USER) yield ofUser([name])
  for (const names of lacked) if (names.length > 0) yield atEnd(names)
  for (const name of single) yield atEnd([name])
}

function subjects(material: Parameters<typeof jsonTexts>[0]): JsonVariation[] {
  const asMap = (detail: string, inner: (value: JsonTree, spacing: JsonSpacing) => string) =>
    of(STAGE.subject, 'map', detail, (draft) => ({
      ...draft,
      asSent: undefined,
      spacing: draft.spacing ?? COMPACT,
      write: (tree, spacing) => valuesOf(tree, (value) => inner(value, spacing)),
    }))
  const maps = [
    asMap('what stands in objects was signed as JSON', (value, spacing) => writeTree(value, spacing)),
    asMap('what stands in objects was signed as the word Array', () => 'Array'),
    asMap('what stands in objects was signed as [object Object]', () => '[object Object]'),
  ]
  if (material.kind === 'body') return maps
  const whole = treeOf(material.text)
  const withHead = (detail: string, change: (members: readonly TreeMember[]) => readonly TreeMember[]) =>
    of(STAGE.subject, 'envelope', detail, (draft) => ({
      ...draft,
      asSent: undefined,
      place: ['body'],
      tree: mapObjects(whole, (members, depth) => (depth === 0 ? change(members) : members)),
    }))
  const ofHead = (change: (members: readonly TreeMember[]) => readonly TreeMember[]) => (members: readonly TreeMember[]) =>
    members.map((each) =>
      each.name === 'head' && each.value.kind === 'object'
        ? { ...each, value: { ...each.value, members: change(each.value.members) } }
        : each,
    )
  const isSignature = ({ name }: TreeMember) => name === 'signature'
  const empty = (raw: string) => (members: readonly TreeMember[]) =>
    members.map((each) => (isSignature(each) ? { ...each, value: { kind: 'text' as const, raw } } : each))
  return [
    withHead(
      'the head without its signature was signed too',
      ofHead((members) => members.filter((each) => !isSignature(each))),
    ),
    withHead('the head with an empty signature was signed too', ofHead(empty('""'))),
    withHead('the head with a signature of null was signed too', ofHead(empty('null'))),
    withHead('an object that holds the body was signed', (members) => members.filter(({ name }) => name === 'body')),
    ...maps,
  ]
}

function valuesOf(tree: JsonTree, inner: (value: JsonTree) => string): string {
  if (tree.kind !== 'object') return inner(tree)
  return byName(tree.members)
    .map(({ value }) => {
      if (value.kind === 'object' || value.kind === 'list') return inner(value)
      const text = value.kind === 'text' ? textOf(value.raw) : value.raw
      return text.toLowerCase() === 'null' ? '' : text
    })
    .join('|')
}

function twice(bodyText: string): JsonVariation[] {
  // The text may be the word Array, signed in the body's place. That word is no JSON, so only a text in quotes is read.
  const unquoted = (text: string) => (text.startsWith('"') ? textOf(text) : text)
  if (bodyText.startsWith('"')) return [ofText(STAGE.twice, 'twice', 'the body is sent as a text', unquoted)]
  const DETAIL = 'the text was signed in quotes'
  return [
    ofText(STAGE.twice, 'twice', DETAIL, (text) => JSON.stringify(text)),
    ofText(STAGE.twice, 'twice', DETAIL, (text) => ascii(JSON.stringify(text), false)),
    ofText(STAGE.twice, 'twice', DETAIL, (text) => ascii(slashes(JSON.stringify(text)), false)),
  ]
}

/** Each member left out in turn, the outer ones first. */
function* left(tree: JsonTree): Generator<JsonVariation> {
  for (const path of pathsOf(tree)) {
    const detail = `${path.map(harmless).join('.')} was not signed`
    yield of(STAGE.changed, 'changed', detail, (draft) => ({
      ...draft,
      asSent: undefined,
      tree: without(draft.tree, [...draft.place, ...path]),
    }))
  }
}

function* pathsOf(tree: JsonTree): Generator<readonly string[]> {
  let level: readonly { path: readonly string[]; tree: JsonTree }[] = [{ path: [], tree }]
  while (level.length > 0) {
    const next: { path: readonly string[]; tree: JsonTree }[] = []
    for (const { path, tree } of level) {
      if (tree.kind !== 'object') continue
      for (const { name, value } of tree.members) {
        next.push({ path: [...path, name], tree: value })
        yield next.at(-1)!.path
      }
    }
    level = next
  }
}

function without(tree: JsonTree, [name, ...rest]: readonly string[]): JsonTree {
  if (tree.kind !== 'object') return tree
  const members = tree.members.flatMap((each) => {
    if (each.name !== name) return [each]
    return rest.length === 0 ? [] : [{ ...each, value: without(each.value, rest) }]
  })
  return { ...tree, members }
}

const MOVED_MEMBERS_MAX = 16 // Mohur's choice: up to so many members, each is moved to every other place

function* moved(tree: JsonTree): Generator<JsonVariation> {
  if (tree.kind !== 'object' || tree.members.length > MOVED_MEMBERS_MAX) return
  for (const [from, member] of tree.members.entries())
    for (const to of tree.members.keys())
      yield ofTree(STAGE.order, 'order', `${harmless(member.name)} stood in another place`, (given) =>
        given.kind === 'object' ? { ...given, members: given.members.toSpliced(from, 1).toSpliced(to, 0, member) } : given,
      )
}
