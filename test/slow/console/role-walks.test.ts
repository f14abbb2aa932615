// Every action of the console by every role in a browser, with and without script. A role with the permission carries the action out, and
// the store shows it. Any other role finds no button, and its post made by hand is refused. The actions are those of the router.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { approvalRoles, permissions } from '../../../src/console/kit/permissions.ts'
import { ROLES } from '../../../src/domain/operator/operator.ts'
import { stoppedEndpointKey, streamKey } from '../../../src/tables/keys.ts'
import type { OperatorRole } from '../../../src/tables/operator.ts'
import { find, look } from '../../../src/tables/tables.ts'
import { ask, auditOf, type Person, personOf } from '../../support/console/desk.ts'
import { APPROVALS_ON, approvalRow, askedBy, opened, paymentAt, REASON } from '../../support/console/refunds.ts'
import { routesOf } from '../../support/console/routes.ts'
import { consented } from '../../support/mandates/timeline.ts'
import { deadRows } from '../../support/notifications/dead.ts'
import { chromiumPath, launch, PATIENCE_MS } from '../../support/pages/browser.ts'
import { createOrder, pay, script } from '../../support/paying/paying.ts'
import { paidOrder, refund } from '../../support/paying/refunds.ts'
import { MID, type Service, startService } from '../../support/run/service.ts'

const SLOW_MS = 2 * 60_000 + 10_000 // until the sandbox's bank has done what was slow
const FIRST_INQUIRY_MS = 90_000 // docs/interface.md section 3
const MOBILE = '9876543210'
/** Pages of people's own, and managing people: first-sign-in.test.ts, people.test.ts. */
const OF_PEOPLE: readonly string[] = ['anyone', 'signedIn', 'people']

/** What a walk is about: the `:id` of the route, and what else its page needs. */
interface About {
  id: string
  txnId?: string
  url?: string
}

interface Walk {
  about(service: Service, name: string): Promise<About>
  /** The screen that has the button, or the link to it. */
  screen(about: About): string
  link?: string
  /** Selectors of fields, and what the person types. */
  types?: Readonly<Record<string, string>>
  button(about: About): string
  says(about: About): string | RegExp
  /** The fields of a post that a role without the permission makes up. */
  form?(service: Service, about: About): Promise<Record<string, string>> | Record<string, string>
  stands(service: Service, about: About): Promise<unknown>
  from: unknown
  to: unknown
  /** When the permission alone does not say who may. */
  roles?: readonly OperatorRole[]
}

const orderScreen = ({ id }: About) => `/console/orders/${MID}/${id}`
const paymentScreen = ({ id }: About) => paymentAt(id)
const mandateScreen = ({ id }: About) => `/console/subscriptions/${MID}/${id}`

const open = async (service: Service, id: string): Promise<About> => {
  await createOrder(service, id, { userInfo: { custId: 'CUST_1', mobile: MOBILE } })
  return { id }
}
const paid = async (service: Service, name: string): Promise<About> => {
  const order = { userInfo: { custId: 'CUST_1', mobile: MOBILE } }
  return { id: (await paidOrder(service, name, { order })).txnId }
}
const mandate = async (service: Service, name: string): Promise<About> => ({
  id: (await consented(service, name, { renewalAmount: '10.00' })).subscriptionId,
})
const rowsOf = async ({ ports }: Service, subject: string, action: string) =>
  (await ports.query.rows(find('auditLog', { equals: { subject, action }, limit: 10 }))).length

const noting = (subject: string, about: Walk['about'], screen: Walk['screen']): Walk => ({
  ...{ about, screen, types: { '#note': REASON }, button: () => 'Add the note', says: () => REASON },
  form: ({ ports }) => ({ once: ports.fresh.text(16), reason: REASON }),
  stands: (service, { id }) => rowsOf(service, `${subject}:${id}`, 'note'),
  ...{ from: 0, to: 1 },
})

const showing = (subject: string, about: Walk['about'], screen: Walk['screen']): Walk => ({
  ...{ about, screen, button: () => 'Show the payer', says: () => MOBILE },
  stands: (service, { id }) => rowsOf(service, `${subject}:${id}`, 'console.show'),
  ...{ from: 0, to: 1 },
})

const moving = (word: 'pause' | 'resume' | 'close', says: string, said: string, [from, to]: readonly [string, string]): Walk => ({
  async about(service, name) {
    const about = await mandate(service, name)
    if (word === 'resume') await pauses(service, about)
    return about
  },
  ...{ screen: mandateScreen, link: says, types: { [`#${word}-reason`]: REASON }, button: () => says, says: () => said },
  form: formOfMandate,
  stands: async (service, { id }) => (await service.ports.query.row(look('subscriptions', MID, id)))!.status,
  ...{ from, to },
})
async function formOfMandate({ ports }: Service, { id }: About): Promise<Record<string, string>> {
  const { version } = (await ports.query.row(look('subscriptions', MID, id)))!
  return { version: String(version), merchant: 'ACTIVE', reason: REASON }
}
async function pauses(service: Service, about: About) {
  const { cookie, token } = await personOf(service, ['operations'])
  const form = { token, ...(await formOfMandate(service, about)) }
  assert.equal((await ask(service, `${mandateScreen(about)}/pause`, { cookie, form })).status, 303)
}

const write = (
  { store }: Service,
  changes: Parameters<Parameters<Parameters<Service['store']['transaction']>[0]>[0]['write']>[0]['changes'],
) => store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
const dead = async (service: Service, id: string): Promise<About> => {
  await write(service, deadRows({ mid: MID, orderId: id, url: 'http://127.0.0.1:9/', now: service.clock.now() }))
  return { id }
}
const resending: Pick<Walk, 'about' | 'screen' | 'types' | 'stands' | 'from' | 'to'> = {
  ...{ about: dead, screen: () => '/console/notifications', types: { '#resend-reason': REASON } },
  stands: async ({ ports }, { id }) => (await ports.query.row(streamKey(MID, id, 'merchant')))!.status,
  ...{ from: 'DEAD', to: 'ACTIVE' },
}

const waiting = async (service: Service): Promise<About> => ({ id: (await askedBy(service, await personOf(service, ['finance']))).id })
const deciding = (button: string, says: RegExp, to: string): Walk => ({
  ...{ about: waiting, screen: ({ id }) => `/console/approvals/${id}`, button: () => button, says: () => says },
  stands: async (service, { id }) => (await approvalRow(service, id)).status,
  ...{ from: 'ASKED', to, roles: approvalRoles['payment.refund'].gives },
})

let ports = 20_000
const WALKS: Readonly<Record<string, Walk>> = {
  '/console/orders/:mid/:id/note': noting('order', open, orderScreen),
  '/console/payments/:mid/:id/note': noting('transaction', paid, paymentScreen),
  '/console/subscriptions/:mid/:id/note': noting('subscription', mandate, mandateScreen),
  '/console/orders/:mid/:id/show': showing('order', open, orderScreen),
  '/console/payments/:mid/:id/show': showing('transaction', paid, paymentScreen),
  '/console/orders/:mid/:id/close': {
    ...{ about: open, screen: orderScreen, types: { '#close-reason': REASON }, button: () => 'Close the order' },
    says: () => 'The order is closed.',
    async form({ ports }, { id }) {
      return { version: String((await ports.query.row(look('orders', MID, id)))!.version), merchant: 'ACTIVE', reason: REASON }
    },
    stands: async ({ ports }, { id }) => (await ports.query.row(look('orders', MID, id)))!.status,
    ...{ from: 'CREATED', to: 'CLOSED' },
  },
  '/console/payments/:mid/:id/ask': {
    async about(service, name) {
      const order = await createOrder(service, name)
      const { txnId } = (await pay(service, order, { paymentMode: 'UPI', payerAccount: 'slow@upi' })).body
      service.clock.advance(SLOW_MS)
      return { id: txnId }
    },
    ...{ screen: paymentScreen, types: { '#ask-reason': REASON }, button: () => 'Ask the bank now', says: () => 'The bank was asked.' },
    form: () => ({ reason: REASON }),
    stands: async ({ ports }, { id }) => (await ports.query.row(look('transactions', MID, id)))!.status === 'SUCCESS',
    ...{ from: false, to: true },
  },
  '/console/refunds/:mid/:id/ask': {
    async about(service, name) {
      const payment = await paidOrder(service, name)
      await script(service, payment, 'slow')
      await refund(service, payment, `R_${name}`, '30.00')
      for (const ms of [0, FIRST_INQUIRY_MS]) {
        service.clock.advance(ms)
        await service.tasks.runDue()
      }
      service.clock.advance(SLOW_MS - FIRST_INQUIRY_MS) // the next inquiry is planned for later
      return { id: `R_${name}`, txnId: payment.txnId }
    },
    ...{
      screen: ({ txnId }) => paymentAt(txnId!),
      types: { '#ask-refund-reason': REASON },
      button: ({ id }) => `Ask the bank about ${id}`,
    },
    says: () => 'The service asks the bank about the refund now.',
    form: () => ({ reason: REASON }),
    async stands(service, { id }) {
      await service.tasks.runDue()
      return (await service.ports.query.row(look('refunds', MID, id)))!.status
    },
    ...{ from: 'PENDING', to: 'SUCCESS' },
  },
  '/console/notifications/:mid/:id/:endpoint/resend': {
    ...resending,
    button: ({ id }) => `Send again for ${id}`,
    says: () => 'The notifications of the order are sent again.',
    async form({ ports }, { id }) {
      return { given: String((await ports.query.row(streamKey(MID, id, 'merchant')))!.updatedAt), reason: REASON }
    },
  },
  '/console/notifications/resend': {
    ...resending,
    ...{ button: () => 'Send all again', says: () => 'Orders whose notifications are sent again:' },
    form: ({ clock }) => ({ shown: String(clock.now()), reason: REASON }),
  },
  '/console/notifications/:mid/start': {
    async about(service) {
      const url = `http://127.0.0.1:${++ports}/merchant`
      await write(service, [{ kind: 'insert', key: stoppedEndpointKey(MID, url), row: { mid: MID, url, stoppedAt: service.clock.now() } }])
      return { id: '', url }
    },
    ...{ screen: () => '/console/notifications', types: { '#start-reason': REASON } },
    button: ({ url }) => `Start ${new URL(url!).origin} of ${MID}`,
    says: () => 'The endpoint is started.',
    form: ({ ports: { vault } }, { url }) => ({ given: vault.hash('console endpoint', url!), reason: REASON }),
    stands: async ({ ports: { query } }, { url }) => (await query.row(stoppedEndpointKey(MID, url!))) !== undefined,
    ...{ from: true, to: false },
  },
  '/console/subscriptions/:mid/:id/pause': moving('pause', 'Pause the mandate', 'The mandate is paused.', ['ACTIVE', 'SUSPENDED']),
  '/console/subscriptions/:mid/:id/resume': moving('resume', 'Resume the mandate', 'The mandate is collected again.', [
    'SUSPENDED',
    'ACTIVE',
  ]),
  '/console/subscriptions/:mid/:id/close': moving('close', 'Close the mandate', 'The mandate is closed.', ['ACTIVE', 'CLOSED']),
  '/console/payments/:mid/:id/refund': {
    ...{ about: paid, screen: paymentScreen, link: 'Refund', types: { '#amount': '40.50', '#reason': REASON }, button: () => 'Refund' },
    says: () => 'Refunded ₹40.50',
    // The mark of another person's form, which a thief may have seen.
    async form(service, { id }) {
      const { token: _, ...form } = await opened(service, await personOf(service, ['finance']), id, '40.50')
      return form
    },
    stands: async ({ ports }, { id }) => (await ports.query.row(look('transactions', MID, id)))!.refundedPaise,
    ...{ from: 0, to: 40_50 },
  },
  '/console/approvals/:id/give': deciding('Approve', /given/, 'GIVEN'),
  '/console/approvals/:id/refuse': deciding('Refuse', /refused/, 'REFUSED'),
}

describe('each role and each action of the console in a browser', { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const starting = Promise.all([startService('sqlite', { env: APPROVALS_ON }), launch()])
  after(async () => {
    for (const part of (await starting).toReversed()) await part.close()
  })
  const actions = starting.then(async ([service]) =>
    (await routesOf(service)).filter(({ method, admits }) => method === 'POST' && !OF_PEOPLE.includes(admits)),
  )
  const pathOf = (url: string, { id }: About) => url.replace(':mid', MID).replace(':id', id).replace(':endpoint', 'merchant')
  let made = 0

  test('each action of the router has a walk, and no walk is of another', async () => {
    assert.deepEqual((await actions).map(({ url }) => url).sort(), Object.keys(WALKS).sort())
  })

  const buttonOf = (page: Page, { link, button }: Walk, about: About) =>
    link === undefined
      ? page.getByRole('button', { name: button(about), exact: true })
      : page.getByRole('link', { name: link, exact: true })

  async function carriesOut(page: Page, walk: Walk, about: About) {
    await page.goto(walk.screen(about))
    if (walk.link !== undefined) await page.getByRole('link', { name: walk.link, exact: true }).click()
    for (const [field, text] of Object.entries(walk.types ?? {})) await page.locator(field).fill(text)
    await page.getByRole('button', { name: walk.button(about), exact: true }).click()
    await page.getByText(walk.says(about)).first().waitFor()
  }

  async function posts(person: Person, url: string, about: About) {
    const [service] = await starting
    const form = { token: person.token, ...(await WALKS[url]!.form?.(service, about)) }
    return (await ask(service, pathOf(url, about), { cookie: person.cookie, form })).status
  }

  for (const role of ROLES)
    for (const javaScriptEnabled of [true, false])
      test(`${role}, ${javaScriptEnabled ? 'with' : 'without'} script`, async (t) => {
        const [service, browser] = await starting
        const person = await personOf(service, [role])
        const elsewhere = await personOf(service, [role], ['OTHER'])
        const context = await browser.newContext({ baseURL: service.url, javaScriptEnabled })
        context.setDefaultTimeout(PATIENCE_MS)
        await context.addCookies([{ name: 'console', value: person.cookie, url: `${service.url}/console`, sameSite: 'Strict' }])
        const page = await context.newPage()
        const done: string[] = []
        let refused = 0
        for (const { url, admits } of await actions) {
          const walk = WALKS[url]!
          const about = await walk.about(service, `WALK_${++made}`)
          const stands = () => walk.stands(service, about)
          const says = `${url} by ${role}`
          assert.deepEqual(await stands(), walk.from, says)
          const roles: readonly string[] = walk.roles ?? permissions[admits as keyof typeof permissions]
          if (!roles.includes(role)) {
            await page.goto(walk.screen(about))
            assert.equal(await buttonOf(page, walk, about).count(), 0, says)
            assert.equal(await posts(person, url, about), 403, says)
            assert.deepEqual(await stands(), walk.from, says)
            refused++
            continue
          }
          // The same role for another merchant alone. A list without a merchant in its address acts on what the person sees.
          assert.equal(await posts(elsewhere, url, about), url.includes(':') ? 404 : 200, says)
          assert.deepEqual(await stands(), walk.from, says)
          const before = (await auditOf(service, person.operatorId)).length
          await carriesOut(page, walk, about)
          assert.deepEqual(await stands(), walk.to, says)
          assert.ok((await auditOf(service, person.operatorId)).length > before, `${says} has its audit row`)
          done.push(url.replace('/console/', ''))
        }
        await context.close()
        t.diagnostic(`${role}, ${javaScriptEnabled ? 'with' : 'without'} script: ${done.length} carried out, ${refused} refused`)
      })
})
