// Calls the unmodified subscription service of a sample backend, and its receiver of webhooks, as its web application does.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [step, root] = process.argv.slice(2)
const known = JSON.parse(readFileSync(0, 'utf8'))
Object.assign(process.env, { PAYTM_MID: known.mid, PAYTM_MERCHANT_KEY: known.key, PAYTM_CALLBACK_URL: 'http://shop.example/callback' })
const of = (file) => import(pathToFileURL(`${root}/scripts/backend-node/${file}`).href)
const service = await of('subscriptionService.js')
const { subscriptionId } = known
const IN_INDIA_MS = 5.5 * 3_600_000
const day = new Date(Date.now() + IN_INDIA_MS + 2 * 86_400_000).toISOString().slice(0, 10)

const resultOf = ({ resultInfo: info }) => ({ code: info.code ?? info.resultCode, status: info.status ?? info.resultStatus })
const renewal = 'RENEWAL_NODE'
const notice = 'NOTICE_NODE'

const steps = {
  create: () =>
    service.createSubscription({
      ...{ amount: '2.00', renewalAmount: '499', custId: 'CUST-7+x', mobile: '9999900001', email: 'asha@example.in' },
      orderId: known.orderId,
    }),
  checkStatus: () => service.checkSubscriptionStatus({ subsId: subscriptionId }),
  preNotify: async () => {
    const { raw } = await service.preNotifySubscription({ subscriptionId, amount: '499', orderId: notice, scheduledExecutionDate: day })
    return resultOf(raw)
  },
  preNotifyStatus: async () => {
    const body = await service.preNotifyStatus({ subscriptionId, orderId: notice })
    return { ...resultOf(body), notice: body.notificationStatus }
  },
  renew: async () => resultOf((await service.renewSubscription({ subscriptionId, amount: '499', orderId: renewal })).raw),
  renewalStatus: async () => {
    const body = await service.getOrderStatus({ orderId: renewal })
    return { ...resultOf(body), amount: body.txnAmount }
  },
  cancel: async () => resultOf(await service.cancelSubscription({ subscriptionId })),
  told: async () => {
    const { handleWebhook, recentEvents } = await of('webhookHandler.js')
    const answers = []
    for (const rawBody of known.told) answers.push(await handleWebhook({ rawBody, parsed: JSON.parse(rawBody) }))
    const fresh = answers.filter(({ httpStatus, detail }) => httpStatus === 200 && !detail.dedup)
    return {
      refused: answers.filter(({ httpStatus }) => httpStatus !== 200).length,
      seen: fresh.length === known.told.length,
      events: recentEvents()
        .reverse()
        .map(({ payload }) => payload.body.txnType)
        .join(' '),
    }
  },
}
console.log(JSON.stringify(await steps[step]()))
