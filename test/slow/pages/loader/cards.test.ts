// A part of the product of cases of the browser loader: see test/support/pages/loader-part.ts.

import { testLoaderPart } from '../../../support/pages/loader-part.ts'

testLoaderPart('cards')
