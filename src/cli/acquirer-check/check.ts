// One check of `mohur acquirer check`, and the test means that it gets.

import type { Means } from '../../adapters/acquirer/acquirer.ts'
import type { Subject } from './acquirer-subject.ts'

/** Test means of the processor, named by the person who runs the check. */
export interface Given {
  paid: Means
  declined: Means
  pending: Means | undefined
  otp: { means: Means; value: string } | undefined
  /** The reason when the check can use no card and no one-time password. */
  noCards?: string
}

export interface Check {
  name: string
  /** Returns why the check cannot run with the given means. Undefined when it can. */
  skipped?(given: Given, subject: Subject): string | undefined | Promise<string | undefined>
  run(subject: Subject, given: Given): Promise<void>
}
