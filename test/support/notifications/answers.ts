// Answers that an endpoint may give, plain and strange: bytes on a socket, and the connection's end.

import type { Socket } from 'node:net'

const OK = (status: number) => `HTTP/1.1 ${status} OK\r\n`
const CHUNKED = 'transfer-encoding: chunked\r\n\r\n'
const NOTHING = 'content-length: 0\r\n\r\n'
const KIB64 = 64 * 1024

type Ending = 'stays' | 'ends' | 'resets'
export interface Kind {
  what: string
  bytes(status: number): string
  ending: Ending
}

/** The answer of a plain server. */
export const clean = (status: number) => `${OK(status)}content-length: 2\r\n\r\nok`

const kind = (what: string, bytes: Kind['bytes'], ending: Ending = 'stays'): Kind => ({ what, bytes, ending })

export const kinds: readonly Kind[] = [
  kind('a length of nothing', (s) => OK(s) + NOTHING),
  kind('a body with its length', clean),
  kind('chunks', (s) => `${OK(s)}${CHUNKED}2\r\nok\r\n0\r\n\r\n`),
  kind('no chunk', (s) => `${OK(s)}${CHUNKED}0\r\n\r\n`),
  kind('no reason in the status line', (s) => `HTTP/1.1 ${s}\r\n${NOTHING}`),
  kind('204', () => 'HTTP/1.1 204 No Content\r\n\r\n'),
  kind('204 with a body', () => 'HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nok'),
  kind('304 with the length of what it does not send', () => 'HTTP/1.1 304 Not Modified\r\ncontent-length: 2\r\n\r\n'),
  kind('a redirect', (s) => `${OK(s)}location: http://127.0.0.1:1/\r\n${NOTHING}`),
  kind('a keep-alive of five seconds', (s) => `${OK(s)}connection: keep-alive\r\nkeep-alive: timeout=5, max=9\r\n${NOTHING}`),
  kind('a keep-alive of one second', (s) => `${OK(s)}keep-alive: timeout=1\r\n${NOTHING}`),
  kind('a keep-alive of no time', (s) => `${OK(s)}keep-alive: timeout=0\r\n${NOTHING}`),
  kind('an offer of another protocol', (s) => `${OK(s)}connection: Upgrade, Keep-Alive\r\nupgrade: h2c\r\n${NOTHING}`),
  kind('close, and it stays', (s) => `${OK(s)}connection: close\r\n${NOTHING}`),
  kind('close, and it ends', (s) => `${OK(s)}connection: close\r\n${NOTHING}`, 'ends'),
  kind('keep-alive and close', (s) => `${OK(s)}connection: keep-alive, close\r\n${NOTHING}`),
  kind('a clean answer, and it ends', clean, 'ends'),
  kind('a clean answer, and it resets', clean, 'resets'),
  kind('HTTP/1.0 with keep-alive', (s) => `HTTP/1.0 ${s} OK\r\nconnection: keep-alive\r\n${NOTHING}`),
  kind('HTTP/1.0 to its end', (s) => `HTTP/1.0 ${s} OK\r\n\r\nok`, 'ends'),
  kind('HTTP/1.1 to its end', (s) => `${OK(s)}\r\nok`, 'ends'),
  kind('HTTP/1.1 without a length or an end', (s) => `${OK(s)}\r\nok`),
  kind('100 Continue before', (s) => `HTTP/1.1 100 Continue\r\n\r\n${clean(s)}`),
  kind('103 Early Hints before', (s) => `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${clean(s)}`),
  kind('eleven 100 Continue', () => 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(11)),
  kind('100 Continue after', (s) => `${clean(s)}HTTP/1.1 100 Continue\r\n\r\n`),
  kind('two answers', (s) => clean(s) + clean(299)),
  kind('three answers', (s) => clean(s) + clean(299) + clean(299)),
  kind('an answer and half of another', (s) => `${clean(s)}HTTP/1.1 299 OK\r\ncontent-le`),
  kind('an answer and an empty line', (s) => `${clean(s)}\r\n`),
  kind('an answer and two empty lines', (s) => `${clean(s)}\r\n\r\n`),
  kind('an answer and a byte', (s) => `${clean(s)}H`),
  kind('chunks and an empty line', (s) => `${OK(s)}${CHUNKED}0\r\n\r\n\r\n`),
  kind('chunks and another last chunk', (s) => `${OK(s)}${CHUNKED}0\r\n\r\n0\r\n\r\n`),
  kind('a body longer than its length', (s) => `${OK(s)}content-length: 2\r\n\r\nokay`),
  kind('a body shorter than its length', (s) => `${OK(s)}content-length: 3\r\n\r\nok`),
  kind('a body shorter than its length, and it ends', (s) => `${OK(s)}content-length: 3\r\n\r\nok`, 'ends'),
  kind('a length and chunks', (s) => `${OK(s)}content-length: 5\r\n${CHUNKED}0\r\n\r\n`),
  kind('the same length twice', (s) => `${OK(s)}content-length: 0\r\n${NOTHING}`),
  kind('two lengths', (s) => `${OK(s)}content-length: 2\r\n${NOTHING}ok`),
  kind('two lengths in one line', (s) => `${OK(s)}content-length: 0, 0\r\n\r\n`),
  kind('a length with a sign', (s) => `${OK(s)}content-length: +0\r\n\r\n`),
  kind('chunks within another coding', (s) => `${OK(s)}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`),
  kind('chunks that are not the last coding', (s) => `${OK(s)}transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n`),
  kind('a chunk with an extension', (s) => `${OK(s)}${CHUNKED}2;a=b\r\nok\r\n0\r\n\r\n`),
  kind('chunks with a trailer', (s) => `${OK(s)}${CHUNKED}0\r\na: b\r\n\r\n`),
  kind('a chunk of no size', (s) => `${OK(s)}${CHUNKED}zz\r\n`),
  kind('chunks without the last', (s) => `${OK(s)}${CHUNKED}2\r\nok\r\n`),
  kind('half of the last chunk', (s) => `${OK(s)}${CHUNKED}0\r\n`),
  kind('64 KiB', (s) => `${OK(s)}content-length: ${KIB64}\r\n\r\n${'x'.repeat(KIB64)}`),
  kind('64 KiB and a byte', (s) => `${OK(s)}content-length: ${KIB64 + 1}\r\n\r\n${'x'.repeat(KIB64 + 1)}`),
  kind('17 KiB of headers', (s) => `${OK(s)}a: ${'b'.repeat(17 * 1024)}\r\n${NOTHING}`),
  kind('line feeds alone', (s) => `HTTP/1.1 ${s} OK\ncontent-length: 0\n\n`),
  kind('a header in two lines', (s) => `${OK(s)}a: b\r\n c\r\n${NOTHING}`),
  kind('a space before the colon', (s) => `${OK(s)}content-length : 0\r\n${NOTHING}`),
  kind('a header without a colon', (s) => `${OK(s)}a\r\n${NOTHING}`),
  kind('a header of bytes that are no text', (s) => `${OK(s)}a: \0\x01\r\n${NOTHING}`),
  kind('another protocol', () => 'HTTP/1.1 101 Switching Protocols\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n'),
  kind('a head and then nothing', (s) => `${OK(s)}content-length: 9\r\n\r\n`),
  kind('half a head', (s) => `${OK(s)}content-le`),
  kind('half a head, and it ends', (s) => `${OK(s)}content-le`, 'ends'),
  kind('half a head, and it resets', (s) => `${OK(s)}content-le`, 'resets'),
  kind('what is not HTTP', () => 'SSH-2.0-OpenSSH_9.9\r\n'),
  kind('a frame of HTTP/2', () => '\0\0\0\x04\0\0\0\0\0'),
  kind('an empty line alone', () => '\r\n'),
  kind('an end without an answer', () => '', 'ends'),
  kind('a reset', () => '', 'resets'),
]

export function play({ bytes, ending }: Kind, status: number, socket: Socket) {
  const text = bytes(status)
  if (text !== '') socket.write(text, 'latin1')
  finish(ending, socket)
}

export function finish(ending: Ending, socket: Socket) {
  if (ending === 'ends') socket.end()
  // The written bytes leave first, unless a TLS connection is cut off.
  if (ending === 'resets') setImmediate(() => ('encrypted' in socket ? socket.destroy() : socket.resetAndDestroy()))
}
