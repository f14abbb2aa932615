// One POST of JSON over HTTP, and its JSON answer: how a merchant's server speaks to this service. The sandbox's demo shop is one.

const TIMEOUT_MS = 10_000 // ours: the service answers sooner, or the shop says that it did not

/** Posts to `url`; undefined where no JSON object came in time. */
export async function askJson(url: string, text: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
      redirect: 'manual', // no operation redirects
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const answer: unknown = await response.json()
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
