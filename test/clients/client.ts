// What a published client is to run.ts: its source, its steps, and what its merchant sets.

export interface Source {
  repository: string
  commit: string
  /** SHA-256 of files that the harness runs. */
  files: Readonly<Record<string, string>>
  /** The folders that are taken, where a copy of the repository need not be whole. */
  only?: readonly string[]
}

export interface Step {
  /** `order`: an order is made by hand, for clients that make none; `login`: its payer signs in at the checkout; `form`: the client's checkout form makes it, `redirect`: the client's redirect leads to a form that makes it, and `pay` is then on the page; `pay`: the payer pays; `leave`: the payer of another order cancels it; `wait`: the clock is moved; the others are the harness's own. */
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
  /** In harness/. A client without one was run by hand, so that its exchange is replayed: nothing here builds it. */
  harness?: string
  steps: readonly Step[]
  /** What it needs of another repository. */
  beside?: readonly Source[]
  /** What the payer pays with, where PPBL is not open to him. */
  paidBy?: object
  /** What the merchant is set to, where a client needs it (docs/moving.md, "What the merchant has here"). */
  merchant?: object
  /** What its harness is told beside the merchant. */
  settings?: object
  /** What does not work although the steps end as they should, and who is at fault: one sentence. */
  lacks?: string
  /** What the merchant has to set: one sentence. */
  needs?: string
  /** Which part of it did not run, though the rest works: one sentence. */
  unseen?: string
  /** It has a receiver of notifications: what was sent to the merchant's endpoint is given to it in the step `told`. */
  hears?: true
}

/** A client may take the host from its settings and not from its code. */
export const STAGE = 'stage.gateway.example'
export const TOKEN = { txnToken: /^[0-9a-f]{32}[0-9]{13}$/ }
export const pythonChecksum: Source = {
  repository: 'paytm/Paytm_Python_Checksum',
  commit: 'f1efd1d4e6b2524417437760910729486f4869b8',
  files: { 'paytmchecksum/PaytmChecksum.py': '9b507ed2a44a8026660f522e2862654456d3b2b5eeb991c097162c14e00e7c65' },
}
