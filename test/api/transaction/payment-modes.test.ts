// A forbidden way to pay is refused (docs/interface.md sections 2 and 4.10): the wallet beside another mode, and ways that an order's lists
// forbid.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { transactionsOfOrder } from '../../../src/tables/keys.ts'
import { fix, initiate, issueSsoToken, subscription } from '../../support/mandates/subscription.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { inParallel } from '../../support/paying/paying.ts'
import { drawn, type Lists, mayPay, type Option, options, shownAs } from '../../support/paying/payment-modes.ts'
import { codeAndMessage, codeOf } from '../../support/run/replies.ts'
import { KEY, MID, onBothStores, type Reply, type Service, sharedService } from '../../support/run/service.ts'
import { Random } from '../../support/text/random.ts'

const SEED = 20261121
const NO_WALLET_MID = 'NOWALLET000000000001'
const world: World = {
  ...demoWorld,
  merchants: [
    ...demoWorld.merchants!,
    {
      mid: NO_WALLET_MID,
      keys: [{ clientId: 'C11', key: KEY }],
      paymentModes: ['PPBL', 'UPI', 'CREDIT_CARD', 'DEBIT_CARD', 'NET_BANKING', 'EMI', 'SVC_DIGITAL_CREDIT'],
    },
  ],
  customers: [{ mobile: '9999900001', walletBalance: '1000000.00' }],
}
const LAW = '/aoa-acquiring-biz/v2/order'
const HOSTS = ['/theia/api/v1/initiateTransaction', '/order/initiate']
const amount = { value: '3000.00', currency: 'INR' }

const cards = {
  hdfcVisa: '|4111111111111111|123|122032',
  axisMaster: '|5555555555554444|123|122032',
  unknownVisa: '|4539148803436467|123|122032',
  sbiVisaDebit: '|4012888888881881|123|122032',
  unknownMasterDebit: '|5425233430109903|123|122032',
}
const REFUSED_FLOW: [string, string] = ['1001', 'Invalid paymentFlow']

onBothStores('payment modes', (store) => {
  const service = sharedService(store, { world })
  let ids = 0
  let sso: Promise<string> | undefined
  const signIn = async () => (sso ??= issueSsoToken(await service(), `sso of ${store}`))

  interface Order {
    mid: string
    orderId: string
    txnToken: string
  }
  async function create(more: object = {}, { path = HOSTS[0]!, mid = MID } = {}): Promise<Reply & { order: Order }> {
    const { signed } = await service()
    const orderId = `MODES-${++ids}`
    const body = orderBody(orderId, { mid, txnAmount: amount, ...more })
    const reply = await signed(`${path}?mid=${mid}&orderId=${orderId}`, body)
    return { ...reply, order: { mid, orderId, txnToken: reply.body.txnToken } }
  }
  const order = async (more: object = {}, at: { path?: string; mid?: string } = {}) => (await create(more, at)).order
  const signedIn = async (more: object = {}, mid = MID) => order({ paytmSsoToken: await signIn(), ...more }, { mid })
  const firstPayment = async (more: object = {}): Promise<Order> => {
    const orderId = `MODES-${++ids}`
    const svcSsoToken = await signIn()
    const asked = { txnAmount: amount, ...fix('3000.00'), userInfo: { custId: 'C1', svcSsoToken }, ...more }
    const { body } = await initiate(await service(), subscription(orderId, asked))
    return { mid: MID, orderId, txnToken: body.txnToken }
  }
  async function pay({ mid, orderId, txnToken }: Order, means: object): Promise<Reply> {
    const body = { requestType: 'NATIVE', mid, orderId, ...means }
    const path = `/theia/api/v1/processTransaction?mid=${mid}&orderId=${orderId}`
    return (await service()).post(path, JSON.stringify({ head: { txnToken }, body }))
  }
  async function attemptOf(running: Service, { mid, orderId }: Order) {
    return (await running.ports.query.rows(transactionsOfOrder(mid, orderId))).at(-1)
  }

  // ------------------------------------------------------------------------------------------------------ the wallet

  const byMode: Record<string, object> = {
    BALANCE: {},
    PPBL: {},
    UPI: { payerAccount: 'asha@upi' },
    UPI_INTENT: {},
    CREDIT_CARD: { cardInfo: cards.hdfcVisa },
    DEBIT_CARD: { cardInfo: cards.sbiVisaDebit },
    NET_BANKING: { channelCode: 'HDFC' },
    EMI: { cardInfo: cards.hdfcVisa, planId: 'HDFC|3' },
    SVC_DIGITAL_CREDIT: {},
  }
  const places: Record<string, { make(): Promise<Order>; hasWallet: boolean; isSubscription?: true }> = {
    'wallet enabled': { make: () => signedIn(), hasWallet: true },
    'disabled by the order': { make: () => signedIn({ disablePaymentMode: [{ mode: 'BALANCE' }] }), hasWallet: false },
    'absent at the merchant': { make: () => signedIn({}, NO_WALLET_MID), hasWallet: false },
    'absent at the subscription': {
      make: () => firstPayment({ disablePaymentMode: [{ mode: 'BALANCE' }] }),
      hasWallet: false,
      isSubscription: true,
    },
    'wallet enabled at the subscription': { make: () => firstPayment(), hasWallet: true, isSubscription: true },
  }
  test('the wallet pays beside every mode where it may, and nowhere else; nothing is put into it on the way to a mandate', async (context) => {
    const running = await service()
    const count = { asked: 0, taken: 0, takenWhereItMayNotBe: 0, refusedWhereItMayBe: 0 }
    const cases = Object.values(places).flatMap((place) =>
      Object.entries(byMode).flatMap(([paymentMode, needs]) =>
        ['NONE', 'HYBRID', 'ADDANDPAY'].map((paymentFlow) => ({ ...place, paymentMode, paymentFlow, needs })),
      ),
    )
    await signIn()
    await inParallel(8, cases.length, async (at) => {
      const { make, hasWallet, isSubscription, paymentMode, paymentFlow, needs } = cases[at]!
      const asked = await make()
      const reply = await pay(asked, { paymentMode, paymentFlow, ...needs })
      const isModeOpen = paymentMode === 'BALANCE' ? hasWallet : !(isSubscription && ['NET_BANKING', 'EMI'].includes(paymentMode))
      const isFlowOpen = paymentFlow === 'NONE' || (hasWallet && !(paymentFlow === 'ADDANDPAY' && isSubscription))
      const [may, isTaken] = [isModeOpen && isFlowOpen, codeOf(reply) === '0000']
      count.asked++
      if (isTaken) count.taken++
      if (isTaken && !may) count.takenWhereItMayNotBe++
      if (!isTaken && may) count.refusedWhereItMayBe++
      if (!may && !isTaken) assert.deepEqual(codeAndMessage(reply), isModeOpen ? REFUSED_FLOW : ['1001', 'Invalid paymentMode'])
      const usesWallet = paymentMode === 'BALANCE' || paymentFlow !== 'NONE'
      if (may && isTaken) assert.equal((await attemptOf(running, asked))!.walletPaise, usesWallet ? 300_000 : 0)
    })
    context.diagnostic(JSON.stringify(count))
    assert.deepEqual([count.asked, count.takenWhereItMayNotBe, count.refusedWhereItMayBe], [135, 0, 0])
  })

  // ------------------------------------------------------------------------------------------------------- the lists

  const emi = (planId: string, cardInfo = cards.hdfcVisa) => ({ paymentMode: 'EMI', planId, cardInfo })
  const credit = (cardInfo: string) => ({ paymentMode: 'CREDIT_CARD', cardInfo })

  test('an enabled element is one combination: HDFC for three months and AXIS for six let neither change months', async () => {
    const enablePaymentMode = [
      { mode: 'EMI', banks: ['HDFC'], tenures: [3] },
      { mode: 'EMI', banks: ['AXIS'], tenures: [6] },
    ]
    const answer = async (means: object) => codeAndMessage(await pay(await order({ enablePaymentMode }), means))
    assert.deepEqual(await answer(emi('HDFC|6')), ['1001', 'Invalid planId'])
    assert.deepEqual(await answer(emi('AXIS|3', cards.axisMaster)), ['1001', 'Invalid planId'])
    assert.equal((await answer(emi('HDFC|3')))[0], '0000')
    assert.equal((await answer(emi('AXIS|6', cards.axisMaster)))[0], '0000')
  })

  test('a disabled element is one combination: HDFC for nine months leaves HDFC three months, and AXIS nine', async () => {
    const disablePaymentMode = [{ mode: 'EMI', banks: ['HDFC'], tenures: [9] }]
    const answer = async (means: object) => codeAndMessage(await pay(await order({ disablePaymentMode }), means))
    assert.deepEqual(await answer(emi('HDFC|9')), ['1001', 'Invalid planId'])
    assert.equal((await answer(emi('HDFC|3')))[0], '0000')
    assert.equal((await answer(emi('AXIS|9', cards.axisMaster)))[0], '0000')
  })

  test('schemes of EMI count for the plans that are shown, as for those that are paid', async () => {
    const running = await service()
    const diners = await order({ enablePaymentMode: [{ mode: 'EMI', channels: ['DINERS'] }] })
    assert.deepEqual(await shownOf(running, diners), new Set())
    assert.equal(codeOf(await pay(diners, emi('HDFC|3'))), '312')
  })

  test('a card of an unknown bank counts as none of the enabled banks, and as none of the disabled ones', async () => {
    const only = await order({ enablePaymentMode: [{ mode: 'CREDIT_CARD', banks: ['HDFC'] }] })
    assert.equal(codeOf(await pay(only, credit(cards.unknownVisa))), '312')
    assert.equal(codeOf(await pay(only, credit(cards.hdfcVisa))), '0000')
    const without = await order({ disablePaymentMode: [{ mode: 'CREDIT_CARD', banks: ['HDFC'] }] })
    assert.equal(codeOf(await pay(without, credit(cards.hdfcVisa))), '312')
    assert.equal(codeOf(await pay(without, credit(cards.unknownVisa))), '0000')
  })

  test('a channel that its mode cannot have is refused on the path of the interface; on the payment host it fits nothing', async () => {
    for (const [member, elements, path, value] of [
      ['enablePaymentMode', [{ mode: 'UPI', channels: ['UPI', 'UPIQR'] }], 'enablePaymentMode[0].channels[1]', 'UPIQR'],
      ['disablePaymentMode', [{ mode: 'PPBL' }, { mode: 'EMI', channels: ['HDFC'] }], 'disablePaymentMode[1].channels[0]', 'HDFC'],
      ['enablePaymentMode', { mode: 'CREDIT_CARD', channels: ['visa'] }, 'enablePaymentMode[0].channels[0]', 'visa'],
    ] as const) {
      const refused = await create({ [member]: elements }, { path: LAW })
      assert.deepEqual(codeAndMessage(refused), ['1011', `Parameter '[${path}]' has invalid value '[${value}]'`])
      assert.deepEqual(refused.body.resultInfo.extraParamsMap, { parameter: path })
    }
    const taken = {
      enablePaymentMode: [{ mode: 'CREDIT_CARD', channels: ['DINERS', 'MAESTRO', 'DISCOVER', 'RUPAY'] }, { channels: ['X1'] }],
    }
    assert.equal(codeOf(await create(taken, { path: LAW })), '0000')
    assert.equal(codeOf(await create({ enablePaymentMode: [{ mode: 'NET_BANKING', channels: ['NOSUCH'] }] }, { path: LAW })), '0000')
    for (const path of HOSTS) {
      const enabled = await order(
        { enablePaymentMode: [{ mode: 'UPI', channels: ['UPIQR', 'UPI-QR', 'any app'] }, { mode: 'PPBL' }] },
        { path },
      )
      const refused = await pay(enabled, { paymentMode: 'UPI', payerAccount: 'asha@upi' })
      assert.deepEqual(codeAndMessage(refused), ['1001', 'Invalid channelCode'])
      const disabled = await order({ disablePaymentMode: [{ mode: 'CREDIT_CARD', channels: ['CARD'] }] }, { path })
      assert.equal(codeOf(await pay(disabled, credit(cards.hdfcVisa))), '0000')
    }
  })

  async function shownOf(running: Service, { mid, orderId, txnToken }: Order): Promise<Set<string>> {
    const path = `/theia/api/v1/fetchPaymentOptions?mid=${mid}&orderId=${orderId}`
    const { body } = await running.post(path, JSON.stringify({ head: { txnToken }, body: {} }))
    const shown = new Set<string>()
    for (const { paymentMode, payChannelOptions } of body.merchantPayOption.paymentModes)
      for (const { channelCode, emiChannelInfos } of payChannelOptions) {
        if (!emiChannelInfos) shown.add(`${paymentMode} ${channelCode}`)
        for (const { planId } of emiChannelInfos ?? []) shown.add(`EMI ${planId}`)
      }
    return shown
  }

  /** Ways to pay for which the sandbox's lists have an instrument. */
  const ways: [Option, object][] = [
    ...(['BALANCE', 'PPBL', 'SVC_DIGITAL_CREDIT'] as const).map((mode): [Option, object] => [{ mode }, { paymentMode: mode }]),
    [
      { mode: 'UPI', channels: 'UPI' },
      { paymentMode: 'UPI', payerAccount: 'asha@upi' },
    ],
    [{ mode: 'UPI', channels: 'UPIPUSH' }, { paymentMode: 'UPI_INTENT' }],
    [
      { mode: 'UPI', channels: 'UPIPUSHEXPRESS' },
      { paymentMode: 'UPI', channelCode: 'UPIPUSHEXPRESS' },
    ],
    [{ mode: 'CREDIT_CARD', channels: 'VISA', banks: 'HDFC' }, credit(cards.hdfcVisa)],
    [{ mode: 'CREDIT_CARD', channels: 'MASTER', banks: 'AXIS' }, credit(cards.axisMaster)],
    [{ mode: 'CREDIT_CARD', channels: 'VISA' }, credit(cards.unknownVisa)],
    [
      { mode: 'DEBIT_CARD', channels: 'VISA', banks: 'SBI' },
      { paymentMode: 'DEBIT_CARD', cardInfo: cards.sbiVisaDebit },
    ],
    [
      { mode: 'DEBIT_CARD', channels: 'MASTER' },
      { paymentMode: 'DEBIT_CARD', cardInfo: cards.unknownMasterDebit },
    ],
    ...['HDFC', 'AXIS'].map((bank): [Option, object] => [
      { mode: 'NET_BANKING', channels: bank, banks: bank },
      { paymentMode: 'NET_BANKING', channelCode: bank },
    ]),
    ...[3, 6, 9].map((tenures): [Option, object] => [{ mode: 'EMI', channels: 'VISA', banks: 'HDFC', tenures }, emi(`HDFC|${tenures}`)]),
    ...[3, 6, 9].map((tenures): [Option, object] => [
      { mode: 'EMI', channels: 'MASTER', banks: 'AXIS', tenures },
      emi(`AXIS|${tenures}`, cards.axisMaster),
    ]),
  ]

  test('what a page shows of drawn lists is what can be paid, and what the interface says', async (context) => {
    const running = await service()
    const random = new Random(SEED)
    const shownOfAll = new Set(options.map(shownAs))
    const count = { lists: 0, shown: 0, asked: 0, paid: 0, differences: 0 }
    for (; count.lists < 24; count.lists++) {
      const lists: Lists = drawn((below) => random.below(below))
      const modes = {
        ...(lists.enable && { enablePaymentMode: lists.enable }),
        ...(lists.disable && { disablePaymentMode: lists.disable }),
      }
      const shown = (await shownOf(running, await signedIn(modes))).intersection(shownOfAll)
      const payable = new Set(options.filter((option) => mayPay(lists, option)).map(shownAs))
      count.shown += shown.size
      if (shown.symmetricDifference(payable).size > 0) count.differences++
      const drawnWays = Array.from({ length: 6 }, () => random.pick(ways))
      await inParallel(6, drawnWays.length, async (at) => {
        const [option, means] = drawnWays[at]!
        const isPaid = codeOf(await pay(await signedIn(modes), means)) === '0000'
        count.asked++
        if (isPaid) count.paid++
        if (isPaid !== mayPay(lists, option) || (isPaid && !shown.has(shownAs(option)))) count.differences++
      })
    }
    context.diagnostic(`seed ${SEED}: ${JSON.stringify(count)}`)
    assert.deepEqual([count.lists, count.asked, count.differences], [24, 144, 0])
    assert.ok(count.paid > 20 && count.paid < 124 && count.shown > 0, 'neither all nor nothing')
  })

  // ------------------------------------------------------------------------------------------------------ subscriptions

  const subscribe = async (path: string, more: object) => {
    const orderId = `MODES-${++ids}`
    return (await service()).signed(`${path}?mid=${MID}&orderId=${orderId}`, subscription(orderId, more))
  }
  const [SUBSCRIBE, SUBSCRIBE_HOST] = ['/subscription/create', '/theia/api/v1/subscription/create']

  test('a subscription whose only mode has no channel left is refused', async () => {
    const NOT_ENABLED = ['2022', 'Paymode not enabled for the merchant account']
    const upi = ['UPI', 'UPIPUSH', 'UPIPUSHEXPRESS']
    const refused = [
      { enablePaymentMode: [{ mode: 'UPI' }], disablePaymentMode: [{ mode: 'UPI', channels: upi }] },
      { enablePaymentMode: [{ mode: 'UPI', channels: ['UPI'] }], disablePaymentMode: [{ mode: 'UPI', channels: ['UPI', 'UPIPUSH'] }] },
      { subscriptionPaymentMode: 'CC', disablePaymentMode: [{ mode: 'CREDIT_CARD', channels: ['VISA', 'MASTER', 'AMEX', 'RUPAY'] }] },
      { enablePaymentMode: [{ mode: 'CREDIT_CARD', channels: ['DINERS'] }] },
    ]
    for (const more of refused) assert.deepEqual(codeAndMessage(await subscribe(SUBSCRIBE, more)), NOT_ENABLED, JSON.stringify(more))
    const left = { enablePaymentMode: [{ mode: 'UPI' }], disablePaymentMode: [{ mode: 'UPI', channels: upi.slice(1) }] }
    assert.equal(codeOf(await subscribe(SUBSCRIBE, left)), '0000')
  })

  test('lists that a mode does not have: enabled the mode is open, disabled nothing is taken away; a subscription has no banks', async () => {
    for (const lists of [
      { enablePaymentMode: [{ mode: 'UPI', banks: ['HDFC'], tenures: [3] }] },
      { disablePaymentMode: [{ mode: 'UPI', banks: ['HDFC'] }] },
      { disablePaymentMode: [{ mode: 'UPI', tenures: [9] }] },
    ])
      assert.equal(codeOf(await pay(await order(lists), { paymentMode: 'UPI', payerAccount: 'asha@upi' })), '0000', JSON.stringify(lists))
    const asked = { enablePaymentMode: [{ mode: 'UPI', banks: ['SBI'] }], disablePaymentMode: [{ mode: 'UPI', banks: ['SBI'] }] }
    assert.equal(codeOf(await subscribe(SUBSCRIBE, asked)), '0000')
  })

  test('a channel that its mode cannot have is 1007 on the path of the interface; on the payment host it fits nothing', async () => {
    const asked = { enablePaymentMode: [{ mode: 'UPI', channels: ['UPIQR'] }] }
    assert.deepEqual(codeAndMessage(await subscribe(SUBSCRIBE, asked)), ['1007', 'Invalid channels'])
    assert.equal(codeOf(await subscribe(SUBSCRIBE_HOST, asked)), '2022')
    assert.equal(codeOf(await subscribe(SUBSCRIBE_HOST, { enablePaymentMode: [{ mode: 'UPI', channels: ['UPI-QR'] }] })), '2022')
    assert.equal(codeOf(await subscribe(SUBSCRIBE_HOST, { disablePaymentMode: asked.enablePaymentMode })), '0000')
  })
})
