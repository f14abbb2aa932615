// The parts of Node's HTTP server that `sockets.ts` uses without a documented name. test/http/node-internals.test.ts fails when a Node
// changes them.

import type { Socket } from 'node:net'

/** Removes and returns the listener by which Node's parser reads a socket. From then on the parser reads only what the caller gives it. */
export function takeParser(socket: Socket): (piece: Buffer) => void {
  const [parse] = socket.listeners('data') as [(piece: Buffer) => void]
  socket.removeListener('data', parse)
  return parse
}

/** Takes the socket from all its readers. Bytes that still come are thrown away. */
export function throwAway(socket: Socket) {
  const ignore = () => {}
  socket.on('data', ignore) // takes the socket from the parser
  for (const listener of socket.listeners('data')) if (listener !== ignore) socket.removeListener('data', listener as () => void)
  socket.removeAllListeners('resume').resume()
}

/**
 * True while Node's parser stands still until replies are read. Input that the parser gets meanwhile ends the process. Node reads on by
 * itself afterwards.
 */
export function isHeldBack(socket: Socket): boolean {
  return (socket as Socket & { _paused?: boolean })._paused === true
}
