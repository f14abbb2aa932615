// A JSON text on its way to being written in another way.

import type { Variation } from './combine.ts'
import type { JsonSpacing, JsonTree } from './json-tree.ts'

/** Written anew only where something has changed; a text of an irregular layout can then be written in a regular one alone. */
export interface JsonDraft {
  tree: JsonTree
  /** Where the body is in the tree. */
  place: readonly string[]
  asSent: string | undefined
  spacing: JsonSpacing | undefined
  write: (tree: JsonTree, spacing: JsonSpacing) => string
  after: readonly ((text: string) => string)[]
}
export type JsonVariation = Variation<JsonDraft>
