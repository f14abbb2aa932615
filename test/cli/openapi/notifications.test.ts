// The document has the members of real notifications, in either form.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { consented, manage } from '../../support/mandates/mandates.ts'
import { fix } from '../../support/mandates/subscription.ts'
import { notifiedWorld, receiver } from '../../support/notifications/receiver.ts'
import { paidOrder, refund } from '../../support/paying/refunds.ts'
import { onBothStores, startService } from '../../support/run/service.ts'

interface Named {
  properties?: Readonly<Record<string, unknown>>
  anyOf?: readonly Named[]
}
const root = resolve(import.meta.dirname, '../../..')
const { Notification, ClassicNotification } = JSON.parse(readFileSync(resolve(root, 'docs/openapi.json'), 'utf8')).components.schemas as {
  Notification: Named
  ClassicNotification: Named
}
/** Whether one of the kinds has all of these members. */
const isKnown = ({ properties, anyOf }: Named, names: readonly string[]) =>
  (anyOf ?? [{ properties }]).some((kind) => names.every((name) => name in kind.properties!))

onBothStores('notifications', (store) => {
  for (const form of ['json', 'classic'] as const)
    test(`every member of a notification in the ${form} form stands in the document`, async () => {
      const { journal, url } = await receiver()
      const service = await startService(store, { world: notifiedWorld(url, form) })
      try {
        await refund(service, await paidOrder(service, 'NOTIFIED'), 'REFUND', '1.00')
        const subsId = await consented(service, 'MANDATE', fix('100.00', { communicationManager: true }))
        await manage(service, '/subscription/status/modify', { subsId, status: 'SUSPENDED' })
        await manage(service, '/subscription/cancel', { subsId })
        await service.tasks.runDue()
      } finally {
        await service.close()
      }
      const kinds = new Set<string>()
      for (const { body } of journal) {
        const members: Record<string, string> = form === 'json' ? JSON.parse(body).body : Object.fromEntries(new URLSearchParams(body))
        kinds.add(members['txnType'] ?? members['TXNTYPE']!)
        assert.ok(isKnown(form === 'json' ? Notification : ClassicNotification, Object.keys(members)), body)
      }
      assert.deepEqual([...kinds].sort(), ['REFUND', 'SALE', 'SUBSCRIPTION_CANCEL', 'SUBSCRIPTION_PAUSE'])
      assert.ok(!isKnown(form === 'json' ? Notification : ClassicNotification, ['planted']))
    })
})
