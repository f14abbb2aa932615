// What `sockets.ts` takes of Node's HTTP server without a documented name for it. test/http/node-internals.test.ts fails when a Node changes it.

import type { Socket } from 'node:net'

/** The listener by which Node's parser reads a socket: after this the parser reads what the caller gives it, and nothing else. */
export function takeParser(socket: Socket): (piece: Buffer) => void {
  const [parse] = socket.listeners('data') as [(piece: Buffer) => void]
  socket.removeListener('data', parse)
  return parse
}

/** Nobody reads the socket any more, and what still comes is thrown away. */
export function throwAway(socket: Socket) {
  const ignore = () => {}
  socket.on('data', ignore) // takes the socket away from the parser
  for (const listener of socket.listeners('data')) if (listener !== ignore) socket.removeListener('data', listener as () => void)
  socket.removeAllListeners('resume').resume()
}

/** Node's parser stands still until replies are read, and what it is given meanwhile ends the process; Node reads on by itself then. */
export function isHeldBack(socket: Socket): boolean {
  return (socket as Socket & { _paused?: boolean })._paused === true
}
