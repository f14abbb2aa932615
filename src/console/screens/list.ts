// A list as a page and as CSV, by one query: the file has what the page shows.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { writeAudit } from '../../domain/audit/write-audit.ts'
import { type Clock, dateTimeInIndia } from '../../engine/clock.ts'
import type { Place } from '../../flows/list-portions.ts'
import { html, type Part } from '../../pages/html.ts'
import { textIn } from '../../pages/kit/page-parts.ts'
import { doneNotice } from '../kit/action-form.ts'
import { ConsoleError } from '../kit/console-error.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import type { Permission } from '../kit/permissions.ts'
import { CONSOLE, guarded, sendPage } from '../kit/sheet.ts'
import { byOf } from '../people/sign-in.ts'
import { lineOf, sendCsv } from './csv.ts'
import { addressOf, type Filters, readFilters, textOf } from './filters.ts'

const SHOWN = 50 // docs/console.md
const SINCE = /^[0-9]{13}$/
const EXPORTED = 250 // Mohur's choice: rows of one portion of a file, so that no portion holds the main thread for long
const PORTION_EVERY_MS = 20 // docs/decisions/0029: a million rows in less than two minutes, and orders meanwhile

export interface ListColumn<R> {
  name: string
  /** The value in the file. An amount is a number of rupees. */
  value(row: R): string | number
  /** The page's cell, if it shows more than the value. */
  cell?(row: R): Part
  isAmount?: true
  /** Only in the file. */
  isOfFile?: true
  /** Never in the file. */
  isOfPage?: true
  /** An action on the row: only on the page, for people who may. */
  actsBy?: Permission
}

export interface ListPortion<R> {
  rows: readonly R[]
  next?: Place
  isCut: boolean
}

export interface List<R> {
  chapter: string
  title: string
  /** The states to choose from, by their names in the address. The first is the default. */
  states: Readonly<Record<string, string>>
  filters: readonly ('mode' | 'amount' | 'code' | 'person' | 'subject')[]
  /** The permission for the page and the file. Absent: `see` for the page, `csv` for the file. */
  admits?: Permission
  /** Real time, for a list of rows that the sandbox's clock does not move. Absent: business time. */
  isByRealTime?: true
  columns: readonly ListColumn<R>[]
  /** `isOfFile`: for the columns of the file alone. */
  ask(filters: Filters & { viewer: Viewer; limit: number; isOfFile?: true }): Promise<ListPortion<R>>
  empty: string
  above?(viewer: Viewer): Promise<Part>
  /** The form to which the buttons of the rows belong. */
  form?(viewer: Viewer, filters: Filters, rows: readonly R[]): Part
}

export function addList<R>(scope: FastifyInstance, parts: ConsoleParts, list: List<R>) {
  const base = `${CONSOLE}/${list.chapter}`
  const filtersOf = (request: FastifyRequest) => {
    const viewer = request.viewer!
    return { ...readFilters(request.query, { now: nowOf(parts, list), viewer, states: list.states }), viewer }
  }
  scope.get(base, { config: { admits: list.admits ?? 'see' } }, async (request, reply) => {
    const filters = filtersOf(request)
    const isFaulty = Object.keys(filters.faults).length > 0
    const found = isFaulty ? { rows: [], isCut: false } : await list.ask({ ...filters, limit: SHOWN })
    const done = doneNotice(request.query)
    return listPage(isFaulty ? reply.code(422) : reply, parts, { list, filters, found, done, viewer: filters.viewer })
  })
  // The script of an open list asks this every fifteen seconds.
  scope.get(`${base}/new`, { config: { admits: list.admits ?? 'see', isPoll: true } }, async (request, reply) => {
    const filters = filtersOf(request)
    const since = SINCE.exec(textIn(request.query, 'since') ?? '')?.[0]
    if (since === undefined || Object.keys(filters.faults).length > 0) throw new ConsoleError('filter')
    // A clock that was ahead may have dated the page or some rows, and neither makes a row new. So the period begins now at the latest, and
    // ends now.
    const now = nowOf(parts, list)
    const period = { from: Math.max(filters.from, Math.min(Number(since), now) + 1), to: Math.min(filters.to, now) }
    const { rows, next } = await list.ask({ ...filters, ...period, after: undefined, limit: SHOWN })
    return guarded(reply).send({ rows: rows.length, isMore: next !== undefined })
  })
  // No HEAD: it would read the whole list to send nothing.
  scope.get(`${base}.csv`, { exposeHeadRoute: false, config: { admits: list.admits ?? 'csv' } }, async (request, reply) => {
    if (!request.viewer!.may('csv')) throw new ConsoleError('role')
    const filters = filtersOf(request)
    if (Object.keys(filters.faults).length > 0) throw new ConsoleError('filter')
    const act = {
      action: 'console.csv',
      subject: `list:${list.chapter}`,
      outcome: 'done',
      data: { state: filters.state, from: filters.from, to: filters.to },
    } as const
    await parts.ports.engine.submit(writeAudit, { by: byOf(request, parts, request.viewer!.operator.operatorId), act })
    return sendCsv(reply, list.chapter, linesOf(list, filters, parts.ports.clock))
  })
}

const nowOf = <R>({ ports: { clock } }: ConsoleParts, { isByRealTime }: List<R>) => (isByRealTime ? clock.realNow() : clock.now())

async function* linesOf<R>(list: List<R>, filters: Filters & { viewer: Viewer }, clock: Clock): AsyncGenerator<string> {
  const columns = list.columns.filter(({ isOfPage, actsBy }) => !isOfPage && !actsBy)
  yield lineOf(columns.map(({ name }) => name))
  let { after } = filters
  for (;;) {
    const begun = clock.elapsed()
    const { rows, next } = await list.ask({ ...filters, after, limit: EXPORTED, isOfFile: true })
    if (rows.length > 0) yield rows.map((row) => lineOf(columns.map((column) => column.value(row)))).join('')
    if (!next) return
    after = next
    await clock.sleep(Math.max(0, begun + PORTION_EVERY_MS - clock.elapsed()))
  }
}

interface Listed<R> {
  list: List<R>
  filters: Filters
  found: ListPortion<R>
  /** The action that led to this page is done. */
  done: Part
  viewer: Viewer
}

async function listPage<R>(reply: FastifyReply, parts: ConsoleParts, { list, filters, found, done, viewer }: Listed<R>) {
  const base = `${CONSOLE}/${list.chapter}`
  const columns = list.columns.filter(({ isOfFile, actsBy }) => !isOfFile && (actsBy === undefined || viewer.may(actsBy)))
  const head = columns.map(({ name, isAmount }) => html`<th scope="col"${isAmount && html` class="sum"`}>${name}</th>`)
  const rows = found.rows.map(
    (row) =>
      html`<tr>${columns.map((column) => html`<td data-name="${column.name}"${column.isAmount && html` class="sum"`}>${column.cell?.(row) ?? html`<bdi>${column.value(row)}</bdi>`}</td>`)}</tr>`,
  )
  const older = found.next && addressOf(base, filters, { after: textOf(found.next) })
  const goOn = found.isCut ? `Continue from ${dateTimeInIndia(found.next?.at ?? 0)}` : 'Older'
  const csv = viewer.may('csv') && html`<a class="button second" href="${addressOf(`${base}.csv`, filters)}">CSV</a>`
  const isRead = Object.keys(filters.faults).length === 0
  const isLatest = filters.after === undefined && filters.given['to'] === '' && isRead
  const news = addressOf(`${base}/new`, filters, { since: String(nowOf(parts, list)) })
  const fresh = isLatest && html`<p role="status" data-new="${news}"></p>`
  const table = html`<table class="list"><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table>`
  const searched = found.isCut && html`<p class="quiet">Only part of the period was searched. Continue to find more.</p>`
  const body = html`<div class="title"><h1>${list.title}</h1><div class="acts">${csv}</div></div>${done}${await list.above?.(viewer)}<section class="card">${filterForm(list, filters, base)}</section><section class="card" aria-label="${list.title}">${fresh}${found.rows.length > 0 && list.form?.(viewer, filters, found.rows)}${found.rows.length > 0 ? table : !found.isCut && html`<p>${isRead ? list.empty : 'Nothing was searched: correct the filter.'}</p>`}${searched}${older !== undefined && html`<p><a class="button second" href="${older}" rel="next">${goOn}</a></p>`}</section>`
  return sendPage(reply, { assets: parts.assets, viewer }, { title: list.title, body, chapter: list.chapter })
}

function filterForm<R>({ states, filters: more }: List<R>, { given, faults, state }: Filters, base: string) {
  const field = (name: string, label: string, input: Part) =>
    html`<div><label for="${name}">${label}</label>${input}${faults[name] !== undefined && html`<span class="fault" id="${name}-fault" role="alert">${faults[name]}</span>`}</div>`
  const described = (name: string) => faults[name] !== undefined && html` aria-invalid="true" aria-describedby="${name}-fault"`
  const text = (name: string, label: string, type: 'text' | 'datetime-local' = 'text') =>
    field(
      name,
      label,
      html`<input id="${name}" name="${name}" type="${type}" value="${given[name] ?? ''}" maxlength="60"${described(name)}>`,
    )
  const choices = Object.entries(states).map(
    ([name, says]) => html`<option value="${name}"${name === state && html` selected`}>${says}</option>`,
  )
  const chosen =
    choices.length > 1 && field('state', 'State', html`<select id="state" name="state"${described('state')}>${choices}</select>`)
  const LABELS = { mode: 'Mode', amount: 'Amount (₹)', code: 'Result', person: 'Person (e-mail)', subject: 'Subject' }
  const place = faults['after'] !== undefined && html`<p class="fault" role="alert">${faults['after']}</p>`
  return html`<form class="filters" action="${base}">${chosen}${text('merchant', 'Merchant (mid)')}${text('from', 'From (IST)', 'datetime-local')}${text('to', 'To (IST)', 'datetime-local')}${more.map((name) => text(name, LABELS[name]))}<button class="second">Show</button>${place}</form>`
}
