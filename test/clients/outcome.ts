// The record of a client's run: its requests and the answers.

export interface Asked {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

/** A client's call as it crossed the wire, with its reply. */
export interface Exchange extends Asked {
  status: number
  reply: string
}

export interface Recorded {
  name: string
  kind: string
  repository: string
  commit: string
  /** The merchant's settings. */
  merchant?: object
  /**
   * Requests in their order, with the payer's sign-in and payments and moves of the clock between them. The first line may set the clock.
   */
  script: (
    | (Asked & { outcome: Outcome; subscriptionId?: string; txnToken?: string })
    | { signedIn: string; mobile: string }
    | { paid: string; txnId: string; by?: object; onPage?: true }
    | { begun: string }
    | { waited: string }
  )[]
}

/** The HTTP status, and those members of the reply, in whichever form, that name the result. */
export type Outcome = Record<string, string | number | boolean>

const TELLING = ['resultStatus', 'resultCode', 'STATUS', 'RESPCODE', 'status', 'responseCode', 'success']

export function outcomeOf(httpStatus: number, reply: string): Outcome {
  if (reply === '') return { http: httpStatus } // leads to a page
  const whole = JSON.parse(reply)
  const said: Record<string, unknown> = whole.body?.resultInfo ?? whole
  const kept = TELLING.flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]]]))
  return { http: httpStatus, ...Object.fromEntries(kept) }
}
