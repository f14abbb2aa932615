// A JSON text while the doctor writes it in another way.

import type { Variation } from './combine.ts'
import type { JsonSpacing, JsonTree } from './json-tree.ts'

/** It is written anew only after a change. A text with an irregular layout can then only be written in a regular one. */
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
