// Describes a published client to run.ts: its source, its steps, and its merchant's settings.

export interface Source {
  repository: string
  commit: string
  /** SHA-256 of the files that the harness runs. */
  files: Readonly<Record<string, string>>
  /** The folders to take, where a copy of the repository need not be whole. */
  only?: readonly string[]
}

export interface Step {
  /**
   * A step of the harness, or one of these: - `order`: makes an order for clients that make none. - `login`: its payer signs in at the
   * checkout. - `form`: the client's checkout form makes the order. - `redirect`: the client's redirect leads to a form that makes the
   * order, and `pay` is then on the page. - `pay`: the payer pays. - `leave`: the payer of another order cancels it. - `wait`: moves the
   * clock.
   */
  name:
    | (
        | 'order'
        | 'form'
        | 'redirect'
        | 'create'
        | 'pay'
        | 'leave'
        | 'wait'
        | 'callback'
        | 'status'
        | 'refund'
        | 'refundStatus'
        | 'orders'
        | 'refunds'
        | 'register'
      )
    | ('login' | 'balance' | 'options' | 'banks' | 'vpa' | 'emi' | 'bin' | 'page')
    | ('checkStatus' | 'preNotify' | 'preNotifyStatus' | 'renew' | 'renewalStatus' | 'cancel' | 'told')
  /** How far the clock is moved: an ISO 8601 duration. */
  time?: string
  expects?: Readonly<Record<string, string | number | boolean | null | RegExp>>
}

export interface Client extends Source {
  name: string
  kind: 'server SDK' | 'shop plugin' | 'form kit' | 'sample backend' | 'assistant tools'
  /** In harness/. A client without one was run by hand, because nothing here builds it, and its exchange is replayed. */
  harness?: string
  steps: readonly Step[]
  /** Other repositories that it needs. */
  beside?: readonly Source[]
  /** How the payer pays where PPBL is not possible. */
  paidBy?: object
  /** The merchant's settings, where a client needs them (docs/moving.md, "What the merchant has here"). */
  merchant?: object
  /** Additional input of its harness. */
  settings?: object
  /** One sentence: what fails although the steps end as expected, and which side is at fault. */
  lacks?: string
  /** One sentence: what the merchant must set. */
  needs?: string
  /** One sentence: which part of it did not run, though the rest works. */
  unseen?: string
  /** It receives notifications. The step `told` passes it those that the merchant's endpoint got. */
  hears?: true
}

/** The host of clients that take it from their settings and not from their code. */
export const STAGE = 'stage.gateway.example'
export const TOKEN = { txnToken: /^[0-9a-f]{32}[0-9]{13}$/ }
export const pythonChecksum: Source = {
  repository: 'paytm/Paytm_Python_Checksum',
  commit: 'f1efd1d4e6b2524417437760910729486f4869b8',
  files: { 'paytmchecksum/PaytmChecksum.py': '9b507ed2a44a8026660f522e2862654456d3b2b5eeb991c097162c14e00e7c65' },
}
