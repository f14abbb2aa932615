// Every command that `--help` names, on a production store whose operator forgot MOHUR_MODE. It refuses, or acts as in production, and
// writes only its own tables. On a store of an unreleased version each refuses.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mohurCommand, mohurHere, serveProcess } from '../../support/run/process.ts'
import { onBothStores } from '../../support/run/service.ts'
import { all, MOHUR_MASTER_KEY, production, productionStore, run, SHOP, UNRELEASED, untouched } from '../../support/store/at-rest.ts'

/** The arguments of a command, its exit code, and the tables that it may write. */
interface Called {
  args: readonly string[]
  code: number | 'refused'
  writes?: readonly string[]
  opensNone?: true
}
const called = (cart: string): Readonly<Record<string, Called>> => ({
  serve: { args: [], code: 'refused' },
  migrate: { args: [], code: 0 },
  'checksum doctor': { args: ['--key', 'ABCDEFGHIJKLMNOP', cart], code: 2, opensNone: true }, // nothing in a cart is signed
  openapi: { args: [], code: 0, opensNone: true },
  sign: { args: ['--key', 'ABCDEFGHIJKLMNOP', '{}'], code: 0, opensNone: true },
  'merchant add': { args: ['--mid', 'SHOP2'], code: 0, writes: ['merchants', 'merchant_keys', 'audit_log'] },
  'merchant list': { args: [], code: 0 },
  'merchant rotate-key': { args: ['--mid', SHOP], code: 0, writes: ['merchant_keys', 'merchants', 'events', 'audit_log'] },
  'merchant show': { args: ['--mid', SHOP], code: 0 },
  'merchant set': { args: ['--mid', SHOP, 'fee=1'], code: 0, writes: ['merchants', 'events', 'audit_log'] },
  'merchant disable': { args: ['--mid', SHOP], code: 0, writes: ['merchants', 'events', 'audit_log'] },
  'merchant enable': { args: ['--mid', SHOP], code: 0, writes: ['merchants', 'events', 'audit_log'] },
  'notification list': { args: ['--mid', SHOP], code: 0 },
  'notification resend': { args: ['--mid', SHOP, '--dead'], code: 0 },
  'notification start': { args: ['--mid', SHOP], code: 0 },
  'order show': { args: ['--number', '1'], code: 2 },
  'order pending': { args: [], code: 0 },
  'order ask': { args: ['--number', '1'], code: 2 },
  'mandate simulate': { args: ['--file', cart], code: 2, opensNone: true }, // a cart is no mandate
  'mandate show': { args: ['--mid', SHOP, '--subscription', '1'], code: 2 },
  'mandate close': { args: ['--mid', SHOP, '--subscription', '1'], code: 2, writes: ['audit_log'] },
  approve: { args: [], code: 0 },
  'operator setup': { args: ['--email', 'owner@staff.test'], code: 0, writes: ['operators', 'operator_tokens', 'audit_log'] },
  'operator reset': { args: ['--email', 'nobody@staff.test'], code: 2, writes: ['audit_log'] },
  'operator list': { args: [], code: 0 },
  'sandbox reset': { args: [], code: 2 },
  verify: { args: [], code: 0 },
  'promo explain': { args: ['--mid', SHOP, '--code', 'NONE', '--cart', cart], code: 1 },
  listen: { args: ['--port', 'none'], code: 2, opensNone: true },
  'acquirer check': { args: ['--paid', 'upi:a@b', '--declined', 'upi:c@b'], code: 2, opensNone: true }, // no adapter is named
})

function cartBeside(at: Record<string, string>): string {
  const cart = join(at['MOHUR_DATA']!, '..', 'cart.json')
  writeFileSync(cart, '{"paymentOptions":[{"transactionAmount":"100.00","payMethod":"UPI"}],"totalTransactionAmount":"100.00"}')
  return cart
}

const SENTENCE =
  /^the database was made by an unreleased version of Mohur: export what you need with that version, then start again with an empty folder or database\n$/

onBothStores('a production store without MOHUR_MODE', (store) => {
  test('meets every command of --help: refused, or true to its mode, and nothing is written that should not be', async (t) => {
    const at = await productionStore(store)
    const cart = cartBeside(at)
    const commands = called(cart)

    const help = (await mohurCommand(['--help'])).out
    const names = [...help.matchAll(/^ {2}mohur ([a-z]+(?: [a-z][a-z-]*(?= |$))?)/gm)].map(([, name]) => name!)
    assert.deepEqual(names.toSorted(), Object.keys(commands).toSorted(), 'every command is called, and no other')

    const environment = { ...at, MOHUR_MASTER_KEY, MOHUR_CONSOLE_URL: 'https://staff.shop.example' }
    let refused = 0
    const wrong: string[] = []
    let before = await all(at)
    for (const [name, { args, code, writes = [] }] of Object.entries(commands)) {
      let ended: number | 'refused' | 'served'
      if (name === 'serve') {
        const served = await serveProcess(environment).then(
          (service) => service.kill('SIGTERM').then(() => true),
          () => false,
        )
        ended = served ? 'served' : 'refused'
      } else ended = (await mohurCommand([...name.split(' '), ...args], environment)).code
      if (ended === 'refused' || ended === 2) refused++
      if (ended !== code) wrong.push(`${name} ended with ${ended}`)
      const after = await all(at)
      for (const table of new Set([...Object.keys(before), ...Object.keys(after)]))
        if (JSON.stringify(before[table]) !== JSON.stringify(after[table]) && !writes.includes(table)) wrong.push(`${name} wrote ${table}`)
      before = after
    }
    t.diagnostic(`${names.length} commands: ${refused} refused, ${names.length - refused} true to the mode, wrong ${wrong.length}`)
    assert.deepEqual(wrong, [])
    const nowhere = await mohurCommand(['operator', 'setup', '--email', 'other@staff.test'], { ...at, MOHUR_MASTER_KEY })
    assert.equal(nowhere.code, 2, 'no link leads to a console that is not there')
    const merchants = (await all(at))['merchants'] as { mid: string; signed_modify: string }[]
    assert.deepEqual(
      merchants.map(({ mid, signed_modify }) => [mid, signed_modify]),
      [
        [SHOP, 'amount'],
        ['SHOP2', 'amount'],
      ],
    )
  })

  for (const [which, statements] of Object.entries(UNRELEASED))
    test(`a store of an unreleased version, ${which}, is refused by every command that opens one, and not a byte of it is changed`, async () => {
      const at = await productionStore(store)
      await run(at, ...statements)
      const cart = cartBeside(at)
      const environment = { ...production(at), MOHUR_CONSOLE_URL: 'https://staff.shop.example' }
      const before = await untouched(at)
      for (const [name, { args, opensNone }] of Object.entries(called(cart))) {
        if (opensNone) continue
        const { code, out, err } = await mohurHere([...name.split(' '), ...args], environment)
        assert.deepEqual([code, out], [65, ''], `${name}: ${err}`)
        assert.match(err, SENTENCE, name)
        assert.deepEqual(await untouched(at), before, name)
      }
      await assert.rejects(serveProcess(environment), /the service ended with 65: the database was made by an unreleased version/)
      assert.deepEqual(await untouched(at), before)
    })
})
