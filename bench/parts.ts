// Every part of the bench with the sentence that `npm run bench -- --help` and docs/benchmarks.md have for it.

import { applyPromo } from './apply-promo.ts'
import type { Figure, Options } from './bench.ts'
import { consoleFigures } from './console.ts'
import { counts } from './counts.ts'
import { createOrder } from './create-order.ts'
import { decay } from './decay.ts'
import { distance } from './distance.ts'
import { drained } from './drained.ts'
import { due } from './due.ts'
import { fresh } from './fresh.ts'
import { history } from './history.ts'
import { idle } from './idle.ts'
import { listSubscriptions } from './list-subscriptions.ts'
import { loader } from './loader.ts'
import { pageViews } from './page-views.ts'
import { paid, remote } from './paid.ts'
import { peers } from './peers/peers.ts'
import { renewals } from './renewals.ts'
import { resent } from './resent.ts'
import { search } from './search.ts'
import { startAndMemory } from './start.ts'
import { stored } from './stored.ts'
import { verifying } from './verifying.ts'
import { alone, open } from './waiting.ts'

export interface Part {
  measure(options: Options): Promise<Figure[]>
  about: string
  /** It takes minutes or gigabytes, so it runs only when it is named. */
  isHeavy?: true
  /** It takes `--against`. */
  compares?: true
}

export const comparing = () => Object.keys(parts).filter((name) => parts[name]!.compares)

export const parts: Readonly<Record<string, Part>> = {
  alone: { measure: alone, about: 'orders only created, then only paid' },
  console: {
    measure: consoleFigures,
    about: 'search, lists, one payment and a file over a million payments, while orders arrive',
    isHeavy: true,
  },
  counts: { measure: counts, about: 'rows, log and commits of a paid order on PostgreSQL, and the journeys that its payer waits for' },
  create: { measure: createOrder, about: 'an order created over HTTP, signed and durable, beside bare node:http', compares: true },
  decay: { measure: decay, about: '`create` with a million stored orders' },
  distance: { measure: distance, about: 'creating and paying with PostgreSQL a millisecond away in each direction' },
  drained: {
    measure: drained,
    about: '`create` and `paid` with the search terms that follow a minute later',
    isHeavy: true,
    compares: true,
  },
  due: { measure: due, about: 'a hundred thousand tasks that are due at once', isHeavy: true },
  fresh: {
    measure: fresh,
    about: "the server's processor time for an order on a PostgreSQL without statistics, in tenths of a run",
    isHeavy: true,
    compares: true,
  },
  history: {
    measure: history,
    about: 'the page of one order with 4,000 refunds, and orders beside six such pages a second',
    isHeavy: true,
  },
  idle: {
    measure: idle,
    about: 'wake-ups, processor time and memory of an idle service, without orders and with 500,000',
    isHeavy: true,
    compares: true,
  },
  list: { measure: listSubscriptions, about: "one customer's list, with a thousand and with a million stored subscriptions" },
  loader: { measure: loader, about: "the browser loader's script beside bare node:http" },
  open: { measure: open, about: 'payments that begin at fixed times, also while earlier ones are open' },
  pages: { measure: pageViews, about: 'the open payment page, a price and a refused form of a payer who has signed in', compares: true },
  paid: { measure: paid, about: "an order created, paid at the sandbox's bank, and its notification delivered", compares: true },
  peers: { measure: peers, about: 'an order created, and one paid, by Mohur and by servers that do less', isHeavy: true },
  promo: { measure: applyPromo, about: 'apply promo against a thousand live offers' },
  remote: { measure: remote, about: '`paid` at a bank behind the contract of docs/acquirer.md that answers at once', compares: true },
  renewals: {
    measure: renewals,
    about: 'a day of a hundred thousand due mandates, and a year of a thousand by one clock call',
    isHeavy: true,
  },
  resent: {
    measure: resent,
    about: 'a thousand dead notifications sent again in one action of the console, and orders beside it',
    isHeavy: true,
  },
  search: { measure: search, about: "a customer's one order, and a text that no order has, among ten million orders", isHeavy: true },
  start: { measure: startAndMemory, about: 'start to first answer, and idle memory', compares: true },
  stored: { measure: stored, about: '`paid` with a million stored payments, in eight gigabytes', isHeavy: true },
  verify: { measure: verifying, about: '`mohur verify` of a million stored payments, in eight gigabytes', isHeavy: true, compares: true },
}
