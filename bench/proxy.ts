// A slower way to a database, in its own process: `proxy.ts PORT MS` passes bytes on in order, MS milliseconds later, in both directions.
// With a third word it prints when each journey begins: when a client sends that has received since it last sent.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { machineMs } from './one-by-one.ts'

const [port, delayMs] = process.argv.slice(2, 4).map(Number) as [number, number]
const tells = process.argv[4] !== undefined

/** Timers of one length keep their order. */
const later = (act: () => void) => (delayMs > 0 ? setTimeout(act, delayMs) : act())

const server = createServer({ noDelay: true }, (client) => {
  const database = connect({ port, host: '127.0.0.1', noDelay: true })
  let hasReceived = true
  client.on('data', () => {
    if (tells && hasReceived) console.log(`journey ${machineMs()}`)
    hasReceived = false
  })
  pass(client, database, () => {})
  pass(database, client, () => {
    hasReceived = true
  })
}).listen(0, '127.0.0.1', () => console.log(`proxy listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`))

function pass(from: Socket, to: Socket, passed: () => void) {
  from.on('data', (chunk) =>
    later(() => {
      to.write(chunk)
      passed()
    }),
  )
  from.on('end', () => later(() => to.end()))
  from.on('error', () => to.destroy())
}
