// Puts the service behind the names that published clients have for the payment host. By TLS, a browser finds the service under any name.

import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createServer } from 'node:tls'
import { certificate, key } from '../notifications/certificate.ts'
import type { Service } from '../run/service.ts'

export interface MappedHosts {
  /** The arguments of the browser. */
  args: readonly string[]
  /** The names that browsers called. */
  names: Set<string>
  close(): Promise<void>
}

export async function mappedHosts({ url }: Pick<Service, 'url'>): Promise<MappedHosts> {
  const names = new Set<string>()
  const open = new Set<Socket>()
  const { hostname, port } = new URL(url)
  const server = createServer({ cert: certificate, key }, (socket) => {
    if (socket.servername) names.add(socket.servername)
    const onward = connect(Number(port), hostname)
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      open.add(from)
      from.on('error', () => to.destroy()).on('close', () => open.delete(from))
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    args: [`--host-resolver-rules=MAP *:443 127.0.0.1:${(server.address() as AddressInfo).port}`, '--ignore-certificate-errors'],
    names,
    async close() {
      for (const each of open) each.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
