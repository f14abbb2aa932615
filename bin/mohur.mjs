#!/usr/bin/env node
// `npx mohur <command>`: src/cli/mohur.ts on the Node that it needs.

import { fileURLToPath } from 'node:url'
import { run } from './run.mjs'

await run(fileURLToPath(new URL('../src/cli/mohur.ts', import.meta.url)), process.argv.slice(2))
