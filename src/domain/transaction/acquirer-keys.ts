// The keys under which the acquirer knows a subscription's mandate, debits and notices: docs/acquirer.md.

/**
 * A restored backup makes the same keys again. A registration that the bank has refused stays refused under its key. So each further
 * `attempt` at a mandate has another key (docs/acquirer.md).
 */
export const mandateKey = (mid: string, subscriptionId: string, attempt = 1) =>
  `${mid}:${subscriptionId}:mandate${attempt > 1 ? `:${attempt}` : ''}`
export const collectKey = (mid: string, collectionId: string, attempt: number) => `${mid}:${collectionId.replace('.', ':')}:${attempt}`
export const notifyKey = (mid: string, collectionId: string, number: number) => `${mid}:${collectionId.replace('.', ':')}:notify:${number}`
