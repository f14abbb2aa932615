// Create Access Token: docs/interface.md section 4.8.

import Type, { type Static } from 'typebox'
import { operation, refuse } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import type { FaultCodes } from '../../interface/request.ts'
import { createAccessToken as codes } from '../../interface/result-codes.ts'
import type { Signed, Wire } from '../../interface/wire.ts'
import { accessTokenKey, merchantKey, ssoTokenKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { payerOf, signInReads, valid } from '../signin/sso-token.ts'
import { ACCESS_TOKEN_VALIDITY_MS, REFERENCE_ID_PATTERN } from './access-token.ts'

const head = Type.Object({
  clientId: Type.Optional(fields.name),
  version: Type.Optional(fields.version),
  requestTimeStamp: Type.Optional(fields.requestTimestamp),
  channelId: Type.Optional(fields.channelId),
  tokenType: Type.Enum(['CHECKSUM']),
  token: Type.Unknown(),
})
const body = Type.Object({
  mid: fields.mid,
  referenceId: Type.String({ pattern: REFERENCE_ID_PATTERN }),
  custId: Type.Optional(fields.hostCustId),
  /** Shows the saved instruments of the token's user. An invalid token shows none and refuses nothing. */
  svcSsoToken: Type.Optional(Type.Unknown()),
})

const faults: FaultCodes<(typeof codes)['success']> = {
  missing: () => ({ result: codes.missingElement }),
  wrong: ({ path, name }) => (path === 'mid' ? { result: codes.invalidMid } : { result: codes.invalidField, message: `Invalid ${name}` }),
}

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: ['mid', 'referenceId'],
  head,
  body,
  faults,
  unreadable: codes.invalidBody,
  missingParam: () => ({ result: codes.missingParam }),
  midMismatch: codes.midMismatch,
  referenceIdMismatch: { ...codes.invalidField, message: 'Invalid referenceId' },
  systemError: codes.systemError,
}

export const reply = Type.Object({ accessToken: replied.text })

export interface CreateAccessToken {
  request: Static<typeof body>
  caller: Signed
  /** Hash of `svcSsoToken`, if it came as a text. */
  ssoTokenHash: string | undefined
  now: number
  fresh: { accessToken: string; tokenHash: string }
}

export const createAccessToken = operation({
  name: 'createAccessToken',
  codes,
  reads: ({ request: r, ssoTokenHash }: CreateAccessToken) => ({
    merchant: merchantKey(r.mid),
    accessToken: accessTokenKey(r.mid, r.referenceId),
    ssoToken: ssoTokenHash === undefined ? undefined : ssoTokenKey(ssoTokenHash),
  }),
  readsNext: (_command, { ssoToken }) => signInReads(ssoToken),
  decide({ request: r, caller, now, fresh }, { merchant, accessToken, ssoToken, customer, family }) {
    if (!merchant) return refuse(codes.invalidMid, undefined, 'mid', 'unknownMid')
    if (caller.signature !== 'valid') return refuse(codes.invalidChecksum)
    if (accessToken) return refuse(codes.duplicateReferenceId)

    const user = valid(ssoToken, { customer, family }, now)
    const row: Row<'accessTokens'> = {
      mid: r.mid,
      referenceId: r.referenceId,
      tokenHash: fresh.tokenHash,
      issuedAt: now,
      expiresAt: now + ACCESS_TOKEN_VALIDITY_MS,
      custId: r.custId ?? null,
      payer: user ? payerOf(user) : null,
    }
    return {
      reply: { result: codes.success, body: { accessToken: fresh.accessToken } },
      changes: [{ kind: 'insert', key: accessTokenKey(r.mid, r.referenceId), row }],
      events: [],
      tasks: [],
    }
  },
})
