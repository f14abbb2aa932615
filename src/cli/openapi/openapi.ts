// `mohur openapi`: the document of the interface, as docs/openapi.json holds it.

import { readFileSync } from 'node:fs'
import { own } from '../../own.ts'
import { documentOf } from './document.ts'
import { readExamples } from './examples.ts'

/** The document's text, with its line end. */
export function openapiText(): string {
  const { version } = JSON.parse(readFileSync(own('package.json'), 'utf8')) as { version: string }
  const page = readFileSync(own('docs/interface.md'), 'utf8')
  return `${JSON.stringify(documentOf({ page, examples: readExamples(), version }), undefined, 1)}\n`
}

/** Prints the document. A pipe takes the text in pieces, so the command waits until the last piece is written. */
export const openapi = () => new Promise<void>((resolve) => process.stdout.write(openapiText(), () => resolve()))
