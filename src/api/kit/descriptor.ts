// The one description of an operation: its file in `api` ends with it. The router, the document, the samples, the hints and the tests read
// descriptors through api/operations.ts.

import type { TObject, TSchema } from 'typebox'
import type { Handler, OperationLine } from '../../http/handler.ts'
import type { CredentialName } from '../../interface/credentials.ts'
import type { ApiParts } from './api-parts.ts'
import type { AsSent } from './as-sent.ts'
import type { ReplyForm } from './forms.ts'
import type { Sample } from './sample.ts'

/** An envelope has a head, a body, and query parameters that must be present. A flat request has only the body. */
export interface DescribedWire {
  head?: TSchema
  body: TSchema
  query?: readonly string[] | TObject
  idsFromSignedBody?: true
  mayLackBody?: true
}

export interface Descriptor extends OperationLine {
  /** In docs/interface.md. */
  section: string
  /** The folder of the operation's resource in `domain` and `api`. */
  resource: string
  /** Alternatives. A caller needs every credential of one alternative: docs/interface.md section 5. */
  credentials: readonly (readonly CredentialName[])[]
  /** The merchant signs the body: docs/interface.md section 5.1. The body's members are those of `wire.body`, with these changes. */
  signs?: {
    /** A body with a member that only other operations have counts as wrongly signed. */
    strict?: true
    /** Members outside `wire.body` that published clients send. */
    passesOver?: readonly string[]
    /** Members that the schema names only to refuse them. */
    refuses?: readonly string[]
  }
  wire?: DescribedWire
  /** The form in which clients send the body, if it differs from `wire`. */
  asSent?: AsSent
  form: ReplyForm
  /** The members of an answer besides its code. */
  reply: TObject
  /** The rows of the code table whose replies have these members. Without a list, only `success` has them. */
  answers?: readonly string[]
  /** Rows whose replies have other members. */
  besides?: Readonly<Record<string, TObject>>
  /** Rows whose HTTP status is the whole reply. */
  empty?: readonly string[]
  /** What differs on the payment host's paths, which are all but the first: docs/interface.md section 4.9. */
  host?: { wire?: DescribedWire; reply?: TObject }
  /** On flat paths: the members of the request and the form of the reply. */
  flat?: { members: ReadonlySet<string>; form: ReplyForm }
  /** Calls beyond a ceiling get HTTP 429: docs/interface.md section 8. */
  hasCeiling?: true
  /** One good request, for people and tests. */
  sample: Sample
  handler(parts: ApiParts): Handler
}

export const isHostPath = ({ host, paths }: Descriptor, path: string): boolean => host !== undefined && path !== paths[0]
