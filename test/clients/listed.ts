// Every client of docs/moving.md, and how each is run. The table that run.ts prints has one line for each.

import type { Client } from './client.ts'
import { clients } from './published.ts'

/** A client with its own test: from the npm registry, or with the same calls from a page of Mohur's. */
export interface ClientWithTest {
  name: string
  version: string
  /** The test's file, from the project's root, and the names of its tests where the file has others too. */
  test: string
  pattern?: string
  how: string
  lacks?: string
}

/** A client that does not run here, or that has nothing here to call. */
export interface ClientLeftOut {
  name: string
  version: string
  not: string
}

export type ListedClient = Client | ClientWithTest | ClientLeftOut

const withTests: readonly ClientWithTest[] = [
  {
    name: 'paytmchecksum',
    version: '1.5.1 (npm)',
    test: 'test/interface/checksum.test.ts',
    how: 'ran here',
  },
  {
    name: 'paytm-pg-node-sdk',
    version: '1.0.6 (npm)',
    test: 'test/slow/paytm-pg-node-sdk.test.ts',
    how: 'ran here',
    lacks: 'It signs a member that is null and leaves it out of the body, so no server can verify it; the client is at fault.',
  },
  {
    name: 'paytm-blink-checkout-react',
    version: '0.0.4 (npm)',
    test: 'test/slow/pages/checkout-wrappers.test.ts',
    pattern: 'paytm-blink-checkout-react',
    how: 'ran here in Chromium',
    lacks: '`Checkout` with `openInPopup` false invokes with an element that it never draws; the client is at fault.',
  },
  {
    name: 'paytm-blink-checkout-angular',
    version: '0.0.6 (npm)',
    test: 'test/slow/pages/checkout-wrappers.test.ts',
    pattern: 'paytm-blink-checkout-angular',
    how: 'ran here in Chromium',
  },
]

const leftOut: readonly ClientLeftOut[] = [
  {
    name: 'paytm-pg-php-sdk',
    version: 'paytm/paytm-pg-php-sdk',
    not: 'The JSON library that it brings does not run on PHP 8, and Debian has no older PHP; the client is at fault.',
  },
  {
    name: 'paytm-pg-java-sdk',
    version: 'paytm/paytm-pg-java-sdk',
    not: 'Maven Central is out of reach here, so its dependencies cannot be resolved; it calls paths that the Python SDK calls too.',
  },
  {
    name: 'java-plugin',
    version: 'ravaneswaran/techsocialist 6872998',
    not: 'Gradle and its dependencies are out of reach here; it calls paths that `java-demo` calls too.',
  },
  {
    name: 'dotnet-checksum',
    version: 'paytm/Paytm_DotNet_Checksum',
    not: 'Debian has no .NET, so it cannot run here; it calls nobody.',
  },
  {
    name: 'mini-program-sdk',
    version: 'paytm/paytm-mini-programs-nodejs-sdk',
    not: 'It needs authorization codes and `/oauth2/v2/token`, which Mohur does not have.',
  },
  {
    name: 'n8n-node',
    version: 'paytm/n8n-nodes-paytm 21d0ae9',
    not: 'It tests its credentials at `/link/fetch`, and Mohur has no payment links.',
  },
]

export const listed: readonly ListedClient[] = [...withTests, ...clients, ...leftOut]
