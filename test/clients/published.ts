// Which published clients are run, unmodified, by run.ts: where each comes from, what shows that it is that, and what a merchant
// should find at the end of each step. None of their code is kept here.

export interface Source {
  repository: string
  commit: string
  /** SHA-256 of files that the harness runs. */
  files: Readonly<Record<string, string>>
}

export interface Step {
  /** `order`: an order is made by hand, for clients that make none; `pay`: the payer pays; the others are the harness's own. */
  name: 'order' | 'create' | 'pay' | 'callback' | 'status' | 'refund' | 'refundStatus' | 'orders' | 'refunds' | 'register'
  expects?: Readonly<Record<string, string | number | boolean | null | RegExp>>
}

export interface Client extends Source {
  name: string
  kind: 'server SDK' | 'shop plugin' | 'form kit' | 'sample backend' | 'assistant tools'
  harness: string
  steps: readonly Step[]
  /** What it needs of another repository. */
  beside?: readonly Source[]
}

const TOKEN = { txnToken: /^[0-9a-f]{32}[0-9]{13}$/ }
const pythonChecksum: Source = {
  repository: 'paytm/Paytm_Python_Checksum',
  commit: 'f1efd1d4e6b2524417437760910729486f4869b8',
  files: { 'paytmchecksum/PaytmChecksum.py': '9b507ed2a44a8026660f522e2862654456d3b2b5eeb991c097162c14e00e7c65' },
}

export const clients: readonly Client[] = [
  {
    name: 'opencart-3',
    kind: 'shop plugin',
    repository: 'paytm/Paytm_Opencart_Plugin',
    commit: '9dba1edaa2cb2896e2128ccc13b1546c079d59ad',
    files: {
      'Opencart_V3.x/upload/catalog/controller/extension/payment/paytm.php':
        '566a3d5a863443ac0e01f22bbb027c2ee99247723394030f0f935acd65354a4e',
    },
    harness: 'opencart.php',
    // 5 is the status of orders that are paid, 10 of those that failed.
    steps: [{ name: 'create', expects: TOKEN }, { name: 'pay' }, { name: 'callback', expects: { shop: 5, status: 'TXN_SUCCESS' } }],
  },
  {
    name: 'cs-cart-4',
    kind: 'shop plugin',
    repository: 'paytm/Paytm_CSCart_Plugin',
    commit: '986a6ce86de10b14d2f8db2a0445eeb68fb69df3',
    files: { 'paytm cs-cart 4.0/app/payments/paytm.php': '8dfe55b4765884b1c55eaeb14dad5a1fc883acad63de210682e7c15206089551' },
    harness: 'cscart.php',
    steps: [{ name: 'create', expects: TOKEN }, { name: 'pay' }, { name: 'callback', expects: { shop: 'P' } }],
  },
  {
    name: 'woocommerce',
    kind: 'shop plugin',
    repository: 'paytm/Paytm_Woocommerce_Plugin',
    commit: 'c7049951f2100e05eed7ea8c929d6834371e46eb',
    files: { 'paytm-payments/class.paytm.php': '4d1444c9d02ecb3a12c2f71c37b71de8cb49f97e79d374df205b80549b435edf' },
    harness: 'woocommerce.php',
    steps: [
      { name: 'register', expects: { message: true } },
      { name: 'create', expects: TOKEN },
      { name: 'pay' },
      { name: 'callback', expects: { shop: 'processing' } },
    ],
  },
  {
    name: 'whmcs-7',
    kind: 'shop plugin',
    repository: 'paytm/Paytm_WHMCS_Plugin',
    commit: '2ed56ef4db493c9af525a1a112d8883ce1927bb1',
    files: {
      'Paytm_WHMCS_v6.x-7.x_Kit-master/Paytm/gateways/callback/paytm.php':
        'f83b41b9418c912475044d2e86d92af8cf6015bf15eed885239fba78ff638c2d',
    },
    harness: 'whmcs.php',
    steps: [{ name: 'order' }, { name: 'pay' }, { name: 'callback', expects: { paid: '499.50' } }],
  },
  {
    name: 'laravel-kit',
    kind: 'form kit',
    repository: 'anandsiddharth/laravel-paytm-wallet',
    commit: 'bf94116a3356b6a69ca386c05b7ec8e348947e06',
    files: {
      'src/Providers/PaytmWalletProvider.php': '4786797b26fdb376ecceee0554731558a6839c8bff4ed75eb3b3ba75ec9a9ece',
      'lib/encdec_paytm.php': '5f0f80e822620b4597a47535693cb55c05d27d057b60449a043521ae921f41c9',
    },
    harness: 'laravel.php',
    steps: [
      { name: 'order' },
      { name: 'pay' },
      { name: 'callback', expects: { status: 'TXN_SUCCESS' } },
      { name: 'status', expects: { successful: true, failed: false, amount: '499.50' } },
      { name: 'refund', expects: { pending: true, failed: false, code: '601' } },
    ],
  },
  {
    name: 'php-form-kit',
    kind: 'form kit',
    repository: 'paytm/Paytm_PHP_Sample',
    commit: '5606207b6da48f6b2dd55424382a8530268f3e54',
    files: { 'PaytmKit/lib/encdec_paytm.php': 'faa859a1bbbef4f95f74e09d31effc553ce3ae858181a3d1418cd76f16342fee' },
    harness: 'samplekit.php',
    steps: [
      { name: 'order' },
      { name: 'pay' },
      { name: 'callback', expects: { verified: 'TRUE' } },
      { name: 'status', expects: { status: 'TXN_SUCCESS' } },
      { name: 'refund', expects: { status: 'PENDING', code: '601' } },
    ],
  },
  {
    name: 'python-sdk',
    kind: 'server SDK',
    repository: 'paytm/paytm-pg-python-sdk',
    commit: 'c0769526c8817dddc0b4597268d59036f8c7f33b',
    files: { 'paytmpg/pg/Request.py': '3221e2054ed69f73000c1f3199d7597a2cc9d17edaeb4093b38054993fbe4e8c' },
    harness: 'python-sdk.py',
    steps: [
      { name: 'create', expects: { ...TOKEN, code: '0000' } },
      { name: 'pay' },
      { name: 'status', expects: { status: 'TXN_SUCCESS', code: '01' } },
      { name: 'refund', expects: { status: 'PENDING', code: '601' } },
      { name: 'refundStatus', expects: { code: /^(10|601)$/ } },
    ],
  },
  {
    name: 'mcp-server',
    kind: 'assistant tools',
    repository: 'paytm/payment-mcp-server',
    commit: 'aecdbfc27471c1c8df3559deb7fbdf8bac53c189',
    files: {
      'services/order_list_service.py': '7a0a8352e22b384599755b3dfbfe234cb6be4c1d8fe65d96cdce787ef381925c',
      'services/refund_service.py': 'efe1fb847fb20091878f052a8d48d9a470664cb39c4e70c39ec26ec885bd9d31',
    },
    beside: [pythonChecksum],
    harness: 'mcp.py',
    steps: [
      { name: 'order' },
      { name: 'pay' },
      { name: 'orders', expects: { text: /Order ID: mcpserver_10\n.*Amount: ₹499\.50\nPayment Mode: PPBL\n.*Status: SUCCESS/s } },
      { name: 'refund', expects: { text: /^Refund initiated successfully and is pending/ } },
      { name: 'refundStatus', expects: { text: /Refund Amount: 10\.00/ } },
      { name: 'refunds', expects: { text: /Count: 1\).*Ref ID: MCP1, Txn Amount: 499\.50, Refund Amount: 10\.00, Status: SUCCESS/ } },
    ],
  },
  {
    name: 'python-backend',
    kind: 'sample backend',
    repository: 'paytm/paytm-agent-skills',
    commit: 'c68e0b289cc56d5f9885e85ef887a7c80019ebd4',
    files: { 'scripts/backend-python/paytm_service.py': '736fa6f605ed6dddcf158e3955486a7e97c914cd1ee570ece1cb75317da4b84a' },
    beside: [pythonChecksum],
    harness: 'backend.py',
    steps: [
      { name: 'create', expects: TOKEN },
      { name: 'pay' },
      { name: 'callback', expects: { verified: true } },
      { name: 'status', expects: { resultStatus: 'TXN_SUCCESS', resultCode: '01' } },
    ],
  },
]
