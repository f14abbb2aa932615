// What a check of `mohur acquirer check` is, and what it is given.

import type { Means } from '../../adapters/acquirer/acquirer.ts'
import type { Subject } from './acquirer-subject.ts'

/** Test means of the processor, named by whoever runs the check. */
export interface Given {
  paid: Means
  declined: Means
  pending: Means | undefined
  otp: { means: Means; value: string } | undefined
  /** Why no card and no one-time password can be checked. */
  noCards?: string
}

export interface Check {
  name: string
  /** Why it cannot be run with what was given. */
  skipped?(given: Given, subject: Subject): string | undefined | Promise<string | undefined>
  run(subject: Subject, given: Given): Promise<void>
}
