// What a payment page is shown (docs/interface.md sections 4.30 to 4.33): only ways that can really pay the order, and no other customer's
// data.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import type { Change } from '../../../src/engine/decision.ts'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { customerLinkKey, orderKey, savedCardKey } from '../../../src/tables/keys.ts'
import type { Payer } from '../../../src/tables/signin.ts'
import { lock, look, type Row } from '../../../src/tables/tables.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { type Asked, accessToken, ask, BIN, byToken, newOrder, OFFERS, OPTIONS, VPA } from '../../support/paying/options.ts'
import { promotionWorld } from '../../support/paying/promotions.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const world: World = {
  ...promotionWorld([
    { promocode: 'TEN', title: '10% off', percent: '10', upTo: '100.00', minAmount: '200.00' },
    { promocode: 'HALF', title: 'Half a percent back', kind: 'CASHBACK', percent: '0.50' },
    { promocode: 'FLAT', title: 'Fifty off', flat: '50.00', payMethods: ['NET_BANKING'] },
    { promocode: 'HIDDEN', title: 'Not listed', flat: '1.00', visible: false },
    { promocode: 'OVER', title: 'Over', flat: '1.00', validUpto: '2026-06-14' },
  ]),
  customers: demoWorld.customers!,
}
const BANKS = ['SBI', 'HDFC', 'ICICI', 'AXIS', 'PNB', 'KOTAK', 'BOB', 'CANARA', 'UNION', 'IDFC', 'INDUS', 'YES', 'FEDERAL']

interface Mode {
  paymentMode: string
  isDisabled: { status: string; msg?: string }
  isHybridDisabled: boolean
  payChannelOptions: Record<string, unknown>[]
}

const put = ({ store }: Service, ...changes: Change[]) =>
  store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))

async function signIn(service: Service, orderId: string, payer: Payer) {
  const key = orderKey(MID, orderId)
  const row = (await service.store.query.row(key))!
  await put(service, { kind: 'update', key, row: { ...row, payer } })
}
async function saveCard(service: Service, custId: string, savedCardId: string, card: Partial<Row<'savedCards'>['card']> = {}) {
  const whole = {
    userId: 'user-1',
    bin: '41111111',
    last4: '1111',
    scheme: 'VISA',
    expiry: '122030',
    bank: 'HDFC',
    token: 'SECRET-TOKEN',
    ...card,
  }
  const row: Row<'savedCards'> = { mid: MID, custId, savedCardId, paymentMode: 'CREDIT_CARD', card: whole, savedAt: 0 }
  await put(service, { kind: 'insert', key: savedCardKey(MID, custId, savedCardId), row })
}

onBothStores('fetch payment options', (storeName) => {
  const service = sharedService(storeName, { world })
  let ids = 0
  const optionsOf = async (more: object = {}, prepare: (running: Service, orderId: string) => Promise<void> = async () => {}) => {
    const running = await service()
    const orderId = `ORDER-${++ids}`
    const token = await newOrder(running, orderId, more)
    await prepare(running, orderId)
    const reply = await ask(running, byToken(OPTIONS, orderId, token))
    assert.equal(reply.body.resultInfo.resultCode, '0000', reply.text)
    const modes: Mode[] = reply.body.merchantPayOption.paymentModes
    const mode = (name: string) => modes.find(({ paymentMode }) => paymentMode === name)!
    const codes = (name: string) => mode(name)?.payChannelOptions.map((option) => option['channelCode'])
    return { reply, modes, mode, codes, running, orderId }
  }

  test('the merchant, the order, and every mode of the merchant with its channels', async () => {
    const { reply, modes, codes, mode, orderId } = await optionsOf()
    const { merchantPayOption, paymentOffers, resultInfo, ...rest } = reply.body
    assert.deepEqual(resultInfo, { resultStatus: 'S', resultCode: '0000', resultMsg: 'Success' })
    assert.deepEqual(rest, {
      orderId,
      txnAmount: { value: '10000.00', currency: 'INR' },
      merchantDetails: { mcc: '5411', merchantName: 'Demo Stores' },
      walletOnly: false,
      zeroCostEmi: false,
      pcfEnabled: false,
      nativeJsonRequestSupported: true,
      paymentFlow: 'NONE',
    })
    assert.deepEqual(
      modes.map(({ paymentMode }) => paymentMode),
      ['BALANCE', 'PPBL', 'UPI', 'CREDIT_CARD', 'DEBIT_CARD', 'NET_BANKING', 'EMI', 'SVC_DIGITAL_CREDIT'],
    )
    assert.deepEqual(codes('UPI'), ['UPI', 'UPIPUSH', 'UPIPUSHEXPRESS'])
    assert.deepEqual(codes('CREDIT_CARD'), ['VISA', 'MASTER', 'AMEX', 'RUPAY'])
    assert.deepEqual(codes('NET_BANKING'), BANKS)
    assert.deepEqual(codes('EMI'), ['SBI', 'HDFC', 'ICICI', 'AXIS', 'KOTAK'])
    assert.deepEqual(mode('BALANCE').isDisabled, {
      status: 'true',
      msg: 'Sign in to pay from the wallet',
      merchantAccept: 'true',
      userAccountExist: 'false',
    })
    assert.deepEqual(mode('PPBL').payChannelOptions, [
      { channelCode: 'PPBL', channelName: 'Payments Bank', isDisabled: { status: 'false' }, hasLowSuccess: { status: 'false' } },
    ])
    assert.deepEqual(merchantPayOption.savedInstruments, [])
    assert.deepEqual(
      paymentOffers.map(({ promocode }: { promocode: string }) => promocode),
      ['HALF', 'TEN', 'FLAT'],
    )
  })

  test('a mode whose limit the amount is over is shown disabled, with its limit', async () => {
    const { mode } = await optionsOf({ txnAmount: { value: '100000.01', currency: 'INR' } })
    assert.deepEqual(mode('UPI').isDisabled, { status: 'true', msg: 'The amount is over the limit of this payment mode' })
    assert.deepEqual(mode('UPI').payChannelOptions[0]!['maxAmount'], { value: '100000.00', currency: 'INR' })
    assert.equal(mode('CREDIT_CARD').isDisabled.status, 'false')
    const { mode: within } = await optionsOf({ txnAmount: { value: '100000.00', currency: 'INR' } })
    assert.equal(within('UPI').isDisabled.status, 'false')
  })

  test('EMI plans that the amount is enough for, with what they cost', async () => {
    const { mode } = await optionsOf()
    const [, hdfc] = mode('EMI').payChannelOptions as [unknown, { emiChannelInfos: unknown[] }]
    const plan = hdfc.emiChannelInfos[0]
    assert.deepEqual(plan, {
      planId: 'HDFC|3',
      ofMonths: '3',
      interestRate: '13.00',
      minAmount: { value: '3000.00', currency: 'INR' },
      interestAmount: { value: '325.00', currency: 'INR' },
      totalAmount: { value: '10325.00', currency: 'INR' },
      perInstallment: { value: '3441.67', currency: 'INR' },
    })
    const { codes } = await optionsOf({ txnAmount: { value: '2500.00', currency: 'INR' } })
    assert.deepEqual(codes('EMI'), ['SBI', 'ICICI', 'AXIS'])
    const small = await optionsOf({ txnAmount: { value: '10.00', currency: 'INR' } })
    assert.deepEqual(small.mode('EMI').isDisabled, { status: 'true', msg: 'Nothing of this payment mode can pay this order' })
  })

  test('enabled modes, channels, banks and tenures are all there is', async () => {
    const { modes, codes, mode } = await optionsOf({
      enablePaymentMode: [
        { mode: 'CREDIT_CARD', channels: ['AMEX', 'VISA'] },
        { mode: 'NET_BANKING', channels: ['SBI', 'PNB', 'NOSUCH'] },
        { mode: 'EMI', banks: ['HDFC', 'AXIS'], tenures: [6] },
      ],
    })
    assert.deepEqual(
      modes.map(({ paymentMode }) => paymentMode),
      ['CREDIT_CARD', 'NET_BANKING', 'EMI'],
    )
    assert.deepEqual(codes('CREDIT_CARD'), ['VISA', 'AMEX'])
    assert.deepEqual(codes('NET_BANKING'), ['SBI', 'PNB'])
    assert.deepEqual(codes('EMI'), ['HDFC', 'AXIS'])
    const plans = mode('EMI').payChannelOptions.flatMap(({ emiChannelInfos }) => emiChannelInfos as { planId: string }[])
    assert.deepEqual(
      plans.map(({ planId }) => planId),
      ['HDFC|6', 'AXIS|6'],
    )
  })

  test('disabled modes, channels, banks and tenures are gone', async () => {
    const { modes, codes, mode } = await optionsOf({
      disablePaymentMode: [
        { mode: 'UPI', channels: ['UPIPUSH'] },
        { mode: 'PPBL' },
        { mode: 'NET_BANKING', banks: ['SBI'] },
        { mode: 'EMI', tenures: [3, 9], banks: ['SBI', 'ICICI', 'AXIS', 'KOTAK'] },
        { mode: 'DEBIT_CARD', channels: ['VISA', 'MASTER', 'AMEX', 'RUPAY'] },
      ],
    })
    assert.ok(!modes.some(({ paymentMode }) => paymentMode === 'PPBL'))
    assert.deepEqual(codes('UPI'), ['UPI', 'UPIPUSHEXPRESS'])
    assert.deepEqual(codes('NET_BANKING'), BANKS.slice(1))
    const plans = mode('EMI').payChannelOptions.flatMap(({ emiChannelInfos }) => emiChannelInfos as { planId: string }[])
    assert.deepEqual(
      plans.map(({ planId }) => planId),
      ['SBI|6', 'HDFC|3', 'HDFC|6', 'HDFC|9', 'ICICI|6', 'AXIS|6', 'KOTAK|6'],
    )
    assert.equal(mode('DEBIT_CARD').isDisabled.status, 'true')
  })

  test('Debit Card EMI stands beside that of credit cards when the merchant has it', async () => {
    const running = await service()
    const change = async (debitCardEmi: boolean) => {
      const row = (await running.store.query.row(look('merchants', MID)))!
      await put(running, { kind: 'update', key: lock('merchants', MID), row: { ...row, debitCardEmi } })
    }
    await change(true)
    const { mode } = await optionsOf({ userInfo: { custId: 'C1', mobile: '9999900001' } })
    const emi = mode('EMI').payChannelOptions.filter(({ channelCode }) => channelCode === 'KOTAK')
    assert.deepEqual(
      emi.map(({ emiType }) => emiType),
      ['CREDIT_CARD', 'DEBIT_CARD'],
    )
    await change(false)
  })

  test('a signed-in payer sees the wallet, and that it may pay a part', async () => {
    const running = await service()
    const customer = (await running.store.query.row(look('customers', '9999900001')))!
    const payer = { userId: customer.userId, mobile: '9999900001' }
    const { reply, mode } = await optionsOf({}, (to, orderId) => signIn(to, orderId, payer))
    assert.deepEqual(mode('BALANCE').payChannelOptions[0]!['balanceInfo'], {
      accountBalance: { value: '5000.00', currency: 'INR' },
      payerAccountExists: true,
    })
    assert.equal(mode('BALANCE').isDisabled.status, 'false')
    assert.equal(mode('UPI').isHybridDisabled, false)
    assert.equal(reply.body.paymentFlow, 'HYBRID')
    const enough = await optionsOf({ txnAmount: { value: '5000.00', currency: 'INR' } }, (to, orderId) => signIn(to, orderId, payer))
    assert.equal(enough.reply.body.paymentFlow, 'NONE')
    const only = await optionsOf({ enablePaymentMode: [{ mode: 'BALANCE' }] }, (to, orderId) => signIn(to, orderId, payer))
    assert.deepEqual([only.reply.body.walletOnly, only.reply.body.paymentFlow], [true, 'NONE'])
    const enablePaymentMode = [{ mode: 'BALANCE' }, { mode: 'NET_BANKING', banks: ['NOBANK'] }]
    const none = await optionsOf({ enablePaymentMode }, (to, orderId) => signIn(to, orderId, payer))
    assert.deepEqual([none.mode('NET_BANKING').isDisabled.status, none.reply.body.paymentFlow], ['true', 'NONE'])
  })

  test('saved cards are shown to the signed-in payer, without their token, and only those that can pay', async () => {
    const running = await service()
    const payer = { userId: 'user-1', mobile: '9999900001' }
    await saveCard(running, 'SAVED', 'card-1')
    await saveCard(running, 'SAVED', 'card-2', { scheme: 'MASTER', bin: '55555555', bank: 'AXIS', last4: '4444', expiry: '052026' })
    const { reply } = await optionsOf({ userInfo: { custId: 'SAVED' } }, (to, orderId) => signIn(to, orderId, payer))
    assert.deepEqual(reply.body.merchantPayOption.savedInstruments, [
      {
        cardDetails: {
          cardId: 'card-1',
          cardType: 'CREDIT_CARD',
          expiryDate: '122030',
          firstSixDigit: '411111',
          lastFourDigit: '1111',
          status: '1',
        },
        issuingBank: 'HDFC Bank',
        issuingBankCode: 'HDFC',
        authModes: ['otp'],
        channelCode: 'VISA',
        isEmiAvailable: true,
        oneClickSupported: false,
      },
      {
        cardDetails: {
          cardId: 'card-2',
          cardType: 'CREDIT_CARD',
          expiryDate: '052026',
          firstSixDigit: '555555',
          lastFourDigit: '4444',
          status: '0',
        },
        issuingBank: 'Axis Bank',
        issuingBankCode: 'AXIS',
        authModes: ['otp'],
        channelCode: 'MASTER',
        isEmiAvailable: true,
        oneClickSupported: false,
      },
    ])
    assert.ok(!reply.text.includes('SECRET-TOKEN'))
    const shown = async (more: object) => {
      const narrowed = await optionsOf({ userInfo: { custId: 'SAVED' }, ...more }, (to, orderId) => signIn(to, orderId, payer))
      return narrowed.reply.body.merchantPayOption.savedInstruments.map((one: { channelCode: string }) => one.channelCode)
    }
    assert.deepEqual(await shown({ disablePaymentMode: [{ mode: 'CREDIT_CARD', channels: ['VISA'] }] }), ['MASTER'])
    assert.deepEqual(await shown({ enablePaymentMode: [{ mode: 'CREDIT_CARD', banks: ['HDFC'] }] }), ['VISA'])
    assert.deepEqual(await shown({ disablePaymentMode: [{ mode: 'CREDIT_CARD' }] }), [])
  })

  test('no payer sees saved cards without a sign-in, nor those of a customer who is another user', async () => {
    const running = await service()
    await saveCard(running, 'LINKED', 'card-1')
    const row = { mid: MID, custId: 'LINKED', userId: 'user-1', linkedAt: 0 }
    await put(running, { kind: 'insert', key: customerLinkKey(MID, 'LINKED'), row })
    const countFor = async (userId: string | undefined) => {
      const prepare = async (to: Service, orderId: string) => {
        if (userId !== undefined) await signIn(to, orderId, { userId, mobile: '9999900001' })
      }
      const { reply } = await optionsOf({ userInfo: { custId: 'LINKED' } }, prepare)
      return reply.body.merchantPayOption.savedInstruments.length
    }
    assert.deepEqual([await countFor(undefined), await countFor('user-2'), await countFor('user-1')], [0, 0, 1])
  })

  test("a subscription's order has the subscription's modes, and is the only one with a bank mandate", async () => {
    const running = await service()
    const orderId = `ORDER-${++ids}`
    const reply = await running.signed(`${operations.initiateSubscription.paths[0]}?mid=${MID}&orderId=${orderId}`, {
      requestType: 'NATIVE_SUBSCRIPTION',
      mid: MID,
      orderId,
      websiteName: 'DEFAULT',
      txnAmount: { value: '0', currency: 'INR' },
      userInfo: { custId: 'C1' },
      subscriptionAmountType: 'FIX',
      renewalAmount: '100.00',
      subscriptionFrequencyUnit: 'MONTH',
      subscriptionStartDate: '2026-07-01',
      subscriptionGraceDays: '1',
      subscriptionExpiryDate: '2030-07-01',
      subscriptionEnableRetry: '0',
      mandateType: 'E_MANDATE',
      enablePaymentMode: [{ mode: 'UPI' }, { mode: 'BANK_MANDATE', channels: ['HDFC'] }],
    })
    const options = await ask(running, byToken(OPTIONS, orderId, reply.body.txnToken))
    const modes: Mode[] = options.body.merchantPayOption?.paymentModes
    assert.deepEqual(
      modes?.map(({ paymentMode }) => paymentMode),
      ['UPI', 'BANK_MANDATE'],
      options.text,
    )
  })

  test('offers of modes that are gone are not shown', async () => {
    const { reply } = await optionsOf({ disablePaymentMode: [{ mode: 'NET_BANKING' }] })
    assert.deepEqual(
      reply.body.paymentOffers.map(({ promocode }: { promocode: string }) => promocode),
      ['HALF', 'TEN'],
    )
  })
})

onBothStores('an access token', (storeName) => {
  const service = sharedService(storeName, { world })
  const optionsBy = async (referenceId: string, token: string) => {
    const asked: Asked = { path: OPTIONS, query: { mid: MID, referenceId }, head: { tokenType: 'ACCESS', token }, body: {} }
    return ask(await service(), asked)
  }

  test('shows the merchant without any order: all modes, and EMI plans without amounts', async () => {
    const token = await accessToken(await service(), 'REFERENCE-1')
    const { body } = await optionsBy('REFERENCE-1', token)
    assert.equal(body.orderId, undefined)
    const emi = body.merchantPayOption.paymentModes.find(({ paymentMode }: Mode) => paymentMode === 'EMI')
    assert.deepEqual(Object.keys(emi.payChannelOptions[0].emiChannelInfos[0]), ['planId', 'ofMonths', 'interestRate', 'minAmount'])
    assert.ok(!JSON.stringify(body).includes('BANK_MANDATE'))
  })

  test('of a signed-in user shows their wallet and the customer’s saved cards; another token shows none', async () => {
    const running = await service()
    await saveCard(running, 'SAVED', 'card-1')
    const sso = await issueSsoToken(running, 'sso of the access token')
    const shown = async (referenceId: string, paytmSsoToken: unknown) => {
      const token = await accessToken(running, referenceId, { custId: 'SAVED', paytmSsoToken })
      const { body } = await optionsBy(referenceId, token)
      const [balance] = body.merchantPayOption.paymentModes
      return [balance.payChannelOptions.length, body.merchantPayOption.savedInstruments.length]
    }
    assert.deepEqual(await shown('REFERENCE-2', sso), [1, 1])
    assert.deepEqual(await shown('REFERENCE-3', 'nobodys'), [0, 0])
    assert.deepEqual(await shown('REFERENCE-4', { not: 'a text' }), [0, 0])
    assert.deepEqual(await shown('REFERENCE-5', undefined), [0, 0])
  })

  test('changes nothing and pays nothing', async () => {
    const running = await service()
    await newOrder(running, 'KEPT')
    const token = await accessToken(running, 'REFERENCE-6')
    for (const path of [operations.modifyOrder.paths[0], operations.processTransaction.paths[0]]) {
      for (const head of [{ tokenType: 'TXN_TOKEN', token }, { tokenType: 'ACCESS', token }, { txnToken: token }]) {
        const body = { mid: MID, orderId: 'KEPT', requestType: 'NATIVE', paymentMode: 'PPBL' }
        const query = { mid: MID, orderId: 'KEPT', referenceId: 'REFERENCE-6' }
        const reply = await ask(running, { path, query, head, body: path.includes('modify') ? {} : body })
        assert.equal(reply.body.resultInfo.resultStatus, 'F', reply.text)
      }
    }
    const order = await running.store.query.row(orderKey(MID, 'KEPT'))
    assert.deepEqual([order?.version, order?.status], [1, 'CREATED'])
  })
})

onBothStores('cards, UPI ids and offers', (storeName) => {
  const service = sharedService(storeName, { world })
  let ids = 0
  const asked = async (path: string, body: Record<string, unknown>, more: object = {}) => {
    const running = await service()
    const orderId = `ORDER-${++ids}`
    return ask(running, byToken(path, orderId, await newOrder(running, orderId, more), body))
  }

  test('a BIN gives scheme, kind, bank and EMI; only eight digits of a whole card number are read', async () => {
    const reply = await asked(BIN, { bin: '4111111111111111' })
    assert.deepEqual(reply.body, {
      resultInfo: { resultStatus: 'S', resultCode: '0000', resultMsg: 'Success' },
      binDetail: {
        bin: '41111111',
        paymentMode: 'CREDIT_CARD',
        channelCode: 'VISA',
        channelName: 'VISA',
        issuingBank: 'HDFC Bank',
        issuingBankCode: 'HDFC',
        isIndian: 'true',
        isActive: 'true',
      },
      isEmiAvailable: true,
    })
    assert.deepEqual((await asked(BIN, { bin: 4111111111111111 })).body.binDetail.bin, '41111111')
    for (const bin of ['4111 1111 1111 1111', '4111111111111111x', ['4111111111111111'], { number: '4111111111111111' }]) {
      const refused = await asked(BIN, { bin })
      assert.equal(refused.body.resultInfo.resultMsg, 'Invalid bin')
      assert.ok(!refused.text.includes('1111'))
    }
  })

  test('every test card of the sandbox is known', async () => {
    for (const number of ['4111111111111111', '4000000000000002', '4000000000009995', '4000000000003220'])
      assert.equal((await asked(BIN, { bin: number })).body.binDetail.paymentMode, 'CREDIT_CARD')
  })

  test('EMI is not available on a card whose bank has no plan for the amount, or when the order has no EMI', async () => {
    const isAvailable = async (more: object) => (await asked(BIN, { bin: '411111' }, more)).body.isEmiAvailable
    assert.equal(await isAvailable({ txnAmount: { value: '2999.99', currency: 'INR' } }), false)
    assert.equal(await isAvailable({ disablePaymentMode: [{ mode: 'EMI' }] }), false)
    assert.equal(await isAvailable({ disablePaymentMode: [{ mode: 'EMI', tenures: [3, 6, 9] }] }), false)
    assert.equal((await asked(BIN, { bin: '400000' })).body.isEmiAvailable, false)
    assert.equal((await asked(BIN, { bin: '424242' })).body.binDetail.isIndian, 'false')
  })

  test('a UPI id is valid when it has the form and a handle that is known', async () => {
    const valid: Record<string, boolean> = {
      'asha@upi': true,
      'asha.rao-1_x@OKSBI': true,
      'asha@nosuchhandle': false,
      'a@upi': false,
      asha: false,
      'asha@': false,
      '@upi': false,
      'asha@upi@upi': false,
      'asha rao@upi': false,
      'asha@upi\n': false,
      '<script>@upi': false,
    }
    for (const [vpa, expected] of Object.entries(valid)) {
      const { body } = await asked(VPA, { vpa })
      assert.deepEqual([body.vpa, body.valid], [vpa, expected])
    }
  })

  test('all visible live offers are listed with what they give', async () => {
    const running = await service()
    const token = await accessToken(running, 'REFERENCE-1')
    const query = { mid: MID, referenceId: 'REFERENCE-1' }
    const reply = await ask(running, {
      path: OFFERS,
      query,
      head: { tokenType: 'ACCESS', token, requestId: 'r-1', version: 'v2' },
      body: { mid: MID },
    })
    assert.deepEqual([reply.head.requestId, reply.head.version], ['r-1', 'v2'])
    const always = { validFrom: '0001-01-01', validUpto: '9999-12-31', isPromoVisible: true }
    assert.deepEqual(reply.body.paymentOffers, [
      { promocode: 'HALF', offer: { title: 'Half a percent back', text: '0.5% cashback' }, ...always },
      { promocode: 'TEN', offer: { title: '10% off', text: '10% off, at most Rs 100.00, on a payment of Rs 200.00 or more' }, ...always },
      { promocode: 'FLAT', offer: { title: 'Fifty off', text: 'Rs 50.00 off' }, ...always },
    ])
  })
})
