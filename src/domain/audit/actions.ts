// Every action of the audit log, with the words by which screens name it. The names are stored words.

export const ACTIONS = {
  note: 'note',
  'console.show': 'payer shown',
  'console.raw': 'raw JSON read',
  'console.csv': 'file taken',
  'merchant.add': 'add merchant',
  'merchant.set': 'change merchant',
  'merchant.disable': 'disable merchant',
  'merchant.enable': 'enable merchant',
  'merchant.rotate-key': 'rotate key',
  'merchant.prepare-key': 'prepare key',
  'merchant.activate-key': 'activate key',
  'merchant.drop-key': 'drop key',
  'notification.resend': 'resend notification',
  'notification.start': 'start endpoint',
  'payment.refund': 'refund',
  'payment.ask': 'ask bank about payment',
  'refund.ask': 'ask bank about refund',
  'order.close': 'close order',
  'mandate.pause': 'pause mandate',
  'mandate.resume': 'resume mandate',
  'mandate.close': 'close mandate',
  'approval.ask': 'ask for approval',
  'approval.give': 'approve',
  'approval.refuse': 'refuse',
  'operator.invite': 'invite person',
  'operator.reset': 'link for a new password',
  'operator.reset-authenticator': 'reset lost app',
  'operator.sign-in': 'sign-in',
  'operator.sign-out': 'end of sessions',
  'operator.step-up': 'proof',
  'operator.password': 'new password',
  'operator.roles': 'change roles',
  'operator.disable': 'disable person',
  'operator.enable': 'enable person',
  'operator.totp': 'set up app',
  'operator.codes': 'new recovery codes',
} as const

export type Action = keyof typeof ACTIONS

/** The words for an action, also for one that an older or newer version wrote. */
export const actionWords = (action: string): string => (ACTIONS as Readonly<Record<string, string>>)[action] ?? action
