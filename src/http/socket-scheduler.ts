// Decides whose turn it is among sockets whose requests wait behind others of the same socket.

const BEGUN_PER_TURN = 32 // Mohur's choice, for all waiting sockets together: some milliseconds, then all other sockets are read

interface QueuedSocket {
  /** Begins the request that has waited longest, if any may begin; returns whether another may. */
  beginOne(): boolean
}

/**
 * Requests that came behind others of their socket begin a few at a time, one socket after the other. One chunk that Node reads may hold
 * hundreds of requests. If each request began when the one before it ended, all other sockets would stay unread for seconds.
 */
export class SocketScheduler {
  readonly #lines = new Set<QueuedSocket>()
  #isDue = false

  ask(line: QueuedSocket) {
    this.#lines.add(line)
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => this.#take())
  }

  #take() {
    let begun = 0
    for (const line of this.#lines) {
      this.#lines.delete(line)
      if (line.beginOne()) this.#lines.add(line) // behind the others
      if (++begun === BEGUN_PER_TURN) break
    }
    this.#isDue = this.#lines.size > 0
    if (this.#isDue) setImmediate(() => this.#take())
  }
}
