// HTTP requests to this service, as a merchant's server sends them. Only the sandbox's demo shop and its pages for developers use this
// file.

const TIMEOUT_MS = 10_000 // Mohur's choice: the service answers sooner, or the shop says that it did not

export interface OwnAnswer {
  status: number
  /** The header `Mohur-Hint` (docs/sandbox.md, "Hints"). */
  hint: string | undefined
  text: string
}

/** Undefined when no answer came in time, or a header cannot carry its value. */
export async function exchange(
  url: string,
  { method, headers, text }: { method: string; headers: Readonly<Record<string, string>>; text: string | undefined },
): Promise<OwnAnswer | undefined> {
  try {
    const response = await fetch(url, {
      ...{ method, headers },
      ...(text !== undefined && { body: text }),
      redirect: 'manual', // no operation redirects
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return { status: response.status, hint: response.headers.get('mohur-hint') ?? undefined, text: await response.text() }
  } catch {
    return undefined
  }
}

export async function askJson(url: string, text: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const answered = await exchange(url, { method: 'POST', headers: { 'content-type': 'application/json' }, text })
  try {
    const answer: unknown = JSON.parse(answered?.text ?? '')
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
