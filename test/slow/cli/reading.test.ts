// Commands that read do nothing else. Files of a store belong to their owner alone.

import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { mohurCommand, serveProcess } from '../../support/run/process.ts'
import { onBothStores } from '../../support/run/service.ts'
import { all, MOHUR_MASTER_KEY, place, production, productionStore, SHOP } from '../../support/store/at-rest.ts'

const reading = (cart: string): readonly (readonly string[])[] => [
  ['merchant', 'list'],
  ['notification', 'list', '--mid', SHOP],
  ['order', 'pending'],
  ['order', 'show', 'NONE'],
  ['promo', 'explain', '--mid', SHOP, '--code', 'NONE', '--cart', cart],
  ['verify'],
]

async function cartIn(at: Record<string, string>): Promise<string> {
  mkdirSync(at['MOHUR_DATA']!, { recursive: true })
  const file = join(at['MOHUR_DATA']!, '..', 'cart.json')
  writeFileSync(
    file,
    JSON.stringify({ paymentOptions: [{ transactionAmount: '100.00', payMethod: 'UPI' }], totalTransactionAmount: '100.00' }),
  )
  return file
}

onBothStores('a command that reads', (store) => {
  test('makes nothing where there is nothing', async () => {
    const at = await place(store)
    for (const command of reading(await cartIn(at))) {
      const { code, err } = await mohurCommand(command, production(at))
      assert.ok(code !== 0 && code !== 1, command.join(' '))
      assert.match(err, /^(there is no database at|the database is empty)[^\n]*\n$/, command.join(' '))
    }
    assert.deepEqual(await all(at), { files: [] })
  })

  describe('on a store that is served', () => {
    let at: Record<string, string>
    before(async () => {
      at = await productionStore(store)
    })

    test('reads it beside the service, and writes nothing', async () => {
      const service = await serveProcess(production(at))
      try {
        const untouched = await all(at)
        const codes: unknown[] = []
        for (const command of reading(await cartIn(at))) codes.push((await mohurCommand(command, production(at))).code)
        assert.deepEqual(codes, [0, 0, 0, 2, 1, 0]) // there is no such order, and no such promotion
        assert.deepEqual(await all(at), untouched)
      } finally {
        await service.kill('SIGTERM')
      }
    })

    test('wants the master key of the database where it shows what is sealed', async () => {
      for (const [key, said] of [
        ['', /^MOHUR_MASTER_KEY is needed in production/],
        [Buffer.alloc(32, 9).toString('base64'), /^the master key is not the one/],
      ] as const) {
        const { code, err } = await mohurCommand(['merchant', 'list'], { ...at, MOHUR_MASTER_KEY: key })
        assert.equal(code, 2)
        assert.match(err, said)
      }
    })

    test('rotate-key says when the new key is taken: within five seconds, and not at once', async () => {
      const { out } = await mohurCommand(['merchant', 'rotate-key', '--mid', SHOP], production(at))
      assert.match(out, /within five seconds/)
      assert.doesNotMatch(out, /at once/)
    })
  })
})

describe('what the embedded store keeps on the disk', () => {
  const modes = (folder: string) =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]))
  const serving = async (at: Record<string, string>, look: (log: string) => void) => {
    const service = await serveProcess({ ...at, MOHUR_LOG: 'info' })
    try {
      look(service.log().toString())
    } finally {
      await service.kill('SIGTERM')
    }
  }

  test("is its owner's alone: the folder, databases, their logs, locks and keys; what was looser is tightened", async () => {
    const at = await place('sqlite')
    const folder = at['MOHUR_DATA']!
    let made: string[] = []
    await serving(at, () => {
      const found = modes(folder)
      made = Object.keys(found)
      assert.deepEqual(new Set(Object.values(found)), new Set(['600']), JSON.stringify(found))
      assert.equal((statSync(folder).mode & 0o777).toString(8), '700')
    })
    for (const name of ['mohur.sqlite', 'mohur.sqlite-wal', 'mohur.sqlite-shm', 'mohur.sqlite.lock', 'bank.sqlite', 'master-key'])
      assert.ok(made.includes(name), name)
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644)
    await serving(at, () => assert.deepEqual(new Set(Object.values(modes(folder))), new Set(['600'])))
  })

  test('may lie in a folder that others look into: it is left as it is, and the log says so', async () => {
    const at = await place('sqlite')
    mkdirSync(at['MOHUR_DATA']!, { mode: 0o755 })
    await serving({ ...at, MOHUR_MASTER_KEY }, (log) =>
      assert.match(log, /others may look into \S+ \(mode 755\): chmod 700 keeps them out/),
    )
    assert.equal(statSync(at['MOHUR_DATA']!).mode & 0o777, 0o755)
  })
})
