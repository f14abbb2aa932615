// Walks through the portions of a page of the console, by its own links and without script.

import assert from 'node:assert/strict'
import type { Service } from '../run/service.ts'
import { ask, type Person } from './desk.ts'

export const PAGE_BYTES_MAX = 200 * 1024 // docs/console.md

export interface Portion {
  text: string
  refunds: string[]
  lines: string[]
}

const ROW = /data-name="Refund"><bdi>([^<]*)<\/bdi>/g
const LINE = /<li(?: class="[^"]*")?>(<time[\s\S]*?)<\/li>/g

/** One page, which must stay within `PAGE_BYTES_MAX`. */
export async function portionAt(service: Pick<Service, 'url'>, { cookie }: Person, address: string): Promise<Portion> {
  const { status, text } = await ask(service, address, { cookie })
  assert.equal(status, 200, address)
  assert.ok(Buffer.byteLength(text) <= PAGE_BYTES_MAX, `${address}: ${Buffer.byteLength(text)} bytes`)
  return { text, refunds: [...text.matchAll(ROW)].map(([, refId]) => refId!), lines: [...text.matchAll(LINE)].map(([, line]) => line!) }
}

/** All portions behind an address, by the link with the text `says`. */
export async function walked(service: Pick<Service, 'url'>, person: Person, address: string, says: string): Promise<Portion[]> {
  const portions: Portion[] = []
  for (let at: string | undefined = address; at !== undefined; ) {
    const portion: Portion = await portionAt(service, person, at)
    portions.push(portion)
    at = new RegExp(`href="([^"]*)" rel="next">${says}<`).exec(portion.text)?.[1]?.replaceAll('&amp;', '&')
    assert.ok(portions.length <= 1_000, `${address} ends`)
  }
  return portions
}
