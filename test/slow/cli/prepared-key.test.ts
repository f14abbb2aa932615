// `mohur merchant rotate-key` in steps, and the lines of `merchant show` about every change of a merchant: docs/operating/rotate-a-key.md.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mohurHere, serveProcess } from '../../support/run/process.ts'
import { onBothStores } from '../../support/run/service.ts'
import { production, productionStore, SHOP } from '../../support/store/at-rest.ts'

onBothStores('rotate-key in steps', (store) => {
  test('prints the prepared key once, and refuses by name what cannot be done; `show` has each change and no key', async () => {
    const at = production(await productionStore(store))
    const made: string[] = []
    const rotate = async (...options: string[]) => {
      const { code, out, err } = await mohurHere(['merchant', 'rotate-key', SHOP, ...options], at)
      const key = /^key (\S+)$/m.exec(out)?.[1]
      if (key) made.push(key)
      return { code, says: out + err, hasKey: key !== undefined }
    }
    const refused = async (says: RegExp, ...options: string[]) => {
      const answer = await rotate(...options)
      assert.deepEqual([answer.code, answer.hasKey], [2, false], answer.says)
      assert.match(answer.says, says)
      for (const key of made) assert.ok(!answer.says.includes(key))
    }
    const done = async (says: RegExp, hasKey: boolean, ...options: string[]) => {
      const answer = await rotate(...options)
      assert.deepEqual([answer.code, answer.hasKey], [0, hasKey], answer.says)
      assert.match(answer.says, says)
    }
    const show = async () => (await mohurHere(['merchant', 'show', SHOP], at)).out

    await refused(/no key is prepared/, '--activate')
    await refused(/no key is prepared/, '--drop')
    for (const options of [
      ['--prepare', '--activate'],
      ['--activate', '--drop'],
    ])
      await refused(/three steps/, ...options)
    for (const step of ['--prepare', '--drop']) await refused(/--now does not go with/, step, '--now')
    await done(/accepts it within five seconds/, true, '--prepare')
    assert.match(
      await show(),
      /^key C11, number 1, signs; not seen yet, 0 wrong signatures since it began to sign\nkey C11, number 2, prepared: accepted, does not sign; not seen yet$/m,
    )
    await refused(/prepared already/, '--prepare')
    await refused(/a key is prepared/)
    await done(/no running process accepts it/, false, '--drop')
    await done(/accepts it/, true, '--prepare')
    await done(/takes the old key for another day/, false, '--activate')
    assert.match(await show(), /^key C11, number 3, signs;/m)
    await done(/no older one from then on/, true, '--now')
    await done(/accepts it/, true, '--prepare')
    await done(/takes no older one/, false, '--activate', '--now')
    await done(/the old one for another day/, true)
    const shown = await show()
    const history = [...shown.matchAll(/^\S+ \S+ +(key\S+) +command +(\S+)$/gm)].map(([, what, key]) => `${what} ${key}`)
    assert.deepEqual(history, [
      ...['key-prepared C11/2', 'key-dropped C11/2', 'key-prepared C11/3', 'key-activated C11/3', 'keys-ended C11/4'],
      ...['key-prepared C11/5', 'key-activated C11/5', 'key-rotated C11/6'],
    ])
    for (const key of made) assert.ok(!shown.includes(key))
    assert.equal((await mohurHere(['verify'], at)).code, 0)
  })

  test('`show` has what a world file changed, and a start that changes nothing adds no line', async () => {
    const place = await productionStore(store)
    const at = production(place)
    const file = join(place['MOHUR_DATA']!, '..', 'world.json')
    const start = async (merchant: object) => {
      writeFileSync(file, JSON.stringify({ merchants: [{ mid: SHOP, ...merchant }] }))
      const service = await serveProcess({ ...at, MOHUR_WORLD: file })
      await service.kill('SIGTERM')
    }
    const changed = { name: 'Another', keys: [{ clientId: 'C11', key: 'FROMFILEFROMFILE' }] }
    for (const merchant of [changed, changed]) await start(merchant)
    const { out } = await mohurHere(['merchant', 'show', SHOP], at)
    const history = [...out.matchAll(/^\S+ \S+ +(changed) +world file +(.*)$/gm)].map(([, what, settings]) => `${what} ${settings}`)
    assert.deepEqual(history, ['changed C11/1 name'])
    assert.equal((await mohurHere(['verify'], at)).code, 0)
  })
})
