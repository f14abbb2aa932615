// Forms that browsers post to pages. They have a parser of their own, because a page reports a faulty form.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { gatherBody } from '../../http/body.ts'
import { isStorable, utf8Of } from '../../interface/envelope.ts'
import { decoded } from '../../interface/flat.ts'
import { languageOf } from './messages/messages.ts'
import { type FormFault, PageError } from './page-error.ts'

export const FIELDS_MAX = 100 // docs/pages.md

export type Form = Readonly<Record<string, string>>

/** Makes a scope of pages read forms. Other content types get HTTP 415. */
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

const unread = (fault: FormFault) => new PageError('form', { fault })

function readForm(bytes: Uint8Array): Form {
  const text = utf8Of(bytes)
  if (text === undefined) throw unread({ kind: 'encoding' })
  return formIn(text)
}

/** The form in the query of an address, which is ASCII. */
export const formInQuery = ({ url }: FastifyRequest): Form => formIn(/\?(.*)$/s.exec(url)?.[1] ?? '')

/** A name sent twice is refused: the page cannot know which value was meant. */
function formIn(text: string): Form {
  const form: Record<string, string> = Object.create(null)
  const parts = text === '' ? [] : text.split('&', FIELDS_MAX + 1)
  if (parts.length > FIELDS_MAX) throw unread({ kind: 'fields', most: FIELDS_MAX })
  for (const part of parts) {
    const { name, value } = fieldIn(part)
    if (Object.hasOwn(form, name)) throw unread({ kind: 'twice', name })
    form[name] = value
  }
  return form
}

function fieldIn(part: string): { name: string; value: string } {
  const [, written = '', given = ''] = /^([^=]*)=?(.*)$/s.exec(part)!
  const name = decoded(written)
  const value = decoded(given)
  if (name === undefined || value === undefined) throw unread({ kind: 'escape', name: name ?? written })
  if (!isStorable(name) || !isStorable(value)) throw unread({ kind: 'nul', name })
  return { name, value }
}

/** Why a request's form could not be read; undefined for any other error. Every page that takes forms shows it. */
export function formFaultOf(error: Error & { statusCode?: number }, request: FastifyRequest): FormFault | undefined {
  if (error instanceof PageError) return error.fault
  if (error.statusCode === 413) return { kind: 'long', kib: request.routeOptions.bodyLimit! / 1_024 }
  if (error.statusCode !== 415) return undefined
  const [type = ''] = (request.headers['content-type'] ?? '').split(';', 1)
  const came = type.trim().toLowerCase()
  return came === '' ? { kind: 'noType' } : { kind: 'type', came }
}

/** The language in a form that both the payment page and the mandate's page post. */
export function chosenLanguage(form: Form): { language: string } {
  const language = languageOf(form['language'])
  if (!language) throw new PageError('wrong', { field: 'language' })
  return { language }
}
