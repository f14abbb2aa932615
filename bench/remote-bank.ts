// A processor's adapter (docs/acquirer.md) that answers at once, in its own process, so that only the cost of asking a bank over HTTP
// remains. It pays every payment except those of `declined@upi`, and gives one answer for each key.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

interface Call {
  key: string
  amountPaise: number
  means: { vpa?: string }
}

const webhook = new Webhook(process.argv[2]!)
const answers = new Map<string, object>()

createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    if (request.url === '/capabilities') return response.writeHead(404).end() // it has no mandates
    const text = Buffer.concat(parts).toString()
    const call = webhook.verify(text, request.headers as Record<string, string>) as Call
    if (request.url === '/authorize' && !answers.has(call.key)) answers.set(call.key, answerTo(call))
    const body = JSON.stringify({ key: call.key, ...(answers.get(call.key) ?? { outcome: 'absent' }) })
    const [id, at] = [`answer_${request.headers['webhook-id']}`, new Date()]
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': webhook.sign(id, at, body),
    })
    response.end(body)
  })
}).listen(0, '127.0.0.1', function (this: Server) {
  console.log(`the bank listens on http://127.0.0.1:${(this.address() as AddressInfo).port}`)
})

const answerTo = ({ amountPaise, means }: Call) =>
  means.vpa === 'declined@upi'
    ? { outcome: 'failure', failure: 'declined' }
    : { outcome: 'success', reference: `R${answers.size}`, amountPaise }
