// Opens the acquirer of the settings: the sandbox's own bank, an account at Cashfree, or an adapter behind the contract of
// docs/acquirer.md.

import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import type { Reference } from '../reference/reference.ts'
import type { Settings } from '../settings.ts'
import type { Acquirer } from './acquirer/acquirer.ts'
import type { CashfreeParts } from './acquirer/cashfree/cashfree.ts'
import type { RemoteParts } from './acquirer/remote/remote-call.ts'
import { SandboxAcquirer, type SandboxAcquirerParts } from './acquirer/sandbox/sandbox.ts'
import { SandboxBank } from './acquirer/sandbox/sandbox-bank.ts'
import { type DatabaseEngine as Database, openSqlite } from './store/database.ts'

export interface OpenAcquirer {
  /** Undefined when no acquirer is connected. Then no order can be paid. */
  acquirer: Acquirer | undefined
  /** For the sandbox's own paths. Undefined when a processor is connected, even in the sandbox. */
  sandbox: { bank: SandboxBank; acquirer: SandboxAcquirer } | undefined
  close(): Promise<void>
}

/** The operator's lines about an acquirer's answers: a call and a key, never a value. */
export const acquirerLines = (logger: FastifyBaseLogger): Pick<RemoteParts, 'doubted'> & Pick<CashfreeParts, 'conflict'> => ({
  conflict: (key, why) => logger.error({ key, why }, 'the acquirer says what no program can settle; look at its dashboard'),
  doubted: (call, key, why) => logger.warn({ call, key, why }, 'the acquirer was not understood; it is asked again'),
})

/** The sandbox's bank keeps its books in its own file beside the embedded store, or in its own tables on PostgreSQL. */
export async function openAcquirer(
  settings: Settings,
  database: Database,
  parts: Omit<SandboxAcquirerParts, 'bank'> & Pick<RemoteParts, 'doubted'> & Pick<CashfreeParts, 'conflict'> & { reference: Reference },
): Promise<OpenAcquirer> {
  if (settings.acquirer) {
    const { RemoteAcquirer } = await import('./acquirer/remote/remote.ts') // an adapter is loaded where it is connected
    const remote = new RemoteAcquirer({ ...parts, ...settings.acquirer })
    void remote.mandates.modes() // asked now, so that no payer who wants a subscription waits for the answer
    return { acquirer: remote, sandbox: undefined, close: () => remote.close() }
  }
  if (settings.cashfree) {
    const { HOSTS } = await import('./acquirer/cashfree/calls.ts')
    const { CashfreeAcquirer } = await import('./acquirer/cashfree/cashfree.ts')
    const { url = HOSTS[settings.mode], ...account } = settings.cashfree
    const cashfree = new CashfreeAcquirer({ ...parts, ...account, url, banks: parts.reference.banks })
    return { acquirer: cashfree, sandbox: undefined, close: () => cashfree.close() }
  }
  if (settings.mode === 'production') return { acquirer: undefined, sandbox: undefined, close: async () => {} }
  const own = database.name === 'sqlite' ? openSqlite(join(settings.dataFolder, 'bank.sqlite')) : undefined
  const bank = await SandboxBank.open((own ?? database).writer as Kysely<unknown>, own === undefined)
  const acquirer = new SandboxAcquirer({ ...parts, bank })
  return {
    acquirer,
    sandbox: { bank, acquirer },
    async close() {
      await acquirer.close()
      await own?.close()
    },
  }
}
