// Decides whether a connection can be used again after an answer: one whole answer of HTTP/1.1, and not a byte more. Node's own parser
// reads the answer (exchange.ts). This file only finds where the next answer would begin, and refuses anything unusual.

const HINT_LESS_MS = 1_000 // Mohur's choice: the endpoint counts from its write, this process from its read
const NO_BODY = '204'
const STATUS_LINE = /^HTTP\/1\.1 ([2-5][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?$/
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/
const CHUNK_SIZE = /^[0-9A-Fa-f]{1,6}$/
const LINE_END = '\r\n'
const HEAD_END = '\r\n\r\n'

/** How long these bytes allow their connection to be kept, in milliseconds. 0 for not at all, Infinity for any time. */
export function keepAliveMs(answer: Buffer): number {
  const headEnd = answer.indexOf(HEAD_END)
  if (headEnd < 0) return 0
  const [statusLine = '', ...lines] = answer.toString('latin1', 0, headEnd).split(LINE_END)
  const status = STATUS_LINE.exec(statusLine)?.[1]
  if (status === undefined || !lines.every((line) => HEADER.test(line))) return 0
  const values = (name: string) => valuesOf(lines, name)
  if (!values('connection').every((value) => /^(keep-alive|upgrade)$/i.test(value))) return 0
  const bodyStart = headEnd + HEAD_END.length
  if (bodyEnd(answer, bodyStart, status, values('content-length'), values('transfer-encoding')) !== answer.length) return 0
  return hintMs(values('keep-alive'))
}

function valuesOf(lines: readonly string[], name: string): string[] {
  return lines.flatMap((line) => {
    const colon = line.indexOf(':')
    return line.slice(0, colon).toLowerCase() === name
      ? line
          .slice(colon + 1)
          .split(',')
          .map((value) => value.trim())
      : []
  })
}

/** The end of the body. Undefined when the end cannot be known, or not yet. */
function bodyEnd(
  answer: Buffer,
  start: number,
  status: string,
  lengths: readonly string[],
  codings: readonly string[],
): number | undefined {
  if (lengths.length + codings.length > 1) return undefined
  const [length] = lengths
  if (length !== undefined && !/^[0-9]{1,6}$/.test(length)) return undefined
  if (status === NO_BODY) return codings.length === 0 && Number(length ?? 0) === 0 ? start : undefined
  if (status === '304') return undefined // it may give the length of a body that it does not send
  if (length !== undefined) return start + Number(length)
  return codings[0]?.toLowerCase() === 'chunked' ? chunksEnd(answer, start) : undefined
}

/** The end of the last chunk. Undefined when a chunk is incomplete, or an extension or a trailer is there. */
function chunksEnd(answer: Buffer, start: number): number | undefined {
  for (let at = start; ; ) {
    const lineEnd = answer.indexOf(LINE_END, at)
    const size = answer.toString('latin1', at, Math.max(lineEnd, at))
    if (!CHUNK_SIZE.test(size)) return undefined
    const bytes = Number.parseInt(size, 16)
    const end = lineEnd + LINE_END.length + bytes
    if (answer.toString('latin1', end, end + LINE_END.length) !== LINE_END) return undefined
    at = end + LINE_END.length
    if (bytes === 0) return at
  }
}

/** `Keep-Alive: timeout=5, max=100`: the shortest time-out less a second, or Infinity when none is given. */
function hintMs(values: readonly string[]): number {
  const seconds = values.flatMap((value) => /^timeout *= *"?([0-9]{1,9})"?$/i.exec(value)?.[1] ?? [])
  return Math.max(0, Math.min(...seconds.map((value) => Number(value) * 1_000 - HINT_LESS_MS)))
}
