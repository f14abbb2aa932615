/** A whole Mohur for a test suite: docs/sandbox.md, "In a test suite". */
export declare function startSandbox(options?: SandboxOptions): Promise<Sandbox>

export interface SandboxOptions {
  /** The path of a Node 26 or newer. By default this process's own, else the one that npm installed with Mohur. */
  node?: string
  /** A world file's content: docs/sandbox.md, "The world". By default the demo world. */
  world?: object
  /** By default any free one. */
  port?: number
  /** Keeps the store in this folder. By default it is in a temporary folder, which ends with the sandbox. */
  folder?: string
  /** Keeps the store in this PostgreSQL. */
  databaseUrl?: string
  /** Gets each line that the service writes. */
  log?: (line: string) => void
}

export interface Sandbox {
  readonly url: string
  /** Ends the sandbox, and removes what it did not have to keep. Call it as often as you like. */
  stop(): Promise<void>
  /** In a Node that knows `Symbol.asyncDispose`: `await using sandbox = await startSandbox()`. */
  [Symbol.asyncDispose](): Promise<void>
  /** Makes a merchant. `settings` are a merchant's members in a world file. */
  merchant(given?: { settings?: object }): Promise<Merchant>
  /** One clock for all merchants of the sandbox. */
  readonly clock: {
    now(): Promise<string>
    /** An ISO 8601 period: `P1D`. Everything that becomes due on the way has run when this returns. */
    advance(period: string): Promise<ClockMove>
    /** An ISO 8601 instant with an offset. */
    to(instant: string): Promise<ClockMove>
  }
  readonly bank: {
    /** How the next calls for an order or a mandate end: docs/sandbox.md, "The script". */
    script(script: {
      mid?: string
      orderId?: string
      subscriptionId?: string
      call?: 'cancel' | 'collect' | 'notify' | 'mandate'
      outcomes: readonly string[]
    }): Promise<object>
    /** What the bank really did, oldest first. */
    journal(since?: string): Promise<readonly JournalLine[]>
  }
  inbox(mobile: string): Promise<readonly Message[]>
  notifications(which: { mid: string; orderId?: string; dead?: boolean }): Promise<readonly Notification[]>
  readonly payer: {
    /** The payer's word in the UPI app, or where else the bank waits: docs/sandbox.md, "The payer". */
    act(act: {
      mid: string
      orderId?: string
      subscriptionId?: string
      action: 'approve' | 'decline' | 'revoke' | 'pause' | 'resume' | 'skip'
      isReported?: boolean
    }): Promise<object>
    /** Sends a form of the payment page, by default that of a card which is paid. */
    pay(order: { mid: string; orderId: string; txnToken: string }, how?: WayToPay): Promise<PaymentPage>
    /** The payment page again, by its address. */
    page(page: string): Promise<PaymentPage>
  }
}

export interface Merchant {
  mid: string
  key: string
}

export interface ClockMove {
  now: string
  /** How often each kind of due work ran. */
  ran: Readonly<Record<string, number>>
}

/** The fields of a form of the payment page: docs/sandbox.md, "In a test suite". */
export interface WayToPay {
  mode: string
  [field: string]: string
}

export interface PaymentPage {
  page: string
  /** What the browser would post to the shop now, signed. Its STATUS is PENDING while the bank waits. Absent while the payer may choose. */
  callback?: { url: string; fields: Readonly<Record<string, string>> }
}

export interface Message {
  at: string
  kind: string
  text: string
  otp?: string
}

export interface Notification {
  notificationId: string
  orderId: string
  endpoint: string
  status: string
  event: string
  url: string
  createdAt: string
  deliveredAt?: string
  deliveries: readonly { attempt: number; at: string; durationMs: number; httpStatus?: number; outcome: string }[]
}

export interface JournalLine {
  at: string
  key: string
  kind: string
  reference?: string
  outcome: string
  amountPaise: number
}
