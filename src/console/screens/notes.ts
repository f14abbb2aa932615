// A note on an order, a payment or a subscription: a row of the audit log, kept for ever. The history of its subject shows the text.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { NOTE } from '../../domain/audit/audit.ts'
import { REASON_MAX } from '../../domain/audit/reason.ts'
import { writeAudit } from '../../domain/audit/write-audit.ts'
import { reusedKey } from '../../engine/kept-replies.ts'
import { hashed } from '../../flows/auditing.ts'
import { html, type Part } from '../../pages/html.ts'
import type { Form } from '../../pages/kit/forms.ts'
import { onceField, onceOf, reasonOf } from '../kit/acting.ts'
import { ConsoleError } from '../kit/console-error.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { formOf, guarded } from '../kit/sheet.ts'
import { byOf } from '../people/sign-in.ts'

/** What a note is about, and the page that shows it. */
interface Noted {
  mid: string
  subject: string
  at: string
}

type OfPage = { Params: { mid: string; id: string } }

export const noteForm = (viewer: Viewer, { ports }: ConsoleParts, at: string): Part =>
  viewer.may('note') &&
  html`<section class="card"><h2>Note</h2>${formOf(viewer, `${at}/note`, html`${onceField(ports.fresh)}<label for="note">For colleagues</label><input id="note" name="reason" maxlength="${REASON_MAX}" required autocomplete="off" aria-describedby="note-hint"><p class="hint" id="note-hint">It is kept for ever and cannot be changed.</p><button class="second">Add the note</button>`)}</section>`

/** `notedBy` finds what the page is about, within the merchants that the person sees. */
export function addNote(
  scope: FastifyInstance,
  parts: ConsoleParts,
  page: string,
  notedBy: (request: FastifyRequest<OfPage>) => Promise<Noted>,
) {
  const { ports } = parts
  scope.post<OfPage>(`${page}/note`, { config: { admits: 'note' } }, async (request, reply) => {
    const { mid, subject, at } = await notedBy(request)
    const form = request.body as Form
    const reason = hashed(ports.vault, reasonOf(form))
    const by = byOf(request, parts, request.viewer!.operator.operatorId)
    // A form that is sent twice is one note.
    const adding = onceOf(writeAudit, { ports, by, form, asks: [mid, subject, reason.text] })
    const { result } = await ports.engine.submit(adding, { by, act: { action: NOTE, mid, subject, outcome: 'done', reason } })
    if (result.name === reusedKey.name) throw new ConsoleError('changed', 'This form has added another note already.')
    return guarded(reply).redirect(at, 303)
  })
}
