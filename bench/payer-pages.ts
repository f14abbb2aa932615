// Open payment pages of a signed-in payer with a wallet, a stored card and offers. The page's script requests a price, and a form is
// refused.

import { operations } from '../src/api/operations.ts'
import { sign } from '../src/interface/checksum.ts'
import { pagePaths } from '../src/interface/page-paths.ts'
import { AGENT, KEY, MID } from './requests.ts'

const MOBILE = '9999900001' // has a wallet in the demo world
const CLIENT = `Basic ${Buffer.from('demo-app:demo-secret').toString('base64')}`
const CARD = '4111111111111111'
const OTHER_BANKS_CARD = '4012888888881881' // has no instalments with the plan's bank

export interface PayerPages {
  addresses: readonly string[]
  /**
   * Forms of these pages. `price` pays by a stored card beside a part from the wallet. `refused` combines one bank's plan with another
   * bank's card.
   */
  forms: Readonly<Record<'price' | 'refused', string>>
}

/** This many pages, each for its own unpaid order. */
export async function payerPages(port: number, count: number): Promise<PayerPages> {
  const url = `http://127.0.0.1:${port}`
  const paytmSsoToken = await signIn(url)
  const newPage = async (orderId: string) => {
    const txnToken = await order(url, orderId, paytmSsoToken)
    const query = new URLSearchParams({ mid: MID, orderId, txnToken })
    const { headers } = await fetch(`${url}${pagePaths.showPaymentPage}?${query}`, { redirect: 'manual', headers: { 'user-agent': AGENT } })
    return { txnToken, address: headers.get('location') ?? fails(`no page was opened for ${orderId}`) }
  }
  const { txnToken } = await newPage('KEEPS')
  const kept = { requestType: 'NATIVE', paymentMode: 'CREDIT_CARD', cardInfo: `|${CARD}|123|122032`, storeInstrument: '1' }
  await post(`${url}${operations.processTransaction.paths[0]}?mid=${MID}&orderId=KEEPS`, {
    head: { txnToken },
    body: { ...kept, mid: MID, orderId: 'KEEPS' },
  })
  const addresses: string[] = []
  for (let at = 0; at < count; at++) addresses.push((await newPage(`PAYER_${at}`)).address)
  return { addresses, forms: await formsOf(`${url}${addresses[0]}`) }
}

async function formsOf(page: string): Promise<PayerPages['forms']> {
  const read = async (query: string) => (await fetch(page + query, { headers: { 'user-agent': AGENT } })).text()
  const [savedCard = fails('the page shows no kept card')] = /(?<=name="savedCard" value=")[^"]+/.exec(await read('')) ?? []
  const [plans] = /<form[^>]* data-pays=(?:(?!<\/form>).)*name="plan".*?<\/form>/s.exec(await read('?emi=HDFC')) ?? []
  const plannedIn = (name: string) =>
    new RegExp(`(?<=name="${name}" value=")[^"]+`).exec(plans ?? '')?.[0] ?? fails(`no ${name} among the plans`)
  const named = Object.fromEntries(['attempt', 'amount', 'mode', 'panel', 'emiBank', 'plan'].map((name) => [name, plannedIn(name)]))
  const card = { cardNumber: OTHER_BANKS_CARD, expiry: '12/32', cvv: '123' }
  return {
    price: String(new URLSearchParams({ mode: 'CREDIT_CARD', savedCard, share: '1' })),
    refused: String(new URLSearchParams({ ...named, ...card })),
  }
}

/** Signs in by a code of the sandbox's inbox. Returns the token by which an order names its payer. */
async function signIn(url: string): Promise<string> {
  const headers = { authorization: CLIENT, 'x-device-identifier': 'bench' }
  const asked = await post(`${url}${operations.sendOtp.paths[0]}?locale=en-IN`, { phone: MOBILE }, headers)
  const { messages } = (await (await fetch(`${url}/sandbox/inbox?mobile=${MOBILE}`)).json()) as { messages: { otp: string }[] }
  const given = { state_token: asked['state_token'], otp: messages[0]?.otp }
  const { tokens } = await post(`${url}${operations.validateOtp.paths[0]}?locale=en-IN`, given, headers)
  return JSON.parse(String(tokens)).access_token
}

async function order(url: string, orderId: string, paytmSsoToken: string): Promise<string> {
  const body = JSON.stringify({
    ...{ requestType: 'PAYMENT', mid: MID, orderId, websiteName: 'DEFAULT', txnAmount: { value: '5500.00', currency: 'INR' } },
    ...{ paytmSsoToken, userInfo: { custId: 'PAYER' }, simplifiedPaymentOffers: { applyAvailablePromo: true } },
  })
  const text = `{"head":{"signature":"${sign(body, KEY, 'salt')}"},"body":${body}}`
  // The path of the payment host's clients. They alone name a payer who has signed in (docs/interface.md section 4.9).
  const answer = (await post(`${url}/order/initiate?mid=${MID}&orderId=${orderId}`, text)) as {
    body?: { txnToken?: string }
  }
  return answer.body?.txnToken ?? fails(`no order was made: ${JSON.stringify(answer)}`)
}

async function post(address: string, body: object | string, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return (await answer.json()) as Record<string, unknown>
}

function fails(why: string): never {
  throw new Error(why)
}
