// The parts of /docs that use a key: the forms that try an operation, and the checksum doctor. Production never loads them.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Known, SAMPLE_MID } from '../api/kit/sample.ts'
import { type Clock, timeUpAfter } from '../engine/clock.ts'
import { REQUEST_SEARCH_MS, REQUEST_TEXTS_MAX } from '../interface/doctor/diagnose.ts'
import type { Form } from '../pages/kit/forms.ts'
import { PageError } from '../pages/kit/page-error.ts'
import { CHECKSUM, checksumPage } from './checksum-page.ts'
import type { KeptPages } from './kept-pages.ts'
import { operationIn } from './routes.ts'
import { KNOWN } from './sample-requests.ts'
import { DOCS } from './sheet.ts'
import { foreignMid, type Trying, tried } from './try-it.ts'

export interface TryingParts {
  trying: Trying
  /** Keys that a caller may have confused with the right one. */
  otherKeys: readonly string[]
  clock: Clock
}

/** Only Mohur's own page may ask to use a key. */
export function addTrying(scope: FastifyInstance, pages: KeptPages, { trying, otherKeys, clock }: TryingParts) {
  scope.get(CHECKSUM, (request, reply) => pages.fresh(request, reply, checksumPage()))
  scope.post(CHECKSUM, (request, reply) => {
    refuseAllButOwnPages(request)
    const searching = { otherKeys, textsMax: REQUEST_TEXTS_MAX, isTimeUp: timeUpAfter(clock, REQUEST_SEARCH_MS) }
    return pages.fresh(request, reply, checksumPage(formOf(request), searching))
  })
  scope.post<{ Params: { operation: string } }>(`${DOCS}/:operation`, async (request, reply) => {
    refuseAllButOwnPages(request)
    const operation = operationIn(request.params.operation)
    const form = formOf(request)
    const known = { ...pages.known(), ...knownIn(form) }
    const show = async (about: Parameters<KeptPages['ofOperation']>[3], now: Known = known) =>
      pages.fresh(request, reply, await pages.ofOperation(operation, pages.sources(), now, about))
    if (form['send'] === undefined) return show({})
    const bodyText = form['body'] ?? ''
    const mid = foreignMid(bodyText)
    if (mid !== undefined) return show({ bodyText, fault: `This page signs only for ${SAMPLE_MID}.` })
    const answer = await tried(operation, bodyText, known, trying)
    if (!answer)
      return show({
        bodyText,
        fault: 'There was no answer. The demo merchant is missing, or a field has a character that no header can hold.',
      })
    return show({ bodyText, tried: answer }, answer.known)
  })
}

const formOf = ({ body }: FastifyRequest): Form => (body ?? {}) as Form
const knownIn = (form: Form): Known => Object.fromEntries(KNOWN.flatMap((name) => (form[name] ? [[name, form[name]]] : [])))

function refuseAllButOwnPages({ headers }: FastifyRequest) {
  if (headers['sec-fetch-site'] !== 'same-origin') throw new PageError('form', { statusCode: 403 })
}
