// The console's routes, as its router has them.

import Fastify from 'fastify'
import { Passwords } from '../../../src/console/kit/passwords.ts'
import { openConsole } from '../../../src/console/routes.ts'
import { readAssets } from '../../../src/pages/kit/assets.ts'
import type { Service } from '../run/service.ts'

export interface Route {
  method: string
  url: string
  admits: string
}

/** Every route, HEAD included. */
export async function routesOf({ ports }: Pick<Service, 'ports'>): Promise<Route[]> {
  const routes: Route[] = []
  const server = Fastify()
  server.addHook('onRoute', ({ method, url, config }) => {
    for (const each of [method].flat()) routes.push({ method: String(each), url, admits: config!.admits! })
  })
  const passwords = new Passwords(ports.clock)
  const settings = { mode: 'sandbox', consoleUrl: undefined, publicUrl: undefined }
  openConsole(server, settings as never, {
    ports,
    aside: ports.query,
    assets: readAssets(),
    logger: server.log,
    passwords,
    publicUrl: () => 'http://127.0.0.1',
  })
  await server.ready()
  await server.close()
  return routes
}
