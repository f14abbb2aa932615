// A real nginx before a served process, whose console has a host of its own. Each way to pass `Host` on opens the console, or is logged.
// The configuration of docs/operating/install.md is read from there.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { certificate, key } from '../../support/notifications/certificate.ts'
import { freePort } from '../../support/run/example-shops.ts'
import { mohurCommand, serveProcess } from '../../support/run/process.ts'

const nginx = ['nginx', '/usr/sbin/nginx'].find((command) => spawnSync(command, ['-v']).status === 0)
if (nginx === undefined)
  test('nginx is there where it is required', () => {
    console.log('\n==== NO NGINX HERE: its tests are LEFT OUT (apt-get install nginx-light) ====\n')
    assert.notEqual(process.env['MOHUR_NGINX'], 'required', 'MOHUR_NGINX=required, and there is no nginx-light')
  })

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/operating/install.md'), 'utf8')
const [, documented] = /```nginx\n(.*?)```/s.exec(page)!
const OWN_HOST = 'proxy_set_header Host $http_host;'
const PAY = 'pay.shop.example'
const CONSOLE = 'console.shop.example'

const PROXIES: Readonly<Record<string, { lines: string; opens: boolean }>> = {
  'without a line for Host': { lines: documented!.replace(`    ${OWN_HOST}\n`, ''), opens: false },
  'Host $host, on another port': { lines: documented!.replace(OWN_HOST, 'proxy_set_header Host $host;'), opens: false },
  'the lines of install.md': { lines: documented!, opens: true },
}

/** The lines, with this machine's ports and files in the place of an operator's. */
function placed(lines: string, { folder, service, ports }: { folder: string; service: string; ports: { http: number; https: number } }) {
  const places: Readonly<Record<string, string>> = {
    'server 127.0.0.1:8080;': `server ${new URL(service).host};`,
    'listen 80;': `listen 127.0.0.1:${ports.http};`,
    'listen 443 ssl;': `listen 127.0.0.1:${ports.https} ssl;`,
    '/etc/ssl/shop.pem': join(folder, 'shop.pem'),
    '/etc/ssl/shop.key': join(folder, 'shop.key'),
    '/var/log/nginx/mohur.log': join(folder, 'access.log'),
  }
  for (const place of Object.keys(places)) assert.equal(lines.split(place).length, 2, `install.md has ${place} once`)
  return Object.entries(places).reduce((text, [from, to]) => text.replace(from, to), lines)
}

async function startNginx(lines: string, folder: string) {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${join(folder, name)};`)
  const user = process.getuid!() === 0 ? 'user root;' : ''
  writeFileSync(join(folder, 'shop.pem'), certificate)
  writeFileSync(join(folder, 'shop.key'), key)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user} daemon off; pid ${join(folder, 'pid')}; error_log stderr notice; events {} http { access_log off; ${paths.join(' ')}\n${lines}}`,
  )
  const child = spawn(nginx!, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  let said = ''
  await new Promise<void>((resolved, rejected) => {
    child.stderr.on('data', (part) => {
      said += part
      if (said.includes('start worker process ')) resolved()
    })
    child.once('exit', (code) => rejected(new Error(`nginx ended with ${code}: ${said}`)))
  })
  return async () => {
    child.kill('SIGTERM')
    await ended
  }
}

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}
/** As a browser asks: the name goes into the handshake and, with the port, into `Host`. */
function ask(name: string, port: number, path: string, method = 'GET'): Promise<Answer> {
  const headers = { host: `${name}:${port}`, 'accept-encoding': 'gzip', ...(method === 'POST' && { 'content-type': 'application/json' }) }
  const asked = request({ host: '127.0.0.1', port, path, method, headers, servername: name, rejectUnauthorized: false })
  return new Promise((resolved, rejected) => {
    asked.once('error', rejected).once('response', async (answer) => {
      const parts: Buffer[] = []
      for await (const part of answer) parts.push(part)
      resolved({ status: answer.statusCode!, headers: answer.headers, text: Buffer.concat(parts).toString() })
    })
    asked.end(method === 'POST' ? '{}' : undefined)
  })
}

const ROUNDS_MAX = 1_000 // each waits for an answer
const MINUTE_PASSED = 'a minute passed'
/** SIGUSR2 lets a minute pass by the clock that measures. */
const MINUTE = `--import=data:text/javascript,${encodeURIComponent(
  `const now=performance.now.bind(performance);let more=0;performance.now=()=>now()+more;process.on('SIGUSR2',()=>{more+=60000;console.log('${MINUTE_PASSED}')})`,
)}`
const OTHER_HOST = 'a request for the console came under another host'

for (const mode of nginx ? (['production', 'sandbox'] as const) : [])
  for (const [proxy, { lines, opens }] of Object.entries(PROXIES))
    test(`nginx, ${proxy}, ${mode}: the console ${opens ? 'opens' : 'is 404 and logged once a minute'}`, {
      timeout: 120_000,
    }, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'mohur-nginx-'))
      after(() => rmSync(folder, { recursive: true, force: true }))
      const ports = { http: await freePort(), https: await freePort() }
      const environment = {
        MOHUR_MODE: mode,
        MOHUR_DATA: join(folder, 'data'),
        MOHUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        MOHUR_PUBLIC_URL: `https://${PAY}:${ports.https}`,
        MOHUR_CONSOLE_URL: `https://${CONSOLE}:${ports.https}`,
        MOHUR_TRUSTED_PROXIES: '127.0.0.1',
        MOHUR_LOG: 'warn',
        NODE_OPTIONS: MINUTE,
      }
      if (mode === 'production') {
        const added = await mohurCommand(
          ['merchant', 'add', '--mid', 'SHOP1', '--website', `DEFAULT=https://shop.example/back`],
          environment,
        )
        assert.equal(added.code, 0, added.err)
      }
      const service = await serveProcess(environment)
      after(() => service.kill('SIGTERM'))
      const stop = await startNginx(placed(lines, { folder, service: service.url, ports }), folder)
      after(stop)

      const consoleAt = `${CONSOLE}:${ports.https}`
      const minutes: { shown: Answer; lines: string[] }[] = []
      for (const past of [1, 2]) {
        const [shown] = [await askConsole(), await askConsole(), await askConsole()]
        process.kill(service.pid, 'SIGUSR2')
        // Every earlier line of the log comes before these words.
        const isPast = () => service.log().toString().split(MINUTE_PASSED).length > past
        for (let round = 0; round < ROUNDS_MAX && !isPast(); round++) await fetch(`${service.url}/healthz`)
        assert.ok(isPast())
        const [said] = service
          .log()
          .toString()
          .split(MINUTE_PASSED)
          .slice(past - 1)
        minutes.push({ shown: shown!, lines: said!.split('\n').filter((line) => line.includes(OTHER_HOST)) })
      }
      const operation = await ask(PAY, ports.https, '/theia/api/v1/initiateTransaction?mid=SHOP1&orderId=O1', 'POST')
      const [first, second] = minutes
      const { came = '' } = JSON.parse(first!.lines[0] ?? '{}') as { came?: string }
      t.diagnostic(
        `${[mode, proxy, `console ${first!.shown.status}`, `operation ${operation.status}`].join(' | ')} | lines of two minutes ${first!.lines.length}, ${second!.lines.length}${came && ` | came ${came}`}`,
      )
      assert.equal(operation.status, 200)
      for (const { shown, lines } of minutes) {
        assert.equal(shown.status, opens ? 200 : 404)
        assert.equal(lines.length, opens ? 0 : 1)
        for (const line of lines) {
          const { level, expected, msg } = JSON.parse(line) as { level: number; expected: string; msg: string }
          assert.deepEqual({ level, expected, msg }, { level: 40, expected: consoleAt, msg: OTHER_HOST })
        }
        if (!opens) assert.equal(shown.text.includes(consoleAt), mode === 'sandbox', 'only a sandbox says where the console is')
      }
      if (!opens) return
      assert.equal(first!.shown.headers['content-encoding'], 'gzip')
      for (const name of [PAY, CONSOLE])
        for (const path of ['/healthz', '/readyz', '/metrics'])
          assert.equal((await ask(name, ports.https, path)).status, 404, `${name}${path}`)
      const logged = readFileSync(join(folder, 'access.log'), 'utf8')
      assert.match(logged, /"POST \/theia\/api\/v1\/initiateTransaction" 200 /)
      assert.ok(!logged.includes('?'), 'a query may hold a token')
      const plain = await fetch(`http://127.0.0.1:${ports.http}/console/sign-in`, { redirect: 'manual' })
      assert.deepEqual([plain.status, plain.headers.get('location')], [301, 'https://127.0.0.1/console/sign-in'])

      function askConsole() {
        return ask(CONSOLE, ports.https, '/console/sign-in')
      }
    })
