// The browser loader's script (docs/pages.md), which every page of every shop requests, beside bare node:http that answers a GET with as
// many constant bytes. Rounds alternate; the median of the rounds' ratios counts.

import { join } from 'node:path'
import { pagePaths } from '../src/interface/page-paths.ts'
import type { Figure, Options } from './bench.ts'
import { median } from './numbers.ts'
import { CHECKOUT, load, serve, serveMohur } from './processes.ts'
import { MID } from './requests.ts'
import { withStore } from './stores.ts'

const CONNECTIONS = 64
const REQUESTS = 60_000
const ROUNDS = 5
const WARM_UP = 2 // uncounted rounds: the first requests compile the code
const BAR = 0.5

export async function loader({ checkout, rounds = ROUNDS, orders = REQUESTS }: Options): Promise<Figure[]> {
  const address = `${pagePaths.checkoutScript.replace(':mid', MID)}.js`
  const bare = await serve(join(CHECKOUT, 'bench/bare.ts'))
  const ratios: number[] = []
  await withStore('sqlite', async ({ newPlace }) => {
    const served = await serveMohur({ ...(await newPlace()), checkout })
    const kind = { get: Array.from({ length: 64 }, () => address) }
    const asked = { connections: CONNECTIONS, requests: orders, kind }
    for (let round = 1; round <= WARM_UP + rounds; round++) {
      const ofBare = await load({ ...asked, port: bare.port, run: `bare${round}`, expect: 'xxx' })
      const ours = await load({ ...asked, port: served.port, run: `loader${round}`, expect: 'CheckoutJS' })
      console.error(`  round ${round}: bare ${ofBare.perSecond.toFixed(0)}/s, loader ${ours.perSecond.toFixed(0)}/s`)
      if (round > WARM_UP) ratios.push(ours.perSecond / ofBare.perSecond)
    }
    await served.stop()
  })
  await bare.stop()
  return [{ what: "the browser loader's script ÷ bare", figure: median(ratios), unit: 'ratio', bar: { atLeast: BAR } }]
}
