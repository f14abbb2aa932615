// Faults over all operations: the hint names the kind of the fault and its place, whatever the refusal's code is.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sample } from '../../src/api/kit/sample.ts'
import { type OperationName, operations } from '../../src/api/operations.ts'
import { filled, knownAt } from '../../src/docs/sample-requests.ts'
import type { OperationLine } from '../../src/http/handler.ts'
import { sign } from '../../src/interface/checksum.ts'
import { demoWorld, type World } from '../../src/sandbox/world.ts'
import { type Broken, brokenByQuery, brokenBySchema } from '../support/described/broken.ts'
import { standing, standingLater } from '../support/described/standing.ts'
import { createOrder } from '../support/paying/paying.ts'
import { KEY, onBothStores, type Service, sharedService } from '../support/run/service.ts'
import { Random } from '../support/text/random.ts'

const SEED = 20261127
const FAULTS = process.env['MOHUR_LONG'] ? 2_000 : 300
const [demo] = demoWorld.merchants!
const world: World = {
  ...demoWorld,
  merchants: [{ ...demo!, registersNotificationUrl: true }],
}

const names = Object.keys(operations) as OperationName[]
const OTHER_KEY = 'PONMLKJIHGFEDCBA'

/** Wrong by the key alone, by the bytes alone, by the form, or not at all. */
type Signing = 'right' | 'key' | 'bytes' | 'form'
const signatureOf = (text: string, by: Signing): string =>
  by === 'form' ? '!'.repeat(108) : sign(by === 'bytes' ? `${text} ` : text, by === 'key' ? OTHER_KEY : KEY, 'salt')

interface Case extends Broken {
  path: string
  signing?: Signing
}

/** The paths that judge a request as the first one does. */
function pathsOf(name: OperationName): readonly string[] {
  const { paths, flatPaths = [] }: OperationLine = operations[name]
  return operations[name].host || name === 'modifyOrder' ? paths.slice(0, 1) : paths.filter((path) => !flatPaths.includes(path))
}

const isSigned = ({ head = {}, headers = {} }: Sample) => [...Object.values(head), ...Object.values(headers)].includes('{signature}')
const cases: readonly Case[] = names.flatMap((operation) => {
  const sample = operations[operation].sample
  const bySignature = (['key', 'bytes', 'form'] as const).map((kind) => ({
    ...{ operation, sample, kind, signing: kind, what: `signature ${kind}`, place: '' },
  }))
  const broken = [...brokenBySchema(operation), ...brokenByQuery(operation), ...(isSigned(sample) && sample.head ? bySignature : [])]
  return pathsOf(operation).flatMap((path) => broken.map((each) => ({ ...each, path })))
})

async function hintFor({ url }: Service, { operation, path, sample, signing = 'right' }: Case, known: Readonly<Record<string, string>>) {
  const { method } = operations[operation]
  const fill = <T>(part: T): T => (part === undefined ? part : JSON.parse(filled(JSON.stringify(part), known)))
  const { query, headers, head, body } = fill(sample)
  const text = JSON.stringify(body)
  const signature = text === undefined ? '' : signatureOf(text, signing)
  const withSignature = (json: string) => json.replaceAll('"{signature}"', JSON.stringify(signature))
  const sent = head ? `{"head":${withSignature(JSON.stringify(head))},"body":${text}}` : text
  const reply = await fetch(`${url}${path}${query ? `?${new URLSearchParams(query as Record<string, string>)}` : ''}`, {
    method,
    headers: { 'content-type': 'application/json', ...JSON.parse(withSignature(JSON.stringify(headers ?? {}))) },
    ...(sent !== undefined && { body: sent }),
  })
  return { text: await reply.text(), hint: reply.headers.get('mohur-hint') ?? '' }
}

const read = (hint: string) => {
  const [word, at = ''] = hint.split('; ')
  return { kind: word, place: at.startsWith('at ') ? at.slice('at '.length) : '' }
}

onBothStores('a hint', (store) => {
  const service = sharedService(store, { world })

  test(`names the kind and the place of ${FAULTS} drawn faults, of ${cases.length} that there are (seed ${SEED})`, async (t) => {
    const running = await service()
    const order = await createOrder(running, 'FAULTS')
    const known = { ...knownAt(running.clock.now(), 'FAULTS'), orderId: 'FAULTS', txnToken: order.txnToken, txnId: '1' }
    const random = new Random(SEED)
    const drawn = FAULTS >= cases.length ? cases : Array.from({ length: FAULTS }, () => random.pick(cases))
    const wrong: string[] = []
    for (const each of drawn) {
      const { hint, text } = await hintFor(running, each, known)
      const { kind, place } = read(hint)
      const isPlaced = each.signing !== undefined || place === each.place.slice(0, 40)
      if (kind !== each.kind || !isPlaced) wrong.push(`${each.path}: ${each.what}: ${hint || text.slice(0, 200)}`)
    }
    t.diagnostic(`${drawn.length} faults of ${names.length} operations, named otherwise ${wrong.length}`)
    assert.deepEqual(wrong, [])
  })

  test(`names the reason of ${standing.length + standingLater.length} requests whose every member has its form`, async () => {
    const running = await service()
    const wrong: string[] = []
    for (const [expected, ask] of [...standing, ...standingLater]) {
      const { hint, text } = await ask(running)
      const { kind, place } = read(hint)
      if ((place ? `${kind} at ${place}` : kind) !== expected) wrong.push(`${expected}: ${hint || text}`)
    }
    assert.deepEqual(wrong, [])
  })
})
