// The sentences of docs/interface.md, for the document that programs read. Each sentence is written once, on that page.

interface Table {
  head: readonly string[]
  rows: readonly (readonly string[])[]
}

export interface OperationTexts {
  title: string
  /** The need that the operation answers: section 1. */
  summary: string
  /** The Rule cells of section 4, by member name, and by `parent.name` inside another member. */
  requests: ReadonlyMap<string, string>
  replies: ReadonlyMap<string, string>
  /** For each row of the operation's code table, when the row is answered: section 7, in the section's order. */
  when: readonly string[]
}

export interface InterfacePage {
  /** By section number: `4.14`. */
  operation(section: string): OperationTexts
  /** Members of the shared objects of section 2, by `Money.value`. */
  shared: ReadonlyMap<string, string>
  /** Members that most heads have: the meaning of "as elsewhere". */
  elsewhere: ReadonlyMap<string, string>
  /** The steps and vectors of section 5.1. */
  checksum: { steps: readonly string[]; vectors: readonly { data: string; salt: string; signature: string }[] }
  /** The members of a notification in the JSON form: section 6. */
  notification: readonly string[]
}

const isRule = (line: string) => /^[|\s:-]+$/.test(line)

function tablesOf(text: string): Table[] {
  const tables: { head: string[]; rows: string[][] }[] = []
  let isInside = false
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) isInside = false
    else if (!isRule(line)) {
      if (isInside) tables.at(-1)!.rows.push(cellsOf(line))
      else tables.push({ head: cellsOf(line), rows: [] })
      isInside = true
    }
  }
  return tables
}

const cellsOf = (line: string) =>
  line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim())

/** The member names in a cell, without its other words. */
export const namesIn = (cell: string): string[] =>
  cell
    .replace(/ \(Mohur\)/g, '')
    .split(/[,;] /)
    .map((name) => name.trim().replaceAll('`', ''))
    .filter((name) => /^[A-Za-z_][A-Za-z0-9_-]*(\[\])?(\.[A-Za-z_]+(\[\])?)*$/.test(name))

/** The text below a heading, up to the next heading of its level or above. */
function partOf(page: string, heading: string): string {
  const from = page.indexOf(`\n${heading}`)
  if (from < 0) throw new Error(`docs/interface.md has no ${heading}`)
  const rest = page.slice(from + heading.length + 1)
  const level = /^#+/.exec(heading)![0].length
  const end = rest.search(new RegExp(`\\n#{1,${level}} `))
  return end < 0 ? rest : rest.slice(0, end)
}

/** A `Reply` table has the reply's own members. A table `` Reply `orders[]` `` has the members of `orders`. */
function membersOf(tables: readonly Table[], isReply: boolean): Map<string, string> {
  const members = new Map<string, string>()
  for (const { head, rows } of tables) {
    const first = head[0]!
    if (first.startsWith('Reply') !== isReply || first === 'Point') continue
    const inside = /`(\w+)(\[\])?`/.exec(first)?.[1]
    const prefix = inside === undefined || inside === 'body' ? '' : `${inside}.`
    for (const row of rows)
      for (const name of namesIn(row[0]!)) {
        const key = prefix + name.replaceAll('[]', '')
        if (!members.has(key)) members.set(key, plain(row.at(-1)!))
      }
  }
  return members
}

/** Removes `(Mohur)`: a reader of the document does not need to know who decided a rule. */
const plain = (cell: string) => cell.replaceAll('(Mohur) ', '').replaceAll('<code>&#124;</code>', '|').replaceAll('&#124;', '|')

export function readPage(page: string): InterfacePage {
  const needs = new Map(tablesOf(partOf(page, '## 1. '))[0]!.rows.map(([need, title]) => [title!, plain(need!).replace(/ \(Mohur\)$/, '')]))
  return {
    operation(section) {
      const title = new RegExp(`^### ${section.replace('.', '\\.')} (.+?)(?: \\(Mohur\\))?$`, 'm').exec(page)![1]!
      const tables = tablesOf(partOf(page, `### ${section} `))
      return {
        title,
        summary: needs.get(title)!,
        requests: membersOf(tables, false),
        replies: repliesOf(page, section, tables),
        when: tablesOf(partOf(page, `### ${title}\n`))[0]!.rows.map((row) => plain(row[3]!)),
      }
    },
    shared: sharedOf(page),
    elsewhere: membersOf(tablesOf(partOf(page, '### 4.6 ')), false),
    checksum: checksumOf(partOf(page, '### 5.1 ')),
    notification: notificationNames(partOf(page, '#### The JSON form')),
  }
}

/** Sections that repeat another section's reply, or only the rows of its list. */
const REPEATED: Readonly<Record<string, { section: string; rows?: string }>> = {
  '4.11': { section: '4.10' },
  '4.34': { section: '4.2', rows: 'subscriptions.' },
}

function repliesOf(page: string, section: string, tables: readonly Table[]): Map<string, string> {
  const repeated = REPEATED[section]
  if (!repeated) return membersOf(tables, true)
  const { rows = '' } = repeated
  const members = [...membersOf(tablesOf(partOf(page, `### ${repeated.section} `)), true)]
  return new Map(
    members.filter(([name]) => name.startsWith(rows) || name === 'resultInfo').map(([name, rule]) => [name.replace(rows, ''), rule]),
  )
}

function sharedOf(page: string): Map<string, string> {
  const shared = new Map<string, string>()
  for (const name of ['Money', 'UserInfo', 'PaymentMode', 'GoodsInfo', 'ShippingInfo', 'ResultInfo'])
    for (const { rows } of tablesOf(partOf(page, `### ${name}\n`)))
      for (const row of rows)
        for (const member of namesIn(row[0]!).filter((member) => !(name === 'ResultInfo' && member === 'resultStatus')))
          shared.set(`${name}.${member}`, plain(row.at(-1)!))
  return shared
}

function checksumOf(part: string): InterfacePage['checksum'] {
  const [steps, vectors] = tablesOf(part)
  return {
    steps: steps!.rows.map(([step, exactly]) => `${step}: ${plain(exactly!)}`),
    vectors: vectors!.rows.map(([data, salt, signature]) => ({
      data: plain(data!).replace(/^`(\{.*\})`.*$/s, '$1'),
      salt: salt!.replaceAll('`', ''),
      signature: signature!.replaceAll('`', ''),
    })),
  }
}

function notificationNames(part: string): string[] {
  const cells = tablesOf(part).flatMap(({ rows }) => rows.map(([first]) => first!))
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([a-z]\w*)`/g)].map(([, name]) => name!))
  return [...new Set(names)]
}
