// The shops of examples/, each started by the lines of its document.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after } from 'node:test'
import { interpreterOf } from './interpreters.ts'

export interface ExampleShop {
  file: string
  /** The interpreter as documents spell it, and its path on this machine. */
  name: string
  command: string | undefined
  /** The line that a shop prints once it accepts requests. */
  open: RegExp
}

export const exampleShops: readonly ExampleShop[] = [
  { file: 'node/shop.mjs', name: 'node', command: process.execPath, open: /The shop is open/ },
  { file: 'php/shop.php', name: 'php', command: interpreterOf('php'), open: /Development Server .* started/ },
  { file: 'python/shop.py', name: 'python3', command: interpreterOf('python'), open: /The shop is open/ },
]

export async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** A document's lines for this service, port and interpreter. The last command starts the shop. */
export function startedHere(lines: string, { name, command }: ExampleShop, url: string, port: number): string {
  const commands = lines.trimEnd().replaceAll('http://127.0.0.1:8080', url).replaceAll('3000', String(port)).split('\n')
  return [...commands.slice(0, -1), `exec env ${commands.at(-1)!.replace(` ${name} `, ` ${command} `)}`].join('\n')
}

/** Waits until the shop is open, and returns its address. The shop ends with the test. */
export async function openShop(script: string, { open }: ExampleShop, port: number, at: { cwd: string; env?: Record<string, string> }) {
  const { PATH } = process.env
  const shop = spawn('bash', ['-e', '-c', script], { cwd: at.cwd, env: { PATH, ...at.env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(shop, 'exit')
  after(async () => {
    shop.kill()
    await ended
  })
  let said = ''
  await new Promise<void>((resolved, rejected) => {
    for (const stream of [shop.stdout, shop.stderr])
      stream.on('data', (part) => {
        said += part
        if (open.test(said)) resolved()
      })
    shop.once('exit', () => rejected(new Error(`the shop ended: ${said}`)))
  })
  return { url: `http://127.0.0.1:${port}`, said: () => said }
}
