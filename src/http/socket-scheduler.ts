// Whose turn it is among sockets whose requests wait behind others of theirs.

const BEGUN_PER_TURN = 32 // ours, of all that wait: some milliseconds, then everybody else is read

interface QueuedSocket {
  /** Begins the request that has waited longest, if any may begin; answers whether another may. */
  beginOne(): boolean
}

/**
 * What came behind other requests of its socket begins a few at a time, a socket after the other. One chunk that Node reads may
 * hold hundreds of requests; begun one out of the other's end, they would keep all that comes by other sockets unread for seconds.
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
