// Forms that browsers send to pages. A form has a parser of its own, because what is wrong with one is said by a page.

import type { FastifyInstance } from 'fastify'
import { gatherBody } from '../../http/body.ts'
import { isStorable, utf8Of } from '../../interface/envelope.ts'
import { languageOf } from './messages/messages.ts'
import { PageError } from './page-error.ts'

export const FIELDS_MAX = 100 // docs/pages.md

export type Form = Readonly<Record<string, string>>

/** For a scope of pages: other content types are HTTP 415. */
export function takeForms(scope: FastifyInstance) {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/x-www-form-urlencoded', (request, payload, done) =>
    gatherBody(request, payload, (error, bytes) => {
      if (error) return done(error)
      try {
        done(null, readForm(bytes!))
      } catch (wrong) {
        done(wrong as Error)
      }
    }),
  )
}

/** No name twice: of two values nobody could say which was meant. */
function readForm(bytes: Uint8Array): Form {
  const text = utf8Of(bytes)
  if (text === undefined) throw new PageError('form')
  const form: Record<string, string> = Object.create(null)
  const parts = text === '' ? [] : text.split('&', FIELDS_MAX + 1)
  if (parts.length > FIELDS_MAX) throw new PageError('form')
  for (const part of parts) {
    const equals = part.indexOf('=')
    const name = decoded(equals < 0 ? part : part.slice(0, equals))
    const value = equals < 0 ? '' : decoded(part.slice(equals + 1))
    if (name === undefined || value === undefined || Object.hasOwn(form, name)) throw new PageError('form')
    form[name] = value
  }
  return form
}

/** As both kinds of page post it. */
export function chosenLanguage(form: Form): { language: string } {
  const language = languageOf(form['language'])
  if (!language) throw new PageError('form')
  return { language }
}

function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text.replaceAll('+', ' '))
    return isStorable(plain) ? plain : undefined
  } catch {
    return undefined
  }
}
