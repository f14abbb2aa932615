// What rotation promises (docs/interface.md section 4.20). A token has one live successor, a lost answer is repeated, and a copy is
// detected. A family ends as a whole, whichever of its tokens arrives.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refreshToken as operation } from '../../../src/domain/signin/refresh-token.ts'
import { find, lock, type Row } from '../../../src/tables/tables.ts'
import { initiate, LIST, subscription } from '../../support/mandates/subscription.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { MID, onBothStores, type Service, sharedService, startService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { signInWorld } from '../../support/signin/signin.ts'
import { assertFamilies, details, errorOf, familyOf, refresh, refreshed, revoke, signIn, type Tokens } from '../../support/signin/tokens.ts'
import { commitUnknown, type Faults, withFaults } from '../../support/store/faults.ts'
import { newEngine, openStore } from '../../support/store/stores.ts'
import { Random } from '../../support/text/random.ts'

const MINUTE = 60_000
const ROUNDS = sized(4, 12)
const DAY = 24 * 60 * MINUTE
const times = <T>(count: number, one: (at: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, at) => one(at)))

onBothStores('refreshing', (store) => {
  const service = sharedService(store, { world: signInWorld })

  test('gives an access token and a successor, and leaves the access token before as it was', async () => {
    const running = await service()
    const first = await signIn(running, '9876541001', { scopes: ['profile'] })
    const reply = await refresh(running, first.refreshToken)
    const { accessToken, refreshToken, ...rest } = reply.body
    assert.deepEqual(rest, { scope: 'profile', tokenType: 'BEARER', expiresIn: String(running.clock.now() + DAY) })
    assert.match(accessToken, /^mohur_sso_[\w-]{43}$/)
    assert.match(refreshToken, /^mohur_rt_[\w-]{43}$/)
    for (const token of [first.ssoToken, accessToken]) assert.equal((await details(running, token)).body.mobile, '9876541001')
    const { events, tokens } = await familyOf(running, accessToken)
    assert.deepEqual(events, ['1 signin.completed', '2 signin.refreshed'])
    assert.deepEqual(
      tokens.map(({ generation, usedAt }) => [generation, usedAt !== null]),
      [
        [1, true],
        [2, false],
      ],
    )
  })

  test('knows the device again in JSON that the header named in any script', async () => {
    const running = await service()
    for (const [phone, name] of [
      ['9876541050', 'Priya’s फ़ोन'],
      ['9876541051', 'Café à'], // its last byte by itself is a space that does not break
    ] as const) {
      const device = Buffer.from(name).toString('latin1') // as its bytes go into a header
      const { refreshToken } = await signIn(running, phone, { device })
      assert.equal((await refresh(running, refreshToken, { device: name })).status, 200, name)
    }
  })

  test('a hundred times at once is one successor, which every reply has', async (t) => {
    const running = await service()
    const { refreshToken, ssoToken } = await signIn(running, '9876541002')
    const replies = await times(100, () => refresh(running, refreshToken))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const successors = new Set(replies.map(({ text }) => text))
    const { family, tokens, ssoTokens } = await familyOf(running, ssoToken)
    const live = tokens.filter(({ usedAt }) => usedAt === null)
    t.diagnostic(`${store}: 100 answers, ${successors.size} successor, ${live.length} live refresh token, family ${family.status}`)
    assert.deepEqual([successors.size, live.length, tokens.length, ssoTokens.length, family.version], [1, 1, 2, 2, 2])
  })

  test('a hundred times at once after the successor was used ends the family once', async (t) => {
    const running = await service()
    const first = await signIn(running, '9876541003')
    const second = await refreshed(running, first.refreshToken)
    const third = await refreshed(running, second.refreshToken)
    const errors = await times(100, () => errorOf(refresh(running, first.refreshToken)))
    assert.deepEqual(new Set(errors), new Set(['400 BE1422001']))
    const { family, tokens, ssoTokens, events } = await familyOf(running, first.ssoToken)
    t.diagnostic(
      `${store}: 100 refusals, family ${family.status}, ${ssoTokens.filter((token) => token.revokedAt === null).length} SSO tokens left`,
    )
    assert.equal(family.status, 'REVOKED')
    assert.deepEqual(events.slice(3), ['4 signin.revoked'])
    assert.ok(ssoTokens.every(({ revokedAt }) => revokedAt !== null))
    assert.equal(tokens.length, 3)
    assert.equal(await errorOf(refresh(running, third.refreshToken)), '400 BE1422001')
    for (const { ssoToken } of [first, second, third]) assert.equal((await details(running, ssoToken)).body.responseCode, '530')
  })

  test('a lost answer is given again for a minute, and after it the same request ends the family', async () => {
    const running = await service()
    const first = await signIn(running, '9876541004')
    const heard = await refresh(running, first.refreshToken)
    running.clock.advance(MINUTE - 1)
    assert.equal((await refresh(running, first.refreshToken)).text, heard.text)
    running.clock.advance(1)
    assert.equal(await errorOf(refresh(running, first.refreshToken)), '400 BE1422001')
    assert.equal(await errorOf(refresh(running, heard.body.refreshToken)), '400 BE1422001')
  })

  test('a used token from another client or device gets nothing and ends nothing', async () => {
    const running = await service()
    const first = await signIn(running, '9876541005')
    const second = await refreshed(running, first.refreshToken)
    const third = await refreshed(running, second.refreshToken)
    assert.equal(await errorOf(refresh(running, first.refreshToken, { device: 'device-2' })), '400 BE1423013')
    assert.equal(await errorOf(refresh(running, first.refreshToken, { client: ['other-app', 'other-secret'] })), '400 BE1423011')
    assert.equal(await errorOf(refresh(running, third.refreshToken)), '200')
  })

  test('renewing does not make a family live longer', async () => {
    const running = await service()
    let { refreshToken, ssoToken } = await signIn(running, '9876541006')
    for (let at = 0; at < 3; at++) {
      running.clock.advance(9 * DAY)
      ;({ refreshToken, ssoToken } = await refreshed(running, refreshToken))
    }
    const { tokens } = await familyOf(running, ssoToken)
    assert.equal(new Set(tokens.map(({ expiresAt }) => expiresAt)).size, 1)
    running.clock.advance(3 * DAY - 1)
    ;({ refreshToken } = await refreshed(running, refreshToken))
    running.clock.advance(1)
    assert.equal(await errorOf(refresh(running, refreshToken)), '400 BE1422001')
  })

  test('a family has twenty SSO tokens at once, and the oldest leaves for the next', async () => {
    const running = await service()
    let tokens = await signIn(running, '9876541007')
    const given = [tokens.ssoToken]
    for (let at = 0; at < 21; at++) {
      tokens = await refreshed(running, tokens.refreshToken)
      given.push(tokens.ssoToken)
    }
    const valid = await Promise.all(given.map(async (token) => (await details(running, token)).body.mobile === '9876541007'))
    assert.deepEqual(valid, [false, false, ...Array<boolean>(20).fill(true)])
    assert.equal((await revoke(running, given[0]!)).status, 200)
    for (const token of given) assert.equal((await details(running, token)).body.responseCode, '530')
  })
})

onBothStores('a family that has ended', (store) => {
  const service = sharedService(store, { world: signInWorld })

  test('is refused wherever one of its SSO tokens arrives', async () => {
    const running = await service()
    const tokens = await signIn(running, '9876541008')
    const { ssoToken } = await refreshed(running, tokens.refreshToken)
    assert.deepEqual(await accepted(running, ssoToken, 'BEFORE'), { list: '3006', subscription: '0000', order: true, details: true })
    assert.equal((await revoke(running, tokens.ssoToken)).status, 200)
    assert.deepEqual(await accepted(running, ssoToken, 'AFTER'), { list: '400', subscription: '2004', order: false, details: false })
  })
})

/** The reply of each operation that takes an SSO token. */
async function accepted(running: Service, ssoToken: string, id: string) {
  const withToken = subscription(`S-${id}`, { userInfo: { custId: 'CUST', svcSsoToken: ssoToken } })
  const initiated = await initiate(running, withToken)
  const listed = await running.signed(LIST, { mid: MID, custId: 'CUST' }, { head: { tokenType: 'SSO', token: ssoToken } })
  const body = orderBody(`O-${id}`, { requestType: 'Payment', userInfo: { custId: 'CUST' }, paytmSsoToken: ssoToken })
  const order = await running.signed(`/theia/api/v1/initiateTransaction?mid=${MID}&orderId=O-${id}`, body)
  return {
    list: listed.body.resultInfo.code,
    subscription: initiated.body.resultInfo.resultCode,
    order: order.body.authenticated,
    details: (await details(running, ssoToken)).body.mobile !== undefined,
  }
}

onBothStores('a crash while refreshing', (store) => {
  test('between the commit and the answer: the old token, sent again, gets the successor that was made', async (t) => {
    let faults: Faults | undefined
    const exits: number[] = []
    const running = await startService(store, {
      world: signInWorld,
      exit: (code) => exits.push(code),
      store(real) {
        faults = withFaults(real)
        return faults.store
      },
    })
    try {
      const { refreshToken, ssoToken } = await signIn(running, '9876541101')
      faults!.fail('after commit', commitUnknown())
      assert.equal(await errorOf(refresh(running, refreshToken)), '503 BE1426003')
      const made = (await familyOf(running, ssoToken)).tokens[1]!
      const again = await refresh(running, refreshToken)
      const same = running.ports.vault.hash('refreshToken', again.body.refreshToken) === made.tokenHash
      const { tokens, family } = await familyOf(running, ssoToken)
      t.diagnostic(`${store}: retry ${again.status}, the same successor: ${same}, ${tokens.length} tokens, family ${family.status}`)
      assert.deepEqual([again.status, same, tokens.length, family.status], [200, true, 2, 'ACTIVE'])
      assert.equal((await details(running, again.body.accessToken)).body.mobile, '9876541101')
      assert.equal(await errorOf(refresh(running, again.body.refreshToken)), '200')
      await assertFamilies(running)
    } finally {
      await running.close()
    }
    assert.ok(exits.every((code) => code === 70))
  })

  test('whatever is lost, repeated, copied or crashes, every family keeps its promises', async (t) => {
    const seed = 20_261_120
    const random = new Random(seed)
    let faults: Faults | undefined
    const running = await startService(store, {
      world: signInWorld,
      exit: () => {},
      store(real) {
        faults = withFaults(real)
        return faults.store
      },
    })
    const counts: Record<string, number> = {}
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const first = await signIn(running, `98765412${String(round).padStart(2, '0')}`)
        const model = new FamilyModel(first, running.clock.now())
        for (let step = 0; step < 25; step++) {
          const action = random.pick([
            'refresh',
            'refresh',
            'refresh',
            'repeat',
            'repeat',
            'old',
            'wait',
            'crash before',
            'crash after',
          ] as const)
          counts[action] = (counts[action] ?? 0) + 1
          await act(action, model)
        }
        const { family } = await familyOf(running, first.ssoToken)
        assert.equal(family.status, model.revoked ? 'REVOKED' : 'ACTIVE', `seed ${seed}, round ${round}`)
        const outcome = `ended ${family.status}`
        counts[outcome] = (counts[outcome] ?? 0) + 1
      }
      await assertFamilies(running)
    } finally {
      await running.close()
    }
    t.diagnostic(`${store}, seed ${seed}: ${JSON.stringify(counts)}`)

    async function act(action: string, model: FamilyModel) {
      const now = () => running.clock.now()
      if (action === 'wait') {
        running.clock.advance(random.pick([1, 20_000, MINUTE - 1, MINUTE]))
        await running.tasks.runDue() // rows that are overdue are removed before the next fault is planned
        return
      }
      const at = action === 'old' ? random.below(model.tokens.length) : model.tokens.length - (action === 'repeat' ? 2 : 1)
      if (at < 0) return
      if (action === 'crash before') faults!.fail('commit', commitUnknown())
      if (action === 'crash after') faults!.fail('after commit', commitUnknown())
      const expected = model.expected(at, now())
      const reply = await refresh(running, model.tokens[at]!.refreshToken)
      if (action.startsWith('crash')) assert.equal(reply.status, 503)
      else assert.equal(reply.status, expected === 'refused' ? 400 : 200, `seed ${seed}: ${action} ${at} of ${model.tokens.length}`)
      if (action === 'crash before') return
      model.happened(at, expected, now(), { ssoToken: reply.body.accessToken, refreshToken: reply.body.refreshToken })
      // The caller got no answer. Such a caller next asks again.
      if (action !== 'crash after' || expected === 'refused') return
      const again = await refresh(running, model.tokens[at]!.refreshToken)
      assert.equal(again.status, 200)
      model.tokens[model.tokens.length - 1] = { ...model.tokens.at(-1)!, refreshToken: again.body.refreshToken }
    }
  })
})

/** The expected state of a family, computed in another way than the decision does. */
class FamilyModel {
  readonly tokens: { refreshToken: string; usedAt: number | undefined }[]
  readonly expiresAt: number
  revoked = false

  constructor({ refreshToken }: Tokens, now: number) {
    this.tokens = [{ refreshToken, usedAt: undefined }]
    this.expiresAt = now + 30 * DAY
  }

  expected(at: number, now: number): 'rotated' | 'again' | 'refused' {
    if (this.revoked || now >= this.expiresAt) return 'refused'
    if (at === this.tokens.length - 1) return 'rotated'
    return at === this.tokens.length - 2 && now - this.tokens[at]!.usedAt! < MINUTE ? 'again' : 'refused'
  }

  happened(at: number, what: ReturnType<FamilyModel['expected']>, now: number, given: Tokens) {
    if (what === 'refused') this.revoked ||= now < this.expiresAt
    if (what === 'again') assert.equal(given.refreshToken, this.tokens[at + 1]!.refreshToken)
    if (what !== 'rotated') return
    this.tokens[at]!.usedAt = now
    this.tokens.push({ refreshToken: given.refreshToken, usedAt: undefined })
  }
}

onBothStores('refreshing in two processes', (name) => {
  test('the same token, a hundred times at once from both, has one successor; an old one ends the family once', async (t) => {
    const first = await openStore(name)
    const stores = [first, ...(name === 'postgres' ? [await openStore(name, first.place)] : [])]
    const engines = stores.map(({ store }) => newEngine(store))
    await first.store.transaction((transaction) => transaction.write({ changes: [...rowsOfASignIn()], events: [], tasks: [] }))
    const submit = (tokenHash: string, at: number, now: number) =>
      engines[at % engines.length]!.submit(operation, {
        tokenHash,
        caller: { clientId: 'app', deviceHash: 'device' },
        limits: { ssoValidityMs: DAY },
        now,
        fresh: {
          ssoToken: `S${at} of ${tokenHash}`,
          ssoTokenHash: `s${at} of ${tokenHash}`,
          refreshToken: `R${at}`,
          refreshTokenHash: `r${at}`,
        },
      })
    const replies = await times(100, (at) => submit('r', at, 1_000))
    const given = new Set(replies.map(({ body }) => JSON.stringify(body)))
    const tokens = () => first.store.query.rows(find('refreshTokens', { orderBy: ['generation'], limit: 9 }))
    assert.deepEqual([given.size, (await tokens()).length], [1, 2])
    const codes = (await times(100, (at) => submit('r', 100 + at, 1_000 + MINUTE))).map(({ result }) => result.name)
    assert.deepEqual(new Set(codes), new Set(['notRefreshable']))
    const [family] = await first.store.query.rows(find('tokenFamilies', { limit: 2 }))
    const ssoTokens = await first.store.query.rows(find('ssoTokens', { limit: 9 }))
    const events = await first.store.query.rows(find('events', { orderBy: ['version'], limit: 9 }))
    t.diagnostic(
      `${name}, ${engines.length} engine(s): ${given.size} successor of 100 refreshes; family ${family!.status} once of 100 reuses`,
    )
    assert.deepEqual([family!.status, family!.version, ssoTokens.length], ['REVOKED', 3, 2])
    assert.ok(ssoTokens.every(({ revokedAt }) => revokedAt === 1_000 + MINUTE))
    assert.deepEqual(
      events.map(({ type, data }) => [type, data]),
      [
        ['signin.refreshed', {}],
        ['signin.revoked', { reason: 'reuse' }],
      ],
    )
    await Promise.all(stores.map((open) => open.close()))
  })
})

function rowsOfASignIn() {
  const shared = { familyId: 'f', clientId: 'app', userId: 'u', mobile: '9876541301', scopes: ['profile'] }
  const family: Row<'tokenFamilies'> = {
    ...shared,
    version: 1,
    status: 'ACTIVE',
    stateTokenHash: 'state',
    deviceHash: 'device',
    createdAt: 1,
    ssoTokens: [{ tokenHash: 's', expiresAt: DAY }],
    updatedAt: 0,
  }
  const sso: Row<'ssoTokens'> = { ...shared, tokenHash: 's', issuedAt: 1, expiresAt: DAY, revokedAt: null }
  const refreshToken: Row<'refreshTokens'> = {
    tokenHash: 'r',
    familyId: 'f',
    generation: 1,
    issuedAt: 1,
    expiresAt: 30 * DAY,
    usedAt: null,
    successor: null,
    successorUntil: null,
  }
  const client: Row<'signInClients'> = { clientId: 'app', secretHash: '', scopes: ['profile'] }
  return [
    { kind: 'insert', key: lock('signInClients', 'app'), row: client },
    { kind: 'insert', key: lock('tokenFamilies', 'f'), row: family },
    { kind: 'insert', key: lock('ssoTokens', 's'), row: sso },
    { kind: 'insert', key: lock('refreshTokens', 'r'), row: refreshToken },
  ] as const
}
