// Under which keys the acquirer knows what belongs to a subscription: docs/acquirer.md.

/**
 * The keys under which the acquirer knows a mandate, an attempt and a notice; the same after a restored backup. `attempt` of a mandate:
 * what the bank has refused to register is refused under its key for ever, and asked for anew under another (docs/acquirer.md).
 */
export const mandateKey = (mid: string, subscriptionId: string, attempt = 1) =>
  `${mid}:${subscriptionId}:mandate${attempt > 1 ? `:${attempt}` : ''}`
export const collectKey = (mid: string, collectionId: string, attempt: number) => `${mid}:${collectionId.replace('.', ':')}:${attempt}`
export const notifyKey = (mid: string, collectionId: string, number: number) => `${mid}:${collectionId.replace('.', ':')}:notify:${number}`
