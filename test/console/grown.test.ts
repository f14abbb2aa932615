// Pages of long histories at a small size. test/slow/console/grown.test.ts has full ones.

import { grownPages } from '../support/console/grown-pages.ts'

grownPages({ refunds: 230, renewals: 210, isVerified: true })
