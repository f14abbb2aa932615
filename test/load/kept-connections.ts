/**
 * Runs every kind of answer at every position of a kept connection, plain and over TLS, with two merchants on one host. The host's name
 * leads elsewhere later. Run it by `node bin/run.mjs test/load/kept-connections.ts`. Fails when a canary sees a connection, two merchants
 * share one, or an answer is taken for another's.
 */

import { kinds } from '../support/notifications/answers.ts'
import { allPositions, type Case, runCases, summary } from '../support/notifications/kept-connections.ts'

const cases = [false, true].flatMap((isTls) => allPositions.flatMap((position) => kinds.map((kind): Case => ({ kind, position, isTls }))))
const counts = await runCases(cases)
console.log(summary(cases, counts))
process.exitCode = counts.canaries + counts.shared + counts.unasked > 0 ? 1 : 0
