// Tries the times of times.ts under a clock that jumps ahead and comes back, or is set back: docs/decisions/0013.

import type { Service } from '../run/service.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Timed } from './times.ts'

export const AHEAD_MS = 30 * DAY_MS
const BACK_MS = { '90 seconds': 90_000, 'two hours': 2 * HOUR_MS }

export function pass({ clock }: Service, ms: number) {
  clock.set(ms)
  clock.pass(ms)
}
/** A minute passes, and its sweeps run. */
export async function sweep(service: Service) {
  pass(service, MINUTE_MS)
  await service.tasks.runDue()
}

type Tried = 'wrongly good' | 'wrongly locked' | 'failed' | 'right'
interface Jump {
  name: string
  of(timed: Timed): boolean
  run(service: Service, timed: Timed): Promise<Tried>
}

/** A time that a wrong clock wrote, or that is over, neither opens nor locks. */
const isNothing = async ({ kind }: Timed, probe: () => Promise<boolean>): Promise<Tried> =>
  (await probe()) ? (kind === 'opens' ? 'wrongly good' : 'wrongly locked') : 'right'
/** A time that a right clock wrote holds until it is over. */
const holds = async ({ kind }: Timed, probe: () => Promise<boolean>): Promise<Tried> =>
  (await probe()) ? 'right' : kind === 'opens' ? 'wrongly locked' : 'wrongly good'

async function madeAhead(service: Service, timed: Timed) {
  const make = await timed.begin(service)
  service.clock.set(AHEAD_MS)
  const probe = await make()
  service.clock.set(-AHEAD_MS)
  return { make, probe }
}
const opens = ({ kind }: Timed) => kind === 'opens'
const isForgotten = ({ forgotten = false }: Timed) => forgotten

const ahead: readonly Jump[] = [
  {
    name: '30 days ahead, right again at once',
    of: () => true,
    run: async (service, timed) => isNothing(timed, (await madeAhead(service, timed)).probe),
  },
  {
    name: '30 days ahead, 20 days after it is right',
    of: () => true,
    async run(service, timed) {
      const { probe } = await madeAhead(service, timed)
      pass(service, 20 * DAY_MS)
      return isNothing(timed, probe)
    },
  },
  {
    name: '30 days ahead, when that time has come',
    of: isForgotten,
    async run(service, timed) {
      const { probe } = await madeAhead(service, timed)
      await sweep(service)
      pass(service, timed.lifeMs + 15 * MINUTE_MS)
      await sweep(service)
      pass(service, AHEAD_MS - timed.lifeMs - 17 * MINUTE_MS)
      return isNothing(timed, probe)
    },
  },
  {
    name: '30 days ahead, and the same person anew',
    of: opens,
    async run(service, timed) {
      const { make } = await madeAhead(service, timed)
      return holds(timed, await make())
    },
  },
]

const back = Object.entries(BACK_MS).flatMap(([name, ms]): Jump[] => [
  {
    name: `${name} back, over for longer than that`,
    of: () => true,
    async run(service, timed) {
      const probe = await (await timed.begin(service))()
      pass(service, timed.lifeMs + ms + MINUTE_MS)
      service.clock.set(-ms)
      const tried = await isNothing(timed, probe)
      service.clock.set(ms)
      return tried
    },
  },
  {
    name: `${name} back, over for three minutes`,
    of: isForgotten,
    async run(service, timed) {
      const probe = await (await timed.begin(service))()
      pass(service, timed.lifeMs + MINUTE_MS)
      await sweep(service)
      pass(service, MINUTE_MS)
      service.clock.set(-ms)
      const tried = await isNothing(timed, probe)
      service.clock.set(ms)
      return tried
    },
  },
  {
    name: `${name} back, and right again a minute later`,
    of: () => true,
    async run(service, timed) {
      const probe = await (await timed.begin(service))()
      service.clock.set(-ms)
      await sweep(service)
      service.clock.set(ms)
      return holds(timed, probe)
    },
  },
  {
    name: `${name} back, and the same person anew`,
    of: opens,
    async run(service, timed) {
      const make = await timed.begin(service)
      await make()
      service.clock.set(-ms)
      const tried = await holds(timed, await make())
      service.clock.set(ms)
      return tried
    },
  },
])

/** Tries each time under each jump, and returns how many were wrong, and which. */
export async function jumped(service: Service, times: readonly Timed[]) {
  const found: string[] = []
  const counts: Record<Tried, number> = { right: 0, 'wrongly good': 0, 'wrongly locked': 0, failed: 0 }
  for (const timed of times)
    for (const jump of [...ahead, ...back].filter((each) => each.of(timed))) {
      const tried = await jump.run(service, timed).catch((error: Error): Tried => {
        found.push(error.message)
        return 'failed'
      })
      counts[tried]++
      if (tried !== 'right') found.push(`${timed.name}, ${jump.name}: ${tried}`)
      pass(service, DAY_MS)
    }
  const { right, 'wrongly good': good, 'wrongly locked': locked, failed } = counts
  const cases = right + good + locked + failed
  return { found, says: `${times.length} times, ${cases} cases: wrongly good ${good}, wrongly locked ${locked}, failed ${failed}` }
}
