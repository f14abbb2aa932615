// A store keeps the mode in which it was made: a production store is never served with the sandbox's published key, bank and clock.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { mohurCommand, serveProcess } from '../../../support/run/process.ts'
import { onBothStores } from '../../../support/run/service.ts'
import { all, MOHUR_MASTER_KEY, place, production, productionStore, run } from '../../../support/store/at-rest.ts'

/** The message with which `serve` refuses. A service that starts is stopped, and the test fails. */
async function refusedToServe(environment: Record<string, string>): Promise<string> {
  let service: Awaited<ReturnType<typeof serveProcess>>
  try {
    service = await serveProcess(environment)
  } catch (error) {
    return (error as Error).message
  }
  await service.kill('SIGTERM')
  return assert.fail('it was served')
}

async function serves(environment: Record<string, string>) {
  await (await serveProcess(environment)).kill('SIGTERM')
}

onBothStores('the mode of a store', (store) => {
  describe('a store that was made in production', () => {
    let at: Record<string, string>
    before(async () => {
      at = await productionStore(store)
    })

    test('is not served as a sandbox, and an attempt writes and makes nothing', async () => {
      const untouched = await all(at)
      for (const key of [{ MOHUR_MASTER_KEY }, {}]) {
        const said = await refusedToServe({ ...at, ...key })
        assert.match(said, /ended with 2: this store has the mode production, and MOHUR_MODE is sandbox/)
        assert.deepEqual(await all(at), untouched)
      }
      await serves(production(at))
    })

    test('is production to every command, whatever MOHUR_MODE says', async () => {
      const merchant = (...args: string[]) => mohurCommand(['merchant', ...args], { ...at, MOHUR_MASTER_KEY })
      assert.equal((await merchant('add', '--mid', 'SHOP2')).code, 0)
      assert.match((await merchant('list')).out, /SHOP2\t.*signedModify=amount/)
      const keyless = await mohurCommand(['merchant', 'add', '--mid', 'SHOP3'], at)
      assert.deepEqual([keyless.code, /MOHUR_MASTER_KEY is needed/.test(keyless.err)], [2, true], keyless.err)
      assert.ok(!((await all(at))['files'] as string[]).includes('master-key'))
    })
  })

  test('a sandbox is not served as production', async () => {
    const at = await place(store)
    await serves({ ...at, MOHUR_MASTER_KEY })
    const untouched = await all(at)
    assert.match(await refusedToServe(production(at)), /has the mode sandbox, and MOHUR_MODE is production/)
    assert.deepEqual(await all(at), untouched)
  })

  test('an empty store takes the mode that it is first opened in', async () => {
    for (const mode of ['sandbox', 'production']) {
      const at = await place(store)
      assert.equal((await mohurCommand(['migrate'], { ...production(at), MOHUR_MODE: mode })).code, 0)
      assert.equal((await run(at, "select value from settings where name = 'mode'"))[0]!['value'], mode)
    }
  })
})
