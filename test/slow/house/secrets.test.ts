// Several secrets of each kind go through ordinary and broken requests, also in fields where they do not belong. Then the process is
// killed. No byte of the database files, the write-ahead log or the log contains one (SECURITY.md).

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { demoWorld } from '../../../src/sandbox/world.ts'
import { formOf } from '../../support/pages/pages.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { type ServedProcess, serveProcess } from '../../support/run/process.ts'
import { KEY, MID, storeNames } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { basic } from '../../support/signin/signin.ts'
import { startPostgres } from '../../support/store/postgres.ts'
import { bytesBelow, found } from '../../support/text/found.ts'

const EACH = sized(12, 50)
const CONTROL = 'PlainControlValue7f3a'

/** Fifteen digits and the check digit that makes them a card number. */
function cardNumber(at: number): string {
  const digits = `411111${String(100_000_000 + at * 7_919).slice(0, 9)}`
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const doubled = Number(digit) * (place % 2 === 0 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return digits + ((10 - (sum % 10)) % 10)
}

const planted = {
  merchantKeys: Array.from({ length: EACH }, (_, at) => `Key${String(at).padStart(2, '0')}qZ7kVw93pLm`),
  clientSecrets: Array.from({ length: EACH }, (_, at) => `client-secret-${at}-Yt5Rk2`),
  cards: Array.from({ length: EACH }, (_, at) => cardNumber(at)),
  accounts: Array.from({ length: EACH }, (_, at) => `50100${String(987_650_000 + at * 13)}`),
}

/** Four digits occur by chance, so the search takes them as requests and JSON spell them. */
const cvvs = Array.from({ length: EACH }, (_, at) => String(7_001 + at * 53))

const world = {
  ...demoWorld,
  merchants: [...demoWorld.merchants!, ...planted.merchantKeys.map((key, at) => ({ mid: `KEYED${at}`, keys: [{ clientId: 'C11', key }] }))],
  signInClients: planted.clientSecrets.map((clientSecret, at) => ({ clientId: `app-${at}`, clientSecret, scopes: ['wallet'] })),
}

/** Sends everything, and returns the secrets that the service itself made. */
async function plant({ url }: ServedProcess): Promise<{ tokens: string[]; otps: string[] }> {
  const post = async (path: string, text: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text })
    const reply = await response.text()
    return reply.startsWith('{') ? JSON.parse(reply) : {}
  }
  const signed = (path: string, body: object, head: object = {}, key = KEY, place = 'signature') => {
    const bodyText = JSON.stringify(body)
    return post(path, `{"head":${JSON.stringify({ ...head, [place]: sign(bodyText, key, 'salt') })},"body":${bodyText}}`)
  }
  const tokens: string[] = []
  const otps: string[] = []
  for (let at = 0; at < EACH; at++) {
    const [card, account, key, secret] = [planted.cards[at]!, planted.accounts[at]!, planted.merchantKeys[at]!, planted.clientSecrets[at]!]
    const mobile = `98765450${10 + at}`
    const flat = { authorization: basic(`app-${at}`, secret), 'x-device-identifier': 'device' }
    const { state_token } = await post('/v4/signin/otp/sv1?locale=en-IN', JSON.stringify({ phone: mobile }), flat)
    const inbox = (await (await fetch(`${url}/sandbox/inbox?mobile=${mobile}`)).json()) as { messages: { otp: string }[] }
    const { otp } = inbox.messages[0]!
    const validate = '/v4/signin/validate/otp/sv1?locale=en-IN'
    await post(validate, `{"state_token":"${state_token}","otp":"${otp}`, flat)
    await post(validate, JSON.stringify({ state_token: otp, otp: state_token }), { ...flat, authorization: basic(secret, key) })
    const signIn = await post(validate, JSON.stringify({ state_token, otp }), flat)
    const { access_token, refresh_token } = JSON.parse(signIn.tokens)
    const { authorization } = flat
    const grant = { grantType: 'refresh_token', refreshToken: refresh_token, deviceId: 'device' }
    const renewed = await post('/oauth2/v3/token/sv1', JSON.stringify(grant), { authorization })
    await post('/oauth2/v3/token/sv1', JSON.stringify({ ...grant, deviceId: access_token }), { authorization })
    for (const session_token of [renewed.accessToken, refresh_token]) await fetch(`${url}/user/details`, { headers: { session_token } })

    const orderId = `ORDER${at}`
    const everywhere = `${card} ${account} ${key} ${secret} ${access_token}`
    const order = orderBody(orderId, {
      userInfo: { custId: CONTROL, firstName: card, lastName: account, email: `${card}@example.com` },
      goodsInfo: [{ description: everywhere }],
      extendInfo: { udf1: card, [card]: otp, comments: everywhere },
      ssoToken: { token: `${otp}${card}` },
    })
    const create = `${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`
    const created = await signed(create, order)
    assert.equal(created.body.resultInfo.resultCode, '0000')
    const { txnToken } = created.body
    await signed(create, { ...order, websiteName: card, mid: account }, { clientId: key, channelId: card })
    await post(create, JSON.stringify({ head: { signature: key }, body: order }).slice(0, -20))
    await post(`${create}&token=${card}&otp=${secret}`, everywhere, { authorization: `Bearer ${access_token}`, cookie: `card=${card}` })
    await fetch(`${url}/${encodeURIComponent(everywhere)}`)
    const modify = `${operations.modifyOrder.paths[0]}?mid=${MID}&orderId=${orderId}`
    await signed(modify, { extendInfo: { udf1: everywhere } }, { tokenType: 'TXN_TOKEN', token: txnToken })
    await signed(modify, { goodsInfo: everywhere }, { tokenType: txnToken, token: card })

    const cvv = cvvs[at]!
    const pay = (more: object, headers?: Record<string, string>) =>
      post(
        `${operations.processTransaction.paths[at % 2]}?mid=${MID}&orderId=${orderId}`,
        JSON.stringify({ head: { txnToken }, body: { mid: MID, orderId, paymentMode: 'CREDIT_CARD', storeInstrument: '1', ...more } }),
        headers,
      )
    await pay({ cardInfo: `${card}||${cvv}|` })
    await pay({ cardInfo: `${card}|${cvv}|122032` })
    await pay({ cardInfo: { cardUniqueId: card, cvv, expiryMonth: '13', expiryYear: cvv } })
    await pay({
      cardInfo: `|${card}1|${cvv}|122032`,
      channelCode: card,
      payerAccount: card,
      planId: card,
      promoCode: card,
      txnNote: everywhere,
    })
    const paid = await pay(
      { cardInfo: `|${card}|${cvv}|122032`, channelCode: card, authMode: card },
      { 'idempotency-key': `${card} ${cvv}` },
    )
    assert.equal(paid.body.resultInfo.resultCode, '0000')
    await fetch(`${url}/transaction/return?mid=${MID}&txnId=${paid.body.txnId}&card=${card}`, {
      method: 'POST',
      body: new URLSearchParams({ card }),
    })
    await signed(operations.orderStatus.paths[0], { mid: MID, orderId, txnType: card })
    await post('/order/status', JSON.stringify({ MID, ORDERID: orderId, CARD: card, CHECKSUMHASH: cvv }))

    const offer = {
      mid: MID,
      custId: CONTROL,
      paymentOptions: [{ transactionAmount: '500.00', payMethod: 'CREDIT_CARD', cardNo: card }],
      totalTransactionAmount: '500.00',
    }
    await signed(
      `${operations.applyPromo.paths[0]}?mid=${MID}`,
      offer,
      { channelId: 'WEB', tokenType: 'CHECKSUM', requestId: card },
      KEY,
      'token',
    )
    await signed(
      `${operations.applyPromo.paths[0]}?mid=${MID}`,
      { ...offer, promocode: card, totalTransactionAmount: card },
      { channelId: 'WEB', tokenType: 'CHECKSUM' },
      KEY,
      'token',
    )
    const referenceId = `REFERENCE${String(at).padStart(4, '0')}`
    const access = await signed(
      `${operations.createAccessToken.paths[0]}?mid=${MID}&referenceId=${referenceId}`,
      { mid: MID, referenceId, paytmSsoToken: access_token },
      { tokenType: 'CHECKSUM' },
      KEY,
      'token',
    )

    const subscription = {
      requestType: 'NATIVE_SUBSCRIPTION',
      mid: MID,
      orderId: `SUBS${at}`,
      websiteName: 'DEFAULT',
      txnAmount: { value: '0.00', currency: 'INR' },
      userInfo: { custId: `CUST${at}`, svcSsoToken: access_token },
      subscriptionAmountType: 'FIX',
      renewalAmount: '100.00',
      subscriptionFrequencyUnit: 'MONTH',
      subscriptionStartDate: '2090-01-01',
      subscriptionGraceDays: '1',
      subscriptionExpiryDate: '2095-01-01',
      subscriptionEnableRetry: '1',
      mandateType: 'E_MANDATE',
      mandateAccountDetails: { accountHolderName: 'Asha', accountNumber: account, ifsc: 'HDFC0000001', accountType: 'ISA' },
      enablePaymentMode: [{ mode: 'BANK_MANDATE' }],
      extendInfo: { udf1: card },
      subscriptionPurpose: `card ${card}`,
    }
    const subscribe = `${operations.initiateSubscription.paths[0]}?mid=${MID}&orderId=SUBS${at}`
    const subscribed = await signed(subscribe, subscription)
    assert.equal(subscribed.body.resultInfo.resultCode, '0000')
    await signed(subscribe, {
      ...subscription,
      mandateAccountDetails: { accountNumber: { account } },
      userInfo: { custId: 'C', svcSsoToken: card },
    })
    await signed(
      operations.listSubscriptions.paths[0],
      { mid: MID, custId: `CUST${at}`, detailRequired: true },
      { tokenType: 'SSO', token: access_token },
    )
    const pageId = await payByPage(url, `PAGE${at}`, order, { card, cvv, otp })
    tokens.push(pageId, renewed.accessToken, renewed.refreshToken)
    tokens.push(state_token, access_token, refresh_token, txnToken, access.body.accessToken, subscribed.body.txnToken)
    otps.push(otp)
    if (at >= MANDATES) continue
    const page = await mandatePage(url, signed, `AGREED${at}`, mobile)
    tokens.push(page.link, page.pageId)
    otps.push(page.otp)
  }
  assert.ok([...tokens, ...otps].every((secret) => typeof secret === 'string'))
  return { tokens, otps }
}

/** A payment page with the card where it belongs and where it does not, and a bank that gets the address for the browser's return. */
async function payByPage(url: string, orderId: string, order: object, { card, cvv, otp }: { card: string; cvv: string; otp: string }) {
  const bodyText = JSON.stringify({ ...order, orderId })
  const create = `${url}${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`
  const head = JSON.stringify({ signature: sign(bodyText, KEY, 'salt') })
  const created = await fetch(create, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"head":${head},"body":${bodyText}}`,
  })
  const { txnToken } = ((await created.json()) as { body: { txnToken: string } }).body
  const send = (path: string, form: Record<string, string>) =>
    fetch(url + path, { method: 'POST', redirect: 'manual', body: new URLSearchParams(form) })
  const page = (await send(pagePaths.showPaymentPage, { mid: MID, orderId, txnToken })).headers.get('location')!
  const pays = { attempt: '1', amount: '1000', panel: 'card', cardNumber: card, expiry: '12/32', cvv }
  await send(`${page}/pay`, { ...pays, mode: 'CREDIT_CARD', cvv: card })
  await send(`${page}/pay`, { ...pays, mode: 'UPI', by: 'upiId', upiId: card })
  await send(`${page}/pay`, { ...pays, mode: 'NET_BANKING', bank: card })
  await send(`${page}/sign-in/otp`, { code: otp })
  await send(`${page}/pay`, { ...pays, mode: 'NET_BANKING', bank: 'HDFC', [card]: cvv })
  const shown = await (await fetch(url + page)).text()
  assert.match(shown, /data-stage="bank"/)
  assert.ok(!shown.includes(card))
  await send(`${page}/otp`, { attempt: '1', otp: card })
  await send(`${page}/check`, { attempt: '1' })
  return page.slice('/pay/'.length)
}

const MANDATES = 3

/** A mandate whose payer is notified of it: the message's link, the page that the payer requests by it, and the code that opens it. */
async function mandatePage(url: string, signed: (path: string, body: object) => Promise<Replied>, orderId: string, mobile: string) {
  const { body } = await signed(`${operations.initiateSubscription.paths[0]}?mid=${MID}&orderId=${orderId}`, {
    ...{ requestType: 'NATIVE_SUBSCRIPTION', mid: MID, orderId, txnAmount: { value: '1.00', currency: 'INR' }, websiteName: 'DEFAULT' },
    ...{ userInfo: { custId: orderId, mobile }, subscriptionAmountType: 'FIX', renewalAmount: '100.00', subscriptionFrequency: '1' },
    ...{ subscriptionFrequencyUnit: 'MONTH', subscriptionStartDate: '2090-01-01', subscriptionGraceDays: '1' },
    ...{ subscriptionExpiryDate: '2095-01-01', subscriptionEnableRetry: '1', communicationManager: true },
  })
  const path = operations.processTransaction.paths[0]
  const paid = await fetch(`${url}${path}?mid=${MID}&orderId=${orderId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      head: { txnToken: body.txnToken },
      body: { mid: MID, orderId, paymentMode: 'UPI', payerAccount: 'asha@upi' },
    }),
  })
  assert.match(await paid.text(), /TXN_SUCCESS/)
  const inbox = async () => {
    const answer = await fetch(`${url}/sandbox/inbox?mobile=${mobile}`)
    return ((await answer.json()) as { messages: { kind: string; text: string; otp: string }[] }).messages
  }
  const reported = (await inbox()).find(({ kind }) => kind === 'mandate-created')
  const link = /\/m\/([A-Za-z0-9_-]{22})/.exec(reported?.text ?? '')![1]!
  const earlier = (await inbox()).filter(({ otp }) => otp !== undefined).map(({ otp }) => otp)
  const asked = await fetch(`${url}/m/${link}/code`, { method: 'POST', redirect: 'manual', body: new URLSearchParams() })
  const page = asked.headers.get('location')!
  const { otp } = (await inbox()).find((one) => one.otp !== undefined && !earlier.includes(one.otp))!
  const { action, fields } = formOf(await (await fetch(url + page)).text(), '/open')
  const opened = await fetch(url + action, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ ...fields, code: otp }) })
  assert.equal(opened.headers.get('location'), page)
  assert.match(await (await fetch(url + page)).text(), /mandate-open/)
  return { link, pageId: page.slice('/mandate/'.length), otp }
}
// biome-ignore lint/suspicious/noExplicitAny: replies are what the test is about to judge
type Replied = any

for (const store of storeNames) {
  test(`no planted secret is in the files or the log of a process that was killed (${store})`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'mohur-secrets-'))
    const worldFile = join(folder, 'world.json')
    writeFileSync(worldFile, JSON.stringify(world))
    const postgres = store === 'postgres' ? await startPostgres({ durable: true }) : undefined
    let service: ServedProcess | undefined
    try {
      const data = join(folder, 'data')
      service = await serveProcess({
        MOHUR_DATA: data,
        MOHUR_WORLD: worldFile,
        MOHUR_LOG: 'debug',
        DATABASE_URL: (await postgres?.createDatabase()) ?? '',
      })
      const { tokens, otps } = await plant(service)
      await service.kill('SIGKILL')
      await postgres?.kill()
      const bytes = Buffer.concat([bytesBelow(postgres?.dataFolder ?? data), service.log()])

      const secrets = [...Object.values(planted).flat(), ...tokens]
      assert.deepEqual(found(bytes, [...secrets, CONTROL]), [CONTROL], 'nothing but what the search has to find')
      // Six digits occur by chance in longer numbers and in machine code, so an OTP counts only as a word of its own.
      assert.deepEqual(
        otps.filter((otp) => ['"', ':', '=', ' '].some((before) => bytes.includes(before + otp))),
        [],
        'otps',
      )
      assert.deepEqual(
        cvvs.filter((cvv) => [`|${cvv}|`, `"${cvv}"`, `:${cvv},`, ` ${cvv}"`].some((spelling) => bytes.includes(spelling))),
        [],
        'cvvs',
      )
      t.diagnostic(`${EACH} of each of 7 kinds in ${(bytes.length / 1e6).toFixed(1)} MB: 0 found; the control value: 1`)
    } finally {
      await service?.kill('SIGKILL')
      await postgres?.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  })
}
