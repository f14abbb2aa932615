// Preloaded into a service by bench/one-payment.ts. Counts the objects that node:crypto makes, and writes the counts at each SIGUSR2.

import crypto from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const COUNTED = ['createCipheriv', 'createDecipheriv', 'createHmac', 'createHash', 'hash']
const counts = Object.fromEntries(COUNTED.map((name) => [name, 0]))

for (const name of COUNTED) {
  const own = crypto[name]
  crypto[name] = (...args) => {
    counts[name]++
    return own(...args)
  }
}
syncBuiltinESMExports()

process.on('SIGUSR2', () => {
  const file = process.env.COUNT_CRYPTO_IN
  writeFileSync(`${file}.new`, JSON.stringify(counts))
  renameSync(`${file}.new`, file)
})
