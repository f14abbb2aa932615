// How the older forms answer: flat messages of upper-case names (docs/interface.md sections 4.12 and 4.14). Every member is present,
// because plugins read members without checking. A member without a known value is empty.

import type { Handler, RouteAnswer } from '../../http/handler.ts'
import { type FlatMembers, readFlat } from '../../interface/flat.ts'
import type { Refusal } from '../../interface/request.ts'
import type { ResultCode } from '../../interface/result-codes.ts'

export interface FlatReply extends Refusal, Pick<RouteAnswer, 'about'> {
  body?: object
  /**
   * True when the caller proved that they are the merchant. Other callers get no STATUS: shops take a STATUS for the end of their order.
   */
  verified: boolean
}

export interface FlatForm {
  /**
   * The question's members, by the envelope's names. Where the answer has no value of its own, it repeats the first value that came under
   * their names.
   */
  asked: Readonly<Record<string, string | readonly string[]>>
  /** The members of the answer, by the envelope's names. */
  answered: Readonly<Record<string, string>>
  codes: { unreadable: ResultCode; systemError: ResultCode }
  answer(given: FlatMembers): Promise<FlatReply>
}

export function flatHandler(form: FlatForm): Handler {
  const { codes, answer } = form
  return async ({ bytes }) => {
    const given = readFlat(bytes)
    let answered: FlatReply
    let error: Error | undefined
    try {
      answered = given ? await answer(given) : { result: codes.unreadable, verified: false }
    } catch (thrown) {
      error = thrown as Error
      answered = { result: codes.systemError, verified: false }
    }
    const { result, parameter, cause, about } = answered
    return { text: textOf(form, answered, given, error !== undefined), result, parameter, cause, error, ...(about && { about }) }
  }
}

function textOf(
  { asked, answered }: FlatForm,
  { result, message = result.message, body = {}, verified }: FlatReply,
  given: FlatMembers | undefined,
  failed: boolean,
): string {
  const said = (members: string | readonly string[]) => [members].flat().map((member) => given?.[member])
  const repeated = Object.entries(asked).map(([name, members]) => [name, said(members).find((value) => value !== undefined)])
  const known: Readonly<Record<string, unknown>> = { ...Object.fromEntries(repeated), ...body }
  return JSON.stringify({
    ...Object.fromEntries(Object.entries(answered).map(([name, field]) => [field, String(known[name] ?? '')])),
    // After a failure of this service, nothing is known about the order. The STATUS is then PENDING, which says exactly that.
    ...(verified || failed ? { STATUS: result.status } : { ErrorCode: result.code, ErrorMsg: message }),
    RESPCODE: result.code,
    RESPMSG: message,
  })
}

/** Some paths of an operation take the flat messages of older clients. */
export const orFlat =
  (flatPaths: readonly string[], flat: Handler, envelope: Handler): Handler =>
  (received) =>
    (flatPaths.includes(received.url) ? flat : envelope)(received)
