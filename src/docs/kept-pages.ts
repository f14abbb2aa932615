// Writes the pages of /docs. A page that is the same for all readers is written once, any other page each time.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Known } from '../api/kit/sample.ts'
import type { OperationName } from '../api/operations.ts'
import type { Assets } from '../pages/kit/assets.ts'
import { PageError } from '../pages/kit/page-error.ts'
import { operationPage } from './operation-page.ts'
import { knownAt } from './sample-requests.ts'
import { type DocsPage, send, type WrittenPage, written } from './sheet.ts'
import { readSources, type Sources } from './sources.ts'

export interface PageSources {
  assets: Assets
  /** True when the pages that use a key are there. */
  isSandbox: boolean
  /** Where shops reach this service. */
  url(): string
  now(): number
  /** Unused letters, for order ids. */
  chance(): string
}

/** Reads the Markdown for the first requested page, and writes each page once. */
export class KeptPages {
  readonly #parts: PageSources
  readonly #kept = new Map<string, WrittenPage>()
  #sources: Sources | undefined

  constructor(parts: PageSources) {
    this.#parts = parts
  }

  sources(): Sources {
    this.#sources ??= readSources()
    return this.#sources
  }

  /** Sends a page that is the same for all readers. Only existing pages are kept, so the kept pages are few. */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    write: (sources: Sources) => DocsPage | undefined | Promise<DocsPage | undefined>,
  ) {
    const kept = this.#kept.get(name)
    if (kept) return send(request, reply, kept)
    const page = await write(this.sources())
    if (!page) throw new PageError('unknown')
    const sent = this.#written(page)
    this.#kept.set(name, sent)
    return send(request, reply, sent)
  }

  /** Sends a page with names that belong to this reader alone. */
  fresh(request: FastifyRequest, reply: FastifyReply, page: DocsPage) {
    return send(request, reply, this.#written(page), false)
  }

  ofOperation(operation: OperationName, sources: Sources, known: Known, trying: Parameters<typeof operationPage>[1]['trying']) {
    return operationPage(operation, { sources, url: this.#parts.url(), known, trying })
  }

  known(): Known {
    return knownAt(this.#parts.now(), this.#parts.chance())
  }

  #written(page: DocsPage): WrittenPage {
    return written(page, this.#parts)
  }
}
