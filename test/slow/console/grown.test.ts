// Pages of the longest histories that the console is built for: docs/decisions/0029.

import { grownPages } from '../../support/console/grown-pages.ts'

grownPages({ refunds: 4_000, renewals: 2_000, isVerified: false })
