// Hostile text in every stored text. A browser under Mohur's own policy shows it on each screen of the console, and another parser reads it
// in the files of lists. A text adds no element, runs nothing and breaks no policy. A file has a list's rows, numbers as numbers and no
// formula.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { ask, type Person, personOf } from '../../support/console/desk.ts'
import { type Planted, plantedRows } from '../../support/console/planted.ts'
import { chromiumPath, launch, PATIENCE_MS } from '../../support/pages/browser.ts'
import { interpreterOf } from '../../support/run/interpreters.ts'
import { type Service, startService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'

const TEXTS = sized(20, 2_000)
const PORTION = 50 // of a list
const AT_ONCE = 3 // pages
const [MID, PLAIN] = ['PLANTED0000000000001', 'PLAIN000000000000001']
const FORMS = [
  '<script>window.hit=1</script>',
  '"><img src=x onerror=window.hit=1>',
  "'-window.hit=1-'",
  '\u202egnp.live',
  '<svg/onload=window.hit=1>',
  '{{7*7}}#{7*7}',
  '</title><b>bold',
  '=HYPERLINK("http://x.test","y")',
  '+1+1',
  '-2+3',
  '@SUM(A1:A9)',
  '\t=1+1',
  'a,"b"\r\n=c',
  '</bdi></td></tr></table><form action=//x.test><button>go',
  '" autofocus onfocus="window.hit=1',
  'javascript:window.hit=1//',
  '&lt;b&gt;&#x3c;b&#x3e;',
  '<!--',
]
const LISTS = ['orders', 'payments', 'refunds', 'subscriptions', 'notifications', 'audit']

describe('hostile text in the console', { timeout: 1_800_000 }, () => {
  let service: Service
  let person: Person
  let plain: Planted
  const planted: (Planted & { text: string })[] = []

  before(async () => {
    service = await startService('sqlite')
    person = await personOf(service, ['admin', 'operations', 'developer'])
    const agoMs = TEXTS * 1_000 + 1_000
    const [began, audited] = [service.clock.now() - agoMs, service.clock.realNow() - agoMs]
    const plant = async (mid: string, nth: number, text: string): Promise<Planted> => {
      // A portion continues behind an id, and the interface gives no id such a text.
      const isPlace = (TEXTS - nth) % PORTION === 0
      const rows = plantedRows({ mid, nth, at: began + nth * 1_000, auditedAt: audited + nth * 1_000, text, ...(isPlace && { inIds: '' }) })
      const { changes, events, ...ids } = rows
      await service.store.transaction((transaction) => transaction.write({ changes, events, tasks: [] }))
      return ids
    }
    plain = await plant(PLAIN, TEXTS + 1, 'plain')
    for (let nth = 0; nth < TEXTS; nth++) {
      const text = `${FORMS[nth % FORMS.length]}${nth < FORMS.length ? '' : nth}`
      planted.push({ ...(await plant(MID, nth, text)), text })
    }
  })
  after(() => service.close())

  test('adds no element, runs nothing and breaks no policy, on any screen', async (t) => {
    if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
    const browser = await launch()
    t.after(() => browser.close())
    const reported: string[] = []
    const open = async () => {
      const context = await browser.newContext()
      context.setDefaultTimeout(PATIENCE_MS)
      await context.addCookies([{ name: 'console', value: person.cookie, url: `${service.url}/console`, sameSite: 'Strict' }])
      const page = await context.newPage()
      page.on('console', (message) => message.type() === 'error' && !/404/.test(message.text()) && reported.push(message.text()))
      page.on('dialog', () => reported.push('a dialog'))
      return page
    }
    const pages = await Promise.all(Array.from({ length: AT_ONCE }, open))
    const counted = (page: Page, path: string) => countedOn(page, `${service.url}/console${path}`)
    const screensOf = ({ orderId, txnId, subscriptionId, operatorId }: Planted, mid: string) =>
      [
        ['orders', mid, orderId],
        ['payments', mid, txnId],
        ['subscriptions', mid, subscriptionId],
        ['people', operatorId],
      ].map((parts) => `/${parts.map(encodeURIComponent).join('/')}`)
    const expected: string[] = []
    for (const path of screensOf(plain, PLAIN)) expected.push(await counted(pages[0]!, path))

    let views = 0
    const texts = planted.values()
    await Promise.all(
      pages.map(async (page) => {
        for (const { text, ...ids } of texts) {
          for (const [screen, path] of screensOf(ids, MID).entries()) {
            assert.equal(await counted(page, path), expected[screen], `${path} with ${text}`)
            views++
          }
          const found = await counted(page, `/find?q=${encodeURIComponent(text)}`)
          assert.equal(found.split(' ')[1], 'false', `searched: ${text}`)
          views++
        }
      }),
    )
    for (const list of LISTS) {
      const rowsOf = (page: Page) => page.evaluate<string>(ROWS)
      const page = pages[0]!
      await counted(page, `/${list}?merchant=${PLAIN}`)
      const [one] = (await rowsOf(page)).split(' ')
      await counted(page, `/${list}?merchant=${MID}`)
      for (let left = TEXTS; left > 0; left -= PORTION) {
        const rows = Math.min(left, PORTION)
        assert.equal(await rowsOf(page), `${rows * Number(one)} ${rows}`, `${list}, ${left} left`)
        views++
        if (left <= PORTION) break
        const shown = page.url()
        await page.getByRole('link', { name: /^Older|^Go on/ }).click()
        await page.waitForURL(({ href }) => href !== shown)
      }
    }
    assert.equal(await counted(pages[0]!, '/people').then((said) => said.split(' ')[1]), 'false')
    assert.deepEqual(reported, [])
    t.diagnostic(`${TEXTS} texts in every stored text, ${views} views: elements added 0, scripts run 0, reports ${reported.length}`)
  })

  test('stays text in the files of lists, as another parser reads them', async (t) => {
    const python = interpreterOf('python')
    if (python === undefined) return
    for (const list of LISTS) {
      // The audit log also has rows of the person who reads it.
      const query = list === 'notifications' ? 'state=dead' : list === 'audit' ? `merchant=${MID}` : 'state=any'
      const { text } = await ask(service, `/console/${list}.csv?${query}`, { cookie: person.cookie })
      const [head, ...rows] = JSON.parse(
        execFileSync(python, ['-c', READ], { input: text, encoding: 'utf8', maxBuffer: 2 ** 28 }),
      ) as string[][]
      assert.equal(rows.length, list === 'audit' ? TEXTS : TEXTS + 1, list)
      assert.ok(rows.every((row) => row.length === head!.length))
      const amounts = head!.flatMap((name, at) =>
        ['Amount', 'At most', 'Attempts', 'Tries', 'Not delivered', 'Days since'].includes(name) ? [at] : [],
      )
      for (const row of rows)
        for (const [at, cell] of row.entries())
          if (amounts.includes(at)) assert.match(cell, /^\d+(\.\d+)?$/, `${list} ${head![at]}`)
          else assert.doesNotMatch(cell, /^[=+\-@\t\r]/, `${list} ${head![at]}`)
      t.diagnostic(`${list}: ${rows.length} rows read by Python, formulas 0`)
    }
  })
})

/** The number of elements, and whether one of them is foreign or has run. */
const ELEMENTS = `[
  document.querySelectorAll('*').length,
  Boolean(window.hit) || document.querySelector('script:not([src="/console/console.js"]), img, svg, iframe, [onfocus], [onerror], [href^="javascript"]') !== null,
].join(' ')`
const ROWS = `[document.querySelectorAll('.list tbody *').length, document.querySelectorAll('.list tbody tr').length].join(' ')`
const READ =
  'import csv, io, json, sys; sys.stdin.reconfigure(newline=""); print(json.dumps(list(csv.reader(io.StringIO(sys.stdin.read(), newline="")))))'

async function countedOn(page: Page, address: string): Promise<string> {
  const answer = await page.goto(address)
  assert.equal(answer?.status(), 200, address)
  return page.evaluate<string>(ELEMENTS)
}
