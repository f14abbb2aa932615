// Writes docs/payment-page.manifest.json anew after a change of look.css or src/browser: `node_modules/.bin/node
// test/support/pages/write-manifest.ts`.

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readAssets } from '../../../src/pages/kit/assets.ts'
import { manifestOf } from '../../../src/pages/kit/manifest.ts'

writeFileSync(resolve(import.meta.dirname, '../../../docs/payment-page.manifest.json'), manifestOf(readAssets()))
