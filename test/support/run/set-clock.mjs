// A preload (`node --import`) that shifts a process's clock, as setting the machine's clock does. The file in MOHUR_TEST_CLOCK has the
// milliseconds, and may change while the process runs.

import { readFileSync } from 'node:fs'

const LOOK_MS = 20
let setByMs = 0
const look = () => {
  setByMs = Number(readFileSync(process.env.MOHUR_TEST_CLOCK, 'utf8')) || 0
}
look()
setInterval(look, LOOK_MS).unref()

const TrueDate = Date
globalThis.Date = class extends TrueDate {
  constructor(...given) {
    if (given.length === 0) super(TrueDate.now() + setByMs)
    else super(...given)
  }
  static now() {
    return TrueDate.now() + setByMs
  }
}
