// Lines of a start about its settings and its world: unknown names, missing connections, and settings that can never work.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DELIVERABLE, UNDELIVERABLE } from '../../support/notifications/undeliverable.ts'
import { fromCheckout } from '../../support/run/checkout.ts'
import { mohurCommand, serveProcess } from '../../support/run/process.ts'

const { readWorld, refuseUndeliverable } = await fromCheckout<typeof import('../../../src/sandbox/world.ts')>('src/sandbox/world.ts')

const folder = mkdtempSync(join(tmpdir(), 'mohur-connected-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const key = { MOHUR_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'), PORT: '0' }
const named = (name: string) => ({ ...key, MOHUR_DATA: join(folder, name) })
const production = (name: string) => ({ ...named(name), MOHUR_MODE: 'production' })

function worldFile(world: object): string {
  const file = join(folder, 'world.json')
  writeFileSync(file, JSON.stringify(world))
  return file
}

/** Log lines of a start above `info`, by their first words. */
async function warned(environment: Record<string, string>): Promise<string[]> {
  const service = await serveProcess({ MOHUR_LOG: 'warn', ...environment })
  await service.kill('SIGTERM')
  const lines = service.log().toString().split('\n')
  return lines.filter((line) => line.startsWith('{')).map((line) => (JSON.parse(line) as { msg: string }).msg)
}
const settingsIn = (warnings: readonly string[]) => warnings.flatMap((line) => /^(MOHUR_\w+) is n/.exec(line)?.[1] ?? [])

test('production warns of all that is not connected, and of nothing that is', async () => {
  assert.equal((await mohurCommand(['merchant', 'add', '--mid', 'SHOP1'], production('warned'))).code, 0)
  assert.deepEqual(settingsIn(await warned(production('warned'))), [
    'MOHUR_ACQUIRER_URL',
    'MOHUR_SMS_URL',
    'MOHUR_PUBLIC_URL',
    'MOHUR_REFERENCE',
    'MOHUR_TRUSTED_PROXIES',
  ])
  const connected = {
    MOHUR_ACQUIRER_URL: 'http://127.0.0.1:9',
    MOHUR_ACQUIRER_SECRET: SECRET,
    MOHUR_SMS_URL: 'http://127.0.0.1:9',
    MOHUR_PUBLIC_URL: 'https://pay.example',
    MOHUR_REFERENCE: join(import.meta.dirname, '../../../src/adapters/reference/sample'),
    MOHUR_TRUSTED_PROXIES: '127.0.0.1',
  }
  assert.deepEqual(settingsIn(await warned({ ...production('warned'), ...connected })), [])
})

test('a name that looks like a setting and is none is warned of, in the sandbox too', async () => {
  const misspelt = { MOHUR_MODES: 'production', MOHUR_SMSURL: 'https://sms.example', MOHUR_TEST_ANYTHING: 'of the tests' }
  assert.deepEqual(settingsIn(await warned({ ...named('misspelt'), ...misspelt })), ['MOHUR_MODES', 'MOHUR_SMSURL'])
})

test('production refuses a world whose merchant waits for notifications at an address that is not public', async () => {
  const notified = (url: string) => ({ merchants: [{ mid: 'SHOP1', notification: { url, form: 'json', secret: SECRET } }] })
  const refused = /the world is not valid:\n {2}merchant SHOP1: production notifies at public addresses only/
  const [first, ...others] = UNDELIVERABLE
  for (const url of others) assert.throws(() => refuseUndeliverable(readWorld(notified(url))), refused, url)
  for (const url of DELIVERABLE) refuseUndeliverable(readWorld(notified(url)))

  // Then one of each by a start. The host is refused after the world was applied, so no start goes on.
  const starts = (url: string) =>
    mohurCommand(['serve'], { ...production('world'), MOHUR_WORLD: worldFile(notified(url)), HOST: '192.0.2.1', MOHUR_LOG: 'silent' })
  const { code, err } = await starts(first!)
  assert.deepEqual([code, refused.test(err)], [2, true], err)
  assert.match(err, /^MOHUR_WORLD: .*\.json: the world is not valid:/)
  assert.match((await starts('https://shop.example/notify')).err, /192\.0\.2\.1/)
})

test('a world that names one thing twice is refused in a sentence, which says what', async () => {
  const customer = { mobile: '9876543210', walletBalance: '1.00' }
  const client = { clientId: 'app', clientSecret: 'secret' }
  const promotion = { mid: 'SHOP1', promocode: 'P', flat: '1.00' }
  const key = { clientId: 'C11', key: 'ABCDEFGHIJKLMNOP' }
  const merchants = [{ mid: 'SHOP1' }, { mid: 'SHOP1', name: 'Shop' }]
  for (const [world, what] of [
    [{ merchants }, 'merchant SHOP1'],
    [{ merchants: [{ mid: 'SHOP1', keys: [key, key] }] }, 'merchant SHOP1, key C11'],
    [{ signInClients: [client, client] }, 'sign-in client app'],
    [{ customers: [customer, { mobile: customer.mobile }] }, 'customer 9876543210'],
    [{ merchants: [{ mid: 'SHOP1' }], promotions: [promotion, { ...promotion, flat: '2.00' }] }, 'promotion P of merchant SHOP1'],
  ] as const)
    assert.throws(() => readWorld(world), { message: `the world is not valid:\n  ${what} is named twice` })
  const { code, err } = await mohurCommand(['serve'], { ...named('twice'), MOHUR_WORLD: worldFile({ merchants }), HOST: '192.0.2.1' })
  assert.deepEqual([code, err.includes('the world is not valid:\n  merchant SHOP1 is named twice')], [2, true], err)
})

test('a promotion of an unknown merchant is refused, and one of a merchant of the store or of the same world is not', async () => {
  const promotion = { mid: 'NOBODY', promocode: 'P', flat: '1.00' }
  const starts = async (world: object, environment: Record<string, string>) =>
    mohurCommand(['serve'], { ...environment, MOHUR_WORLD: worldFile(world), HOST: '192.0.2.1', MOHUR_LOG: 'silent' })
  for (const environment of [named('promotion'), production('promotion-production')]) {
    const refused = await starts({ merchants: [{ mid: 'SHOP1' }], promotions: [promotion] }, environment)
    assert.deepEqual([refused.code, /promotion P: no merchant has the mid NOBODY/.test(refused.err)], [2, true], refused.err)
    assert.match((await starts({ merchants: [{ mid: 'NOBODY' }], promotions: [promotion] }, environment)).err, /192\.0\.2\.1/)
    assert.match((await starts({ promotions: [promotion] }, environment)).err, /192\.0\.2\.1/)
  }
})

test('where an acquirer is set production says that it wants MOHUR_PUBLIC_URL, and --help says so before', async () => {
  const { code, err } = await mohurCommand(['serve'], {
    ...production('public'),
    MOHUR_ACQUIRER_URL: 'https://adapter.example',
    MOHUR_ACQUIRER_SECRET: SECRET,
  })
  assert.deepEqual([code, /MOHUR_PUBLIC_URL is needed in production with an acquirer/.test(err)], [2, true], err)
  assert.match((await mohurCommand(['--help'])).out, /Production with an acquirer does not start without it/)
})
