// Every command that `--help` names, on a production store, where somebody forgot MOHUR_MODE: it refuses, or it does what
// production does; and it writes what it is for, and nothing else.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mohurCommand, serveProcess } from '../../support/run/process.ts'
import { onBothStores } from '../../support/run/service.ts'
import { all, MOHUR_MASTER_KEY, productionStore, SHOP } from '../../support/store/at-rest.ts'

/** How each is called, how it ends, and which tables it may write to. */
interface Called {
  args: readonly string[]
  code: number | 'refused'
  writes?: readonly string[]
}
const called = (cart: string): Readonly<Record<string, Called>> => ({
  serve: { args: [], code: 'refused' },
  migrate: { args: [], code: 0 },
  'checksum doctor': { args: ['--key', 'ABCDEFGHIJKLMNOP', cart], code: 2 }, // nothing in a cart is signed; it opens no store
  openapi: { args: [], code: 0 }, // it opens no store
  sign: { args: ['--key', 'ABCDEFGHIJKLMNOP', '{}'], code: 0 },
  'merchant add': { args: ['--mid', 'SHOP2'], code: 0, writes: ['merchants', 'merchant_keys'] },
  'merchant list': { args: [], code: 0 },
  'merchant rotate-key': { args: ['--mid', SHOP], code: 0, writes: ['merchant_keys'] },
  'merchant show': { args: ['--mid', SHOP], code: 0 },
  'merchant set': { args: ['--mid', SHOP, 'fee=1'], code: 0, writes: ['merchants', 'events'] },
  'merchant disable': { args: ['--mid', SHOP], code: 0, writes: ['merchants', 'events'] },
  'merchant enable': { args: ['--mid', SHOP], code: 0, writes: ['merchants', 'events'] },
  'notification list': { args: ['--mid', SHOP], code: 0 },
  'notification resend': { args: ['--mid', SHOP, '--dead'], code: 0 },
  'notification start': { args: ['--mid', SHOP], code: 0 },
  'order show': { args: ['--number', '1'], code: 2 },
  'order pending': { args: [], code: 0 },
  'order ask': { args: ['--number', '1'], code: 2 },
  'mandate simulate': { args: ['--file', cart], code: 2 }, // a cart is no mandate; it opens no store
  'mandate show': { args: ['--mid', SHOP, '--subscription', '1'], code: 2 },
  'mandate close': { args: ['--mid', SHOP, '--subscription', '1'], code: 2 },
  'operator setup': { args: ['--email', 'owner@staff.test'], code: 0, writes: ['operators', 'operator_tokens', 'audit_log'] },
  'operator reset': { args: ['--email', 'nobody@staff.test'], code: 2 },
  'operator list': { args: [], code: 0 },
  'sandbox reset': { args: [], code: 2 },
  verify: { args: [], code: 0 },
  'promo explain': { args: ['--mid', SHOP, '--code', 'NONE', '--cart', cart], code: 1 },
  listen: { args: ['--port', 'none'], code: 2 },
  'acquirer check': { args: ['--paid', 'upi:a@b', '--declined', 'upi:c@b'], code: 2 }, // no adapter is named; it opens no store
})

onBothStores('a production store without MOHUR_MODE', (store) => {
  test('meets every command of --help: refused, or true to its mode, and nothing is written that should not be', async (t) => {
    const at = await productionStore(store)
    const cart = join(at['MOHUR_DATA']!, '..', 'cart.json')
    writeFileSync(cart, '{"paymentOptions":[{"transactionAmount":"100.00","payMethod":"UPI"}],"totalTransactionAmount":"100.00"}')
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
})
