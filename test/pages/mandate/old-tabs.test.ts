// A form of a payer's mandate page that was drawn before a change does nothing: docs/pages.md, "The mandate page". A tab may stay open as
// long as its page lives, a payer may press twice, and a reloading browser sends a form again.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { actionNames } from '../../../src/pages/mandate/actions.ts'
import { find, look, type TableName } from '../../../src/tables/tables.ts'
import { manage } from '../../support/mandates/mandates.ts'
import { events, moveTo } from '../../support/mandates/timeline.ts'
import { type Agreed, askedFor, codeFrom, opened, walletMandate } from '../../support/pages/mandate-page.ts'
import { ask, formOf, formsOf, goesTo, type PageForm, type Visitor, wordsOf } from '../../support/pages/pages.ts'
import { checkout } from '../../support/run/checkout.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const STALE = {
  en: 'This page was out of date, so nothing more was changed. Below is the current state.',
  hi: 'यह पेज पुराना हो चुका था, इसलिए और कुछ नहीं बदला। अभी की स्थिति नीचे है।',
}

/** Each form of the page by the last part of its address, the way to a page that shows it, and the typed values. */
const WAYS: Readonly<Record<string, (service: Service, agreed: Agreed) => Promise<{ visitor: Visitor; typed?: Record<string, string> }>>> =
  {
    async open(service, agreed) {
      const { visitor, otp } = await askedFor(service, agreed)
      await visitor.look()
      return { visitor, typed: { code: otp } }
    },
    async resend(service, agreed) {
      const { visitor } = await askedFor(service, agreed)
      await visitor.look()
      return { visitor }
    },
    language: async (service, agreed) => ({ visitor: await opened(service, agreed), typed: { language: 'hi' } }),
    async 'more-time'(service, agreed) {
      const visitor = await opened(service, agreed)
      service.clock.advance(60_000)
      await visitor.look()
      return { visitor }
    },
    approve: async (service, agreed) => ({ visitor: await opened(service, agreed) }),
    async 'approve/code'(service, agreed) {
      const visitor = await opened(service, agreed)
      const { otp } = await codeFrom(service, agreed.mobile, () => visitor.send('/approve'))
      return { visitor, typed: { code: otp } }
    },
    decline: async (service, agreed) => ({ visitor: await opened(service, agreed) }),
    pause: async (service, agreed) => ({ visitor: await opened(service, agreed) }),
    async resume(service, agreed) {
      const visitor = await opened(service, agreed)
      await visitor.send('/pause')
      return { visitor }
    },
    async stop(service, agreed) {
      const visitor = await opened(service, agreed)
      await visitor.look('?ask=stop')
      return { visitor }
    },
    async skip(service, agreed) {
      const visitor = await opened(service, agreed)
      await visitor.look('?ask=skip')
      return { visitor }
    },
  }
const NAMES = Object.keys(WAYS)
/** For changed terms, and not for a debit. */
const OF_TERMS = ['approve', 'approve/code', 'decline']
const CASES = [...NAMES.map((name) => ({ name, of: '' })), ...OF_TERMS.map((name) => ({ name, of: ' terms' }))]

const KEPT: readonly TableName[] = ['subscriptions', 'collections', 'notices', 'mandatePages', 'events']
const rowsIn = async ({ ports }: Service) =>
  JSON.stringify(await Promise.all(KEPT.map(async (table) => (await ports.query.rows(find(table, { limit: 10_000 }))).toSorted(byText))))
const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
const nameOf = ({ action }: PageForm, { page }: Visitor) => action.slice(page.length + 1)
const subscriptionOf = async ({ ports }: Service, { subscriptionId }: Agreed) =>
  (await ports.query.row(look('subscriptions', MID, subscriptionId)))!

onBothStores('a payer with two tabs of a mandate', (store) => {
  const running = sharedService(store)
  let made: Promise<Record<string, Agreed>> | undefined
  /** Wallets' mandates, each with a debit that waits for its payer. It is the day before that debit. */
  const ready = async (name: string): Promise<{ service: Service; agreed: Agreed }> => {
    const service = await running()
    made ??= (async () => {
      const mandates: Record<string, Agreed> = {}
      let mobile = 9_815_000_000
      for (const each of ['tabs', 'skipped', 'noticed', 'codes', ...CASES.map(({ name, of }) => name + of)])
        mandates[each] = await walletMandate(service, `OLD${mobile}`, String(++mobile), 2026)
      await moveTo(service, '2026-12-04 12:00:00')
      for (const name of OF_TERMS) await otherTerms(service, mandates[`${name} terms`]!)
      return mandates
    })()
    return { service, agreed: (await made)[name]! }
  }
  const otherTerms = async (service: Service, { subscriptionId }: Agreed, renewalAmount = '900.00') => {
    const reply = await manage(service, '/subscription/edit', { subsId: subscriptionId, renewalAmount })
    assert.equal(reply.body.resultInfo.code, '3006', reply.text)
  }

  test('an old tab’s pause, sent after a resume, pauses nothing and shows how things stand', async () => {
    const { service, agreed } = await ready('tabs')
    const [old, tab] = [await opened(service, agreed), await opened(service, agreed)]
    const form = formOf(old.last.text, '/pause')
    await tab.send('/pause')
    await tab.send('/resume')
    const before = await events(service, agreed.subscriptionId)
    const answer = await old.send('/pause')
    assert.equal((await subscriptionOf(service, agreed)).status, 'ACTIVE')
    assert.deepEqual(await events(service, agreed.subscriptionId), before)
    assert.ok(wordsOf(answer.text).includes(`${STALE.en} This mandate is active.`), wordsOf(answer.text))
    // In Hindi too. The forms that the page shows now work.
    await old.send('/language', { language: 'hi' })
    assert.ok(wordsOf((await old.follow(goesTo(await ask(service, form.action, form.fields)))).text).includes(STALE.hi))
    await old.send('/pause')
    assert.equal((await subscriptionOf(service, agreed)).subStatus, 'USER_PAUSED')
  })

  test('an old tab’s stop, sent after other terms were requested, stops nothing', async () => {
    const { service, agreed } = await ready('noticed')
    const old = await opened(service, agreed)
    await old.look('?ask=stop')
    await otherTerms(service, agreed)
    assert.match(wordsOf((await old.send('/stop')).text), /out of date.*Agree to new terms\?/)
    assert.equal((await subscriptionOf(service, agreed)).status, 'ACTIVE')
  })

  test('an old tab’s skip, sent after the debit was declined in another, skips nothing', async () => {
    const { service, agreed } = await ready('skipped')
    const [old, tab] = [await opened(service, agreed), await opened(service, agreed)]
    await old.look('?ask=skip')
    await tab.send('/decline')
    await old.send('/skip')
    const cycle = await service.ports.query.row(look('collections', MID, `${agreed.subscriptionId}.20261205`))
    assert.deepEqual([cycle!.status, cycle!.authentication], ['NOTIFIED', 'DECLINED'])
  })

  test('a button that sends a code, pressed twice, sends one', async () => {
    const { service, agreed } = await ready('codes')
    const visitor = await opened(service, agreed)
    const { action, fields } = formOf(visitor.last.text, '/approve')
    const { otp } = await codeFrom(service, agreed.mobile, async () => {
      await ask(service, action, fields)
      service.clock.advance(1_000)
      await visitor.follow(goesTo(await ask(service, action, fields)))
    })
    assert.match(wordsOf(visitor.last.text), /out of date.*We have sent an OTP by SMS, for this approval alone/)
    assert.match(wordsOf((await visitor.send('/approve/code', { code: otp })).text), /You have approved it\./)
  })

  for (const { name, of } of CASES)
    test(`every form carries what it was drawn from: ${name}${of}`, async () => {
      const { service, agreed } = await ready(name + of)
      const { visitor, typed = {} } = await WAYS[name]!(service, agreed)
      service.clock.advance(1_000)
      await visitor.look(`?ask=${name}`)
      const forms = formsOf(visitor.last.text)
      for (const form of forms) {
        assert.ok(actionNames.includes(nameOf(form, visitor) as (typeof actionNames)[number]), form.action)
        assert.match(form.fields['version'] ?? '', /^[\w.-]+$/, `${form.action} carries no version`)
      }
      const { action, fields } = formOf(visitor.last.text, `/${name}`)
      if (OF_TERMS.includes(name)) assert.match(fields['of']!, of === '' ? /^debit:/ : /^edit:/)
      const { version, ...rest } = { ...fields, ...typed }
      const before = await rowsIn(service)
      for (const other of [undefined, '', '0', `${version}0`, `${version}.`, 'x'.repeat(5_000)]) {
        const answer = await ask(service, action, { ...rest, ...(other !== undefined && { version: other }) })
        assert.match(goesTo(answer), /\?said=stale&/, `with ${other}`)
        assert.equal(await rowsIn(service), before, `with ${other}`)
      }
      const done = goesTo(await ask(service, action, { ...fields, ...typed }))
      assert.doesNotMatch(done, /stale|changed/)
      const after = await rowsIn(service)
      assert.notEqual(after, before, 'as the page shows it, it is done')
      const shown = await visitor.follow(goesTo(await ask(service, action, { ...fields, ...typed })))
      assert.equal(shown.status, 200, 'pressed twice it shows how things stand')
      assert.equal(await rowsIn(service), after, 'and it is done once')
    })
})

test('every form of a payer’s mandate page is drawn where it is given its version', () => {
  assert.deepEqual(NAMES.toSorted(), actionNames.toSorted())
  const folder = join(checkout, 'src/pages/mandate')
  const drawn = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/<form[^>]*?action="([^"]*)"/g)].map(([, to]) => `${file} ${to}`),
    )
  // A link opens nothing yet, so its forms name no version.
  const ofLink = [`render.ts /m/\${linkId}`, `render.ts /m/\${linkId}/code`]
  assert.deepEqual(drawn.toSorted(), [`forms.ts \${seen.address}/\${act}`, ...ofLink])
})
