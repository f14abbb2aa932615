// The blocks of every page: the shop, rows, notices, panels, the choice of a language.

import type { Row } from '../../tables/tables.ts'
import { type Html, html, type Part } from '../html.ts'
import { type Catalogue, type Language, languages } from './messages/messages.ts'

const SOON_MS = 2 * 60_000 // docs/pages.md: WCAG 2.2, criterion 2.2.1

/** The first letter of a name, as a reader sees it: a grapheme. */
const initial = (name: string) =>
  /^[!-~][ -~]/.test(name)
    ? name[0]!.toUpperCase()
    : (new Intl.Segmenter().segment(name.trim())[Symbol.iterator]().next().value?.segment.toUpperCase() ?? '')

/** The shop that is paid, and its order or mandate. */
export const shopOf = ({ name }: Pick<Row<'merchants'>, 'name'>, kind: string, id: string, cross?: Part): Html =>
  html`<div class="shop"><span class="mark" aria-hidden="true">${initial(name)}</span><div><b><bdi>${name}</bdi></b><span class="quiet">${kind} <bdi>${id}</bdi></span></div>${cross}</div>`

/** A hidden button that closes the page. The script shows the button in the overlay of a shop's page. */
export const crossOf = ({ closePage }: Pick<Catalogue, 'closePage'>): Html =>
  html`<button type="button" class="cross" data-close aria-label="${closePage}" hidden>×</button>`

/** A notice that is hidden until little time is left. Then the script shows the notice. A page drawn later shows it at once. */
export const soonOf = ({ soon }: Catalogue['time'], isNow: boolean): Html =>
  html`<b data-soon role="status"${!isNow && html` hidden`}>${soon}</b>`
export const isSoon = (until: number, now: number): boolean => until - now <= SOON_MS

export const languageForm = (
  { address, texts, language }: { address: string; texts: Catalogue; language: Language },
  carries: Part,
): Html => html`<form class="language" method="post" action="${address}/language">${carries}${languageChoice(texts, language)}</form>`

export const languageChoice = (texts: Catalogue, language: Language): Html =>
  html`<label for="language">${texts.language}</label><select id="language" name="language">${Object.entries(languages).map(([tag, { name }]) => html`<option value="${tag}" lang="${tag}"${tag === language && html` selected`}>${name}</option>`)}</select><button class="plain">${texts.setLanguage}</button>`

export type Rows = readonly (readonly [name: Part, value: Part])[]
export const rowsOf = (rows: Rows, kind: 'rows' | 'rows receipt' = 'rows'): Html =>
  html`<dl class="${kind}">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

/** `isFirst`: the page is about this notice, so the reader begins there. */
export const notice = (text: Part, kind: 'bad' | 'wait' | 'good', isFirst = false): Html =>
  html`<p class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}"${isFirst && html` tabindex="-1" autofocus`}>${text}</p>`

/** A page of one panel, without an amount and a shop beside the panel. */
export const alone = (heading: string, ...inner: readonly Part[]): Html =>
  html`<main class="sheet alone">${panel(heading, ...inner)}</main>`

export const panel = (heading: string, ...inner: readonly Part[]): Html =>
  html`<section class="card one" aria-labelledby="heading"><h1 id="heading" tabindex="-1">${heading}</h1>${inner}</section>`
