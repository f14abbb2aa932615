// What an action of the console needs: ports whose decisions carry an audit row in the person's name, and the reason that a form has.

import type { FastifyRequest } from 'fastify'
import type { AuditBy } from '../../domain/audit/audit.ts'
import { reasonIn } from '../../domain/audit/reason.ts'
import type { Operation } from '../../engine/decision.ts'
import { once } from '../../engine/kept-replies.ts'
import type { Actor } from '../../flows/approvals.ts'
import { type Act, type ActOf, auditing } from '../../flows/auditing.ts'
import type { Ports } from '../../flows/ports.ts'
import { networkOf } from '../../http/networks.ts'
import { html } from '../../pages/html.ts'
import type { Form } from '../../pages/kit/forms.ts'
import { ConsoleError } from './console-error.ts'
import type { ConsoleParts } from './parts.ts'

const ONCE_BYTES = 16 // 128 bits: no two forms have the same
const ONCE = /^[A-Za-z0-9_-]{22}$/

/** Each decision that is submitted through these ports adds one audit row, refusals included (flows/auditing.ts). */
export const portsOf = (request: FastifyRequest, { ports }: Pick<ConsoleParts, 'ports'>, act: Act | ActOf): Ports => ({
  ...ports,
  engine: auditing(ports, { operatorId: request.viewer!.operator.operatorId, network: networkOf(request.ip) }, act),
})

/** Part of a form that must count once, however often it is sent. */
export const onceField = (fresh: Ports['fresh']) => html`<input type="hidden" name="once" value="${fresh.text(ONCE_BYTES)}">`

interface SentForm {
  ports: Pick<Ports, 'vault' | 'clock'>
  by: Pick<AuditBy, 'operatorId'>
  form: Form
  /** What the form asks for. */
  asks: readonly string[]
}

/** The operation, done once for one form. The same form again gets the first answer, and with another text `reusedKey`. */
export function onceOf<Command>(of: Operation<Command>, { ports: { vault, clock }, by, form, asks }: SentForm): Operation<Command> {
  if (!ONCE.test(form['once'] ?? '')) throw new ConsoleError('form')
  const keyHash = vault.hash('console form once', form['once']!)
  const requestHash = vault.hash('console form', JSON.stringify(asks))
  return once(of, { owner: by.operatorId, keyHash, requestHash, at: clock.now() })
}

export function reasonOf(form: Form): string {
  const reason = reasonIn(form['reason'] ?? '')
  if (reason === undefined) throw new ConsoleError('reason')
  return reason
}

/** The person of the request, for a decision that locks their row. */
export function actorOf({ viewer, ip }: FastifyRequest): Actor {
  const { operatorId, emailHash } = viewer!.operator
  return { operatorId, emailHash, network: networkOf(ip) }
}
