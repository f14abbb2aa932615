// A published mock of another gateway, which keeps its charges in memory. Its argument is the folder into which bench/peers/peers.ts has installed it.

import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { announce, KEEP_ALIVE_MS } from './gateway.ts'

interface Mock {
  createExpressApp(): { listen(port: number, host: string, ready: () => void): Server }
}
const { createExpressApp } = createRequire(join(process.argv[2]!, 'package.json'))('stripe-stateful-mock') as Mock
const server = createExpressApp().listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
server.keepAliveTimeout = KEEP_ALIVE_MS
