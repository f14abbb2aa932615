// Pausing, resuming and closing mandates from the console: a proof first, and each once. Over HTTP.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { changeMerchant } from '../../src/domain/merchant/change-merchant.ts'
import { endOrPauseSubscription } from '../../src/domain/subscription/end-or-pause.ts'
import { find, look } from '../../src/tables/tables.ts'
import { ask, type Person, personOf } from '../support/console/desk.ts'
import { consented } from '../support/mandates/timeline.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'
import { assertHolds } from '../support/store/verify.ts'

const REASON = 'their shop is closed'
const PROOF_MS = 5 * 60_000

onBothStores('mandates in the console', (store) => {
  let service: Service
  let staff: Person
  before(async () => {
    service = await startService(store)
    staff = await personOf(service, ['operations'])
  })
  after(async () => {
    await assertHolds(service)
    await service.close()
  })

  let mandates = 0
  const mandate = async () => (await consented(service, `MANDATE_${++mandates}`, { renewalAmount: '10.00' })).subscriptionId
  const at = (id: string) => `/console/subscriptions/${MID}/${id}`
  const see = (path: string, person = staff) => ask(service, path, { cookie: person.cookie })
  const post = (path: string, form: Record<string, string>, person = staff) =>
    ask(service, path, { cookie: person.cookie, form: { reason: REASON, ...form, token: person.token } })
  async function formOn(path: string) {
    const { status, text } = await see(path)
    assert.equal(status, 200, text)
    const form = new RegExp(`<form[^>]* action="${path}">(.*?)</form>`, 's').exec(text)![1]!
    return Object.fromEntries([...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]))
  }
  const stateOf = async (id: string) => {
    const { status, subStatus } = (await service.ports.query.row(look('subscriptions', MID, id)))!
    return `${status} ${subStatus}`
  }
  const rowsOf = async (id: string) => {
    const equals = { subject: `subscription:${id}`, mid: MID }
    const rows = await service.ports.query.rows(find('auditLog', { equals, orderBy: ['auditId'], limit: 100 }))
    return rows.map(({ operatorId, action, outcome, reason }) => {
      assert.deepEqual([operatorId, reason], [staff.operatorId, REASON])
      return `${action} ${outcome}`
    })
  }
  const linksOn = ({ text }: { text: string }) => [...text.matchAll(/href="[^"]*\/(pause|resume|close)">/g)].map(([, word]) => word)

  test('a mandate is paused, resumed and closed, in the merchant’s name and by the operator', async () => {
    const id = await mandate()
    assert.deepEqual(linksOn(await see(at(id))), ['pause', 'close'])
    const paused = await post(`${at(id)}/pause`, await formOn(`${at(id)}/pause`))
    assert.deepEqual([paused.status, paused.location], [303, `${at(id)}?did=mandatePaused`])
    assert.equal(await stateOf(id), 'SUSPENDED MERCHANT_PAUSED')
    const page = await see(`${at(id)}?did=mandatePaused`)
    assert.match(page.text, /role="status">The mandate is paused\./)
    assert.deepEqual(linksOn(page), ['resume', 'close'])
    const resumed = await post(`${at(id)}/resume`, await formOn(`${at(id)}/resume`))
    assert.deepEqual([resumed.status, await stateOf(id)], [303, 'ACTIVE ACTIVE'])
    const closed = await post(`${at(id)}/close`, await formOn(`${at(id)}/close`))
    assert.equal(closed.status, 303)
    assert.match(await stateOf(id), /^CLOSED /)
    assert.deepEqual(linksOn(await see(at(id))), [])
    assert.deepEqual(await rowsOf(id), ['mandate.pause success', 'mandate.resume success', 'mandate.close moved'])
  })

  test('a form that is sent twice moves the mandate once', async () => {
    const id = await mandate()
    for (const word of ['pause', 'resume', 'close']) {
      const form = await formOn(`${at(id)}/${word}`)
      const answers = await Promise.all([1, 2, 3].map(() => post(`${at(id)}/${word}`, form)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 409, 409], word)
      assert.match(answers.find(({ status }) => status === 409)!.text, /The mandate is now: /)
    }
    const moves = await service.ports.query.rows(find('events', { equals: { owner: MID, aggregate: 'subscription', id }, limit: 99 }))
    const own = moves.map(({ type }) => type).filter((type) => /paused|resumed|closed/.test(type))
    assert.deepEqual(own, ['subscription.paused', 'subscription.resumed', 'subscription.closed'])
    assert.equal((await rowsOf(id)).length, 9)
  })

  test('a mandate that its payer has ended or paused meanwhile is left as it is', async () => {
    const id = await mandate()
    const forms = { pause: await formOn(`${at(id)}/pause`), close: await formOn(`${at(id)}/close`) }
    const payer = (move: 'pauseByPayer' | 'revoke') => {
      const { reference } = service.ports
      return service.ports.engine.submit(endOrPauseSubscription, {
        mid: MID,
        subscriptionId: id,
        move,
        reference,
        now: service.clock.now(),
      })
    }
    await payer('pauseByPayer')
    const paused = await post(`${at(id)}/pause`, forms.pause)
    assert.equal(paused.status, 409)
    assert.match(paused.text, /The mandate is now: <span class="state wait">suspended<\/span> \(user paused\)\./)
    assert.equal((await see(`${at(id)}/resume`)).status, 409, 'only the payer may lift their pause')
    assert.deepEqual(linksOn(await see(at(id))), ['close'])
    await payer('revoke')
    for (const [word, form] of Object.entries(forms)) {
      const ended = await post(`${at(id)}/${word}`, form)
      assert.equal(ended.status, 409)
      assert.match(ended.text, /The mandate is now: <span class="state bad">reject<\/span> \(user cancelled\)\./)
    }
    assert.deepEqual(await rowsOf(id), ['mandate.pause changed', 'mandate.pause notActive', 'mandate.close cannot'])
  })

  test('a merchant that was disabled meanwhile is named', async () => {
    const id = await mandate()
    const forms = { pause: await formOn(`${at(id)}/pause`), close: await formOn(`${at(id)}/close`) }
    const set = (status: 'ACTIVE' | 'DISABLED') =>
      service.ports.engine.submit(changeMerchant, { mid: MID, settings: { status }, by: 'command', now: service.clock.now() })
    await set('DISABLED')
    for (const [word, form] of Object.entries(forms)) {
      const refused = await post(`${at(id)}/${word}`, form)
      assert.deepEqual([refused.status, await stateOf(id)], [409, 'ACTIVE ACTIVE'])
      assert.match(refused.text, /The merchant is disabled\./)
    }
    assert.equal((await post(`${at(id)}/pause`, await formOn(`${at(id)}/pause`))).status, 303)
    const resume = await formOn(`${at(id)}/resume`)
    await set('ACTIVE')
    const refused = await post(`${at(id)}/resume`, resume)
    assert.deepEqual([refused.status, await stateOf(id)], [409, 'SUSPENDED MERCHANT_PAUSED'])
    assert.match(refused.text, /The merchant is enabled\./)
    assert.deepEqual(await rowsOf(id), [
      'mandate.pause disabled',
      'mandate.close disabled',
      'mandate.pause success',
      'mandate.resume enabled',
    ])
  })

  test('the proof comes before the form, and a form whose proof has ended changes nothing', async () => {
    const id = await mandate()
    const form = await formOn(`${at(id)}/pause`)
    const late = await personOf(service, ['operations'])
    service.clock.set(PROOF_MS + 1_000)
    const asked = await see(`${at(id)}/pause`, late)
    assert.deepEqual([asked.status, asked.location], [303, `/console/step-up?next=${encodeURIComponent(`${at(id)}/pause`)}`])
    const sent = await ask(service, `${at(id)}/pause`, {
      ...{ cookie: late.cookie, form: { token: late.token, reason: REASON, ...form } },
      headers: { referer: `${service.url}${at(id)}/pause` },
    })
    assert.deepEqual([sent.status, sent.location], [303, `/console/step-up?next=${encodeURIComponent(`${at(id)}/pause`)}`])
    assert.deepEqual([await stateOf(id), await rowsOf(id)], ['ACTIVE ACTIVE', []])
    service.clock.set(-PROOF_MS - 1_000)
  })

  test('of another merchant, without a reason, or of nothing: nothing changes', async () => {
    const id = await mandate()
    const form = await formOn(`${at(id)}/close`)
    const foreign = await personOf(service, ['operations'], ['OTHER'])
    for (const word of ['pause', 'resume', 'close']) {
      assert.equal((await see(`${at(id)}/${word}`, foreign)).status, 404)
      assert.equal((await post(`${at(id)}/${word}`, form, foreign)).status, 404)
      assert.equal((await post(`${at('NOTHING')}/${word}`, form)).status, 404)
      assert.equal((await post(`${at(id)}/${word}`, { ...form, reason: '' })).status, 422)
      assert.equal((await post(`${at(id)}/${word}`, { ...form, version: 'x' })).status, 400)
    }
    assert.deepEqual([await stateOf(id), await rowsOf(id)], ['ACTIVE ACTIVE', []])
  })
})
