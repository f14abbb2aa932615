// The published clients that run.ts runs, unmodified: their sources, the hashes that identify them, and what a merchant should find after
// each step. None of their code is stored here.

import { type Client, pythonChecksum, STAGE, type Step, TOKEN } from './client.ts'
import { drupal, forms } from './published-forms.ts'
import { pages } from './published-pages.ts'

/** A monthly mandate from its first payment to its end, with its merchant's notifications. */
const subscription: readonly Step[] = [
  { name: 'create', expects: { ...TOKEN, amount: '2.00', subscriptionId: /^[0-9]+$/ } },
  { name: 'pay' },
  { name: 'checkStatus', expects: { active: true, cancelled: false } },
  { name: 'preNotify', expects: { code: '3006', status: 'SUCCESS' } },
  { name: 'wait', time: 'PT1M' },
  { name: 'preNotifyStatus', expects: { code: '3006', status: 'SUCCESS', notice: 'SUCCESS' } },
  { name: 'wait', time: 'P2D' },
  { name: 'renew', expects: { code: '0000', status: 'S' } },
  { name: 'wait', time: 'PT6H' }, // longer than any hours in which nothing may begin
  { name: 'renewalStatus', expects: { code: '01', status: 'TXN_SUCCESS', amount: '499.00' } },
  { name: 'checkStatus', expects: { active: true, lastOrderStatus: 'SUCCESS' } },
  { name: 'cancel', expects: { code: '3006', status: 'SUCCESS' } },
  { name: 'wait', time: 'PT1M' },
  { name: 'checkStatus', expects: { active: false, cancelled: true, subStatus: 'MERCHANT_CANCELLED' } },
  {
    name: 'told',
    expects: {
      ...{ refused: 0, seen: true },
      events: 'SALE SUBSCRIPTION_INIT SUBSCRIPTION_NOTIFY SUBSCRIPTION_DEBIT SUBSCRIPTION_CANCEL',
    },
  },
]

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
    // 5 is the status of paid orders, 10 of failed ones.
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
    needs: 'Needs the setting `registersNotificationUrl`, to register its notification URL by itself.',
    steps: [
      { name: 'register', expects: { message: true } },
      { name: 'create', expects: TOKEN },
      { name: 'pay' },
      { name: 'callback', expects: { shop: 'processing' } },
    ],
  },
  {
    name: 'drupal-commerce-8-guest',
    kind: 'shop plugin',
    ...drupal,
    files: {
      'PaytmCommerceV8.x/commercepaytm/src/PluginForm/PaytmCheckoutForm.php':
        'd3a0021acc1d0c1b3696ced5cb98f9ce638922fea3d9ebed40b6bfd25890ae76',
      'PaytmCommerceV8.x/commercepaytm/src/Plugin/Commerce/PaymentGateway/PaytmCheckout.php':
        '40af2b97fde77a3084cc8c7a0439b2abf40ea20395667b91d4993be47aad3ee9',
      'PaytmCommerceV8.x/commercepaytm/src/PaytmLibrary.php': '3a7661d2d591b85278c6446410484a25e1e4a0fe9e66b0a0db626dc1c421feeb',
    },
    harness: 'drupal8.php',
    lacks:
      'Its constants stand in no namespace, so Drupal does not find them; the client is at fault, and the harness gives them both names.',
    steps: [
      { name: 'create', expects: TOKEN },
      { name: 'pay' },
      { name: 'callback', expects: { state: 'authorization', remote: 'TXN_SUCCESS' } },
    ],
  },
  {
    name: 'drupal-commerce-7',
    kind: 'shop plugin',
    ...drupal,
    files: {
      'PaytmCommerceV7.x/commerce_paytm/commerce_paytm.module': 'e4f86689ed2715dbd6d0f4298106e8c3709c3a5c5a6fa40b50c517d6a8b03d33',
    },
    harness: 'drupal7.php',
    steps: [
      { name: 'create', expects: TOKEN },
      { name: 'pay' },
      { name: 'callback', expects: { told: /^status Thank you .* placed successfully/ } },
    ],
  },
  {
    name: 'whmcs-7',
    kind: 'shop plugin',
    repository: 'paytm/Paytm_WHMCS_Plugin',
    commit: '2ed56ef4db493c9af525a1a112d8883ce1927bb1',
    files: {
      'Paytm_WHMCS_v6.x-7.x_Kit-master/Paytm/gateways/paytm.php': '9d9c21f73c7327523d803a41445a2de49db03b6a5dd806781a50c28ff9b7108a',
      'Paytm_WHMCS_v6.x-7.x_Kit-master/Paytm/gateways/callback/paytm.php':
        'f83b41b9418c912475044d2e86d92af8cf6015bf15eed885239fba78ff638c2d',
    },
    harness: 'whmcs.php',
    steps: [{ name: 'form' }, { name: 'pay' }, { name: 'callback', expects: { paid: '499.50' } }],
  },
  ...forms,
  ...pages,
  {
    name: 'laravel-js-checkout',
    kind: 'server SDK',
    repository: 'paytm/paytm-laravel-js-checkout',
    commit: '8f43902c40bf793d9a486aa68b1477ed295b3bb8',
    files: {
      'src/Providers/ReceivePaymentProvider.php': '6b20b9ba16f3fb4b449a8a30917d4c7276ab1c9a8cbe3547b15b45eea54be97b',
      'src/Providers/PaytmProvider.php': '77ed5dfa1cc9a499f34a507e3afe7d76231a52b479d834994e77e738a3cd5217',
      'lib/PaytmChecksum.php': '6fd70d00859aecf057fe98f881200d584c45fea2a4664fcc861b1f77650cceb8',
      'lib/PaytmHelper.php': '894c057e49095939c42b56f31b3d5db5401b4182d3898be4755befe2157adb51',
    },
    harness: 'laravel-js.php',
    steps: [
      { name: 'create', expects: { ...TOKEN, orderId: '86229610' } },
      { name: 'pay' },
      { name: 'callback', expects: { successful: true, failed: false, order: '86229610' } },
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
    lacks: 'It prints a `refundStatus` that no reply has; the client is at fault.',
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
  {
    name: 'python-subscriptions',
    kind: 'sample backend',
    repository: 'paytm/paytm-agent-skills',
    commit: 'c68e0b289cc56d5f9885e85ef887a7c80019ebd4',
    files: {
      'scripts/backend-python/subscription_service.py': '2ec4203948da88e5228066c3b2b452d4ff497e7963a809d5fb2d9cbcaee1aabe',
      'scripts/backend-python/webhook_handler.py': '688c80f5b2cd7057d564b06c49e296fdc476a80110b19977dca9fea8886c7442',
    },
    beside: [pythonChecksum],
    harness: 'subscriptions.py',
    ...{ hears: true, paidBy: { paymentMode: 'UPI', payerAccount: 'success@upi' } },
    steps: subscription,
  },
  {
    name: 'node-subscriptions',
    kind: 'sample backend',
    repository: 'paytm/paytm-agent-skills',
    commit: 'c68e0b289cc56d5f9885e85ef887a7c80019ebd4',
    files: {
      'scripts/backend-node/subscriptionService.js': '3051145cd0e540aabc12226720883875e722ec7b3db9f68d6cbe8f93750a0baf',
      'scripts/backend-node/webhookHandler.js': '8fb5820850e7e17fb3bd6b67911d34d954abda0ce73eaa3f0241227465ec568d',
    },
    harness: 'subscriptions.mjs',
    ...{ hears: true, paidBy: { paymentMode: 'UPI', payerAccount: 'success@upi' } },
    steps: subscription,
  },
  {
    name: 'mobility-backend',
    kind: 'sample backend',
    repository: 'transport-stack/ondc-micro-mobility-buyer',
    commit: 'baf61c609343e74be9a2391644f943563e30c7a6',
    files: {
      'modules/pg/paytm/fetch_balance_info_api.py': '95e6b7bd9b6c25e4aa9b126aaa8cdf4fb066d11c6a608a0250ad19704a7b7cb3',
      'modules/pg/paytm/fetch_payment_options_api.py': '83ce59a7ac0f5dc71c0d7a1d43b5025e1886b831c2b90d1c2c97ae31178dceb9',
    },
    only: ['modules'],
    harness: 'mobility.py',
    ...{ paidBy: { paymentMode: 'BALANCE' }, settings: { host: STAGE } },
    lacks: 'Its repository no longer has the module that makes an order; the client is at fault, and the harness plays it.',
    steps: [
      { name: 'order' },
      { name: 'login' },
      { name: 'balance', expects: { code: '0000', balance: '5000.00' } },
      { name: 'options', expects: { code: '0000', modes: /^BALANCE / } },
      { name: 'pay' },
    ],
  },
  {
    name: 'shop-api',
    kind: 'sample backend',
    repository: 'ashudevs/negbuyapi',
    commit: '3fdb9cdb4f933d50e95d07ba4a2203fac5738715',
    files: { 'payments.py': 'e25fb3c167e29b212e208b8af73e1f38f5d222803b649583fec173d28109d5cc' },
    only: ['payments.py'],
    beside: [pythonChecksum],
    harness: 'shop-api.py',
    steps: [
      { name: 'create', expects: TOKEN },
      { name: 'banks', expects: { banks: 13, first: /^[A-Z]+ / } },
      { name: 'options', expects: { modes: 8 } },
      { name: 'vpa', expects: { valid: true } },
      { name: 'pay' },
    ],
  },
  {
    name: 'node-backend',
    kind: 'sample backend',
    repository: 'anirban-legalkart/Paytm-Payment-Gateway-Backend-Using-Node.js',
    commit: 'b7c0501e52abea5494f7b30d7d0f7d5e03a6b22f',
    files: {
      'paymentRoute.js': '476e2aeffb475ce90494547e3802dd97da22aeebe8b38007caed7a56e7925b3e',
      'PaytmChecksum.js': 'd59f38ef72ccc6cded9b00c8835be96ccefee246c4c2e8465e82cf3087eed60e',
    },
    only: ['paymentRoute.js', 'PaytmChecksum.js'],
    harness: 'node-backend.mjs',
    settings: { host: STAGE },
    paidBy: { paymentMode: 'BALANCE' },
    steps: [
      { name: 'create', expects: { ...TOKEN, code: '0000' } },
      { name: 'options', expects: { modes: 8 } },
      { name: 'login' },
      { name: 'balance', expects: { code: '0000', balance: '5000.00' } },
      { name: 'banks', expects: { code: '0000', banks: 13 } },
      { name: 'vpa', expects: { valid: true } },
      { name: 'bin', expects: { card: 'CREDIT_CARD' } },
      { name: 'pay' },
      { name: 'status', expects: { code: '01', status: 'TXN_SUCCESS' } },
    ],
  },
  {
    name: 'custom-checkout-php',
    kind: 'sample backend',
    repository: 'SarthakVerma97/Utility',
    commit: 'd8532bf5d837f7d68dda7844d16ac84794ccd553',
    files: {
      'CustomCheckout/1_Initiate transaction.php': '7c7ef41aacdc1d5b5d4ad12039583c77ab8bbf35c0f7d4a59440dc1d2a19edc1',
      'CustomCheckout/Fetch Balance.php': '02aca9c0fe85c6c5c06f082c78d7a8ed594e5ece3ca48106f1cafc919287f4e0',
      'CustomCheckout/Fetch_NB_Channels.php': '56b0ab476c2adb01ccc6abc7190b4ef44619d51ed87459c5d859ef76b35ad04a',
      'CustomCheckout/Fetch_EMI_Details.php': '0533fee94c125816c0c07136ff05050dd4d325596aa0c144a2c4086e05d680cf',
      'CustomCheckout/Validate_VPA.php': 'b84df02a5451d0b47d77a00a308bc161e65b44b516c47090a2c7222a27fd403d',
      'CustomCheckout/FPO.php': '57d6f74b54d557999f771605c8353ce5ead1f2a4b56dd82c73cbe92b1efc35fb',
      'CustomCheckout/Fetch_Bin.php': '653c77a04259f00157a4027d79f769ff24d7f67084f9e0044dad1a5ff43e6f9e',
    },
    only: [
      'CustomCheckout/PaytmChecksum.php',
      'CustomCheckout/1_Initiate transaction.php',
      'CustomCheckout/Fetch Balance.php',
      'CustomCheckout/Fetch_NB_Channels.php',
      'CustomCheckout/Fetch_EMI_Details.php',
      'CustomCheckout/Validate_VPA.php',
      'CustomCheckout/FPO.php',
      'CustomCheckout/Fetch_Bin.php',
    ],
    harness: 'custom-checkout.php',
    settings: { host: STAGE },
    lacks: 'fetchBalanceInfo for `PAYTM_DIGITAL_CREDIT` is 1001, and getEmiDetails and fetchPcfDetails are 404: Mohur does not have them.',
    steps: [
      { name: 'create', expects: { ...TOKEN, code: '0000' } },
      { name: 'options', expects: { modes: 8 } },
      { name: 'login' },
      { name: 'balance', expects: { code: '1001' } },
      { name: 'banks', expects: { code: '0000', banks: 13 } },
      { name: 'emi', expects: { code: '0000' } },
      { name: 'vpa', expects: { valid: true } },
      { name: 'bin', expects: { code: '312' } }, // a card that the demo world does not know
      { name: 'pay' },
    ],
  },
  {
    name: 'java-demo',
    kind: 'sample backend',
    repository: 'ravaneswaran/paytm-web-integration-demo',
    commit: '1d00461144669c6b8f5c7a6cbaa8c43a9b817b91',
    files: {
      'src/main/java/rc/demo/app/gateway/paytm/services/InitiateTransactionService.java':
        'e2035eed01a3ebb1e81ed59da47b408488027b770e831d31b79cb77dd16db7d3',
      'src/main/java/rc/demo/app/gateway/paytm/services/BalanceInfoService.java':
        'fdeed7d8b1f0246ff58c2c88ca84408fb5d44d2c5559e88975598b93912acd7f',
      'src/main/java/rc/demo/app/gateway/paytm/services/FetchEMIDetailsService.java':
        '1be3a86a2a10f084f8c6ea7237774f1fe0edee22999c65ac88bc722a7249772d',
      'src/main/java/rc/demo/app/gateway/paytm/services/NetBankingPaymentChannelService.java':
        'aadfc7c1a6793fd7b850f8e1452a1a6b8db8a6d415c6056d3373033f70cb6c0c',
    },
    only: ['src/main/java/rc/demo/app/gateway/paytm/services', 'src/main/resources'],
    // Run by hand from its Java, which nothing here builds. Its recorded exchange is replayed.
    merchant: { websites: { localhost: {} } },
    lacks: 'It reads no amount of a balance; the client is at fault.',
    needs: 'Needs `localhost` among the `websites` of the merchant: its code sends that name.',
    paidBy: { paymentMode: 'BALANCE' },
    steps: [
      { name: 'create', expects: TOKEN },
      { name: 'options', expects: { said: /0000/ } },
      { name: 'login' },
      { name: 'balance', expects: { said: /0000/ } },
      { name: 'banks', expects: { said: /0000/ } },
      { name: 'emi', expects: { said: /0000/ } },
      { name: 'bin', expects: { said: /0000/ } },
      { name: 'pay' },
      { name: 'orders', expects: { said: /TXN_SUCCESS/ } },
      { name: 'status', expects: { said: /TXN_SUCCESS/ } },
      { name: 'refund', expects: { said: /601/ } },
      { name: 'refundStatus', expects: { said: /./ } },
    ],
  },
]
