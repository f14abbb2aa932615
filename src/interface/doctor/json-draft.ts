// A JSON text while the doctor writes it in another way.

import type { Variation } from './combine.ts'
import type { JsonSpacing, JsonTree } from './json-tree.ts'

/**
 * A draft without a change stays `asSent`. After a change the tree is written in `spacing`. An irregular layout has no `spacing`, so a
 * changed text needs a regular layout as well.
 */
export interface JsonDraft {
  tree: JsonTree
  /** The place of the body in the tree. */
  place: readonly string[]
  asSent: string | undefined
  spacing: JsonSpacing | undefined
  write: (tree: JsonTree, spacing: JsonSpacing) => string
  after: readonly ((text: string) => string)[]
}
export type JsonVariation = Variation<JsonDraft>
