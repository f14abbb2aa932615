// Instants as people write them: a day, a time, and an offset.

const WRITTEN = /^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]{1,3})?(Z|[+-][0-9]{2}:?[0-9]{2})?$/
const INDIA = '+05:30'

/**
 * Epoch milliseconds of an ISO 8601 time in whole seconds, in India's time when the text names no offset. Undefined for another form, and
 * for a time that does not exist.
 */
export function instantOf(text: string): number | undefined {
  const [, time, offset = INDIA] = WRITTEN.exec(text) ?? []
  if (time === undefined || time.endsWith(':60')) return undefined
  try {
    return Temporal.Instant.from(`${time}${offset}`).epochMilliseconds
  } catch {
    return undefined // 30 February, 25 o'clock, an offset of a hundred hours
  }
}
