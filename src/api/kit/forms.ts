// The forms of replies, head and code: docs/interface.md sections 2 (ResultInfo) and 4.

import Type, { type TObject, type TProperties } from 'typebox'
import * as replied from '../../interface/replied.ts'
import type { ResultCode } from '../../interface/result-codes.ts'

/** Makes the schema of a reply that has one of `rows`, and `members`. */
export type ReplyForm = (rows: readonly ResultCode[], members: TProperties, isAnswer: boolean) => TObject

const optional = Type.Optional
const codesOf = (rows: readonly ResultCode[]) => Type.Enum([...new Set(rows.map(({ code }) => code))])
const statusesOf = (rows: readonly ResultCode[]) => Type.Enum([...new Set(rows.map(({ status }) => status))])

const infoOf = (rows: readonly ResultCode[]) => ({
  resultStatus: statusesOf(rows),
  resultCode: codesOf(rows),
  resultMsg: replied.text,
})
const shortInfoOf = (rows: readonly ResultCode[]) => ({ status: statusesOf(rows), code: codesOf(rows), message: replied.text })

const openHead = { responseTimestamp: replied.epoch, version: replied.text }
const namedHead = { ...openHead, clientId: optional(replied.text) }
const signedHead = { ...namedHead, signature: optional(replied.checksum) }
const promoHead = { requestId: replied.text, ...openHead }

const enveloped =
  (head: TProperties, info: (rows: readonly ResultCode[], isAnswer: boolean) => TProperties): ReplyForm =>
  (rows, members, isAnswer) =>
    Type.Object({ head: Type.Object(head), body: Type.Object({ resultInfo: Type.Object(info(rows, isAnswer)), ...members }) })

/** Replies that Mohur signs, except to an unknown merchant. */
export const signed = enveloped(signedHead, infoOf)
/** Unsigned: for a browser, which holds no key. */
export const unsigned = enveloped(openHead, infoOf)
/** Unsigned, with the request's clientId repeated. */
export const named = enveloped(namedHead, infoOf)
export const promo = enveloped(promoHead, infoOf)
export const offers = enveloped({ ...promoHead, requestId: optional(replied.text) }, infoOf)
export const list = enveloped({ version: replied.text, timestamp: replied.epoch }, shortInfoOf)
/** Has the result in both spellings. */
export const managing = enveloped(signedHead, (rows) => ({
  ...shortInfoOf(rows),
  ...infoOf(rows),
  resultStatus: Type.Enum([...new Set(rows.map(({ status }) => (status === 'SUCCESS' ? 'S' : 'F')))]),
}))
/** A failure names the refused parameter, if there was one. */
export const naming = enveloped(signedHead, (rows, isAnswer) => ({
  ...infoOf(rows),
  ...(!isAnswer && { extraParamsMap: Type.Object({ parameter: optional(replied.text) }) }),
}))

export const listing: ReplyForm = (rows, members, isAnswer) =>
  Type.Object({ status: statusesOf(rows), resultCode: codesOf(rows), ...(isAnswer ? members : { errorMessage: replied.text }) })
export const signIn: ReplyForm = (rows, members) =>
  Type.Object({ status: statusesOf(rows), message: replied.text, responseCode: codesOf(rows), ...members })
export const details: ReplyForm = (rows, members, isAnswer) =>
  isAnswer ? Type.Object(members) : Type.Object({ status: statusesOf(rows), responseCode: codesOf(rows), message: replied.text })
export const grant: ReplyForm = (rows, members, isAnswer) =>
  isAnswer ? Type.Object(members) : Type.Object({ error: codesOf(rows), error_description: replied.text })
/** A refusal also has a member with the code as its name. */
export const registration: ReplyForm = (rows, members, isAnswer) =>
  Type.Object({
    responseCode: codesOf(rows),
    message: replied.text,
    ...(isAnswer ? members : Object.fromEntries(rows.map(({ code }) => [code, optional(replied.text)]))),
  })
/** Upper-case members, all of them present. A verified question gets STATUS. Any other question gets the error. */
export const flat =
  (names: Readonly<Record<string, string>>): ReplyForm =>
  (rows, _members, isAnswer) =>
    Type.Object({
      ...Object.fromEntries(Object.values(names).map((name) => [name, replied.text])),
      STATUS: isAnswer ? statusesOf(rows) : optional(statusesOf(rows)),
      RESPCODE: codesOf(rows),
      RESPMSG: replied.text,
      ...(!isAnswer && { ErrorCode: optional(codesOf(rows)), ErrorMsg: optional(replied.text) }),
    })
