// What is kept of a client's run: what it asked, and how that was answered.

export interface Asked {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

/** A call of a client as it crossed the wire, with its reply. */
export interface Exchange extends Asked {
  status: number
  reply: string
}

export interface Recorded {
  name: string
  kind: string
  repository: string
  commit: string
  /** What the merchant was set to. */
  merchant?: object
  /** Requests in their order, the payer's sign-in and payments between them, and how far the clock was moved; the first line may say what it was. */
  script: (
    | (Asked & { outcome: Outcome; subscriptionId?: string; txnToken?: string })
    | { signedIn: string; mobile: string }
    | { paid: string; txnId: string; by?: object; onPage?: true }
    | { begun: string }
    | { waited: string }
  )[]
}

/** The HTTP status, and of the reply those members that say how it ended, in whichever form it has. */
export type Outcome = Record<string, string | number | boolean>

const TELLING = ['resultStatus', 'resultCode', 'STATUS', 'RESPCODE', 'status', 'responseCode', 'success']

export function outcomeOf(httpStatus: number, reply: string): Outcome {
  if (reply === '') return { http: httpStatus } // on to a page
  const whole = JSON.parse(reply)
  const said: Record<string, unknown> = whole.body?.resultInfo ?? whole
  const kept = TELLING.flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]]]))
  return { http: httpStatus, ...Object.fromEntries(kept) }
}
