// What an action of the console needs: ports whose decisions carry an audit row in the person's name, and the reason that a form has.

import type { FastifyRequest } from 'fastify'
import { reasonIn } from '../../domain/audit/reason.ts'
import { type Act, type ActOf, auditing } from '../../flows/auditing.ts'
import type { Ports } from '../../flows/ports.ts'
import { networkOf } from '../../http/networks.ts'
import type { Form } from '../../pages/kit/forms.ts'
import { ConsoleError } from './console-error.ts'
import type { ConsoleParts } from './parts.ts'

/** Each decision that is submitted through these ports adds one audit row, refusals included (flows/auditing.ts). */
export const portsOf = (request: FastifyRequest, { ports }: Pick<ConsoleParts, 'ports'>, act: Act | ActOf): Ports => ({
  ...ports,
  engine: auditing(ports, { operatorId: request.viewer!.operator.operatorId, network: networkOf(request.ip) }, act),
})

export function reasonOf(form: Form): string {
  const reason = reasonIn(form['reason'] ?? '')
  if (reason === undefined) throw new ConsoleError('reason')
  return reason
}
