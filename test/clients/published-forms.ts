// Published clients whose own form makes the order in the payer's browser: kits, and shops built with frameworks that add their own fields.

import { type Client, type Source, STAGE } from './client.ts'

const phpFormKit: Source = {
  repository: 'paytm/Paytm_PHP_Sample',
  commit: '5606207b6da48f6b2dd55424382a8530268f3e54',
  files: {
    'PaytmKit/pgRedirect.php': '7ed34d78561de6a13816a3c730c09e07473963f7c6da46001622a32e33a63d3b',
    'PaytmKit/lib/encdec_paytm.php': 'faa859a1bbbef4f95f74e09d31effc553ce3ae858181a3d1418cd76f16342fee',
  },
}
export const drupal = { repository: 'paytm/Paytm_Drupal_Commerce_Plugin', commit: '3dd2ebd3759fe079001e4c40ce8b9e12b6681455' }

export const forms: readonly Client[] = [
  {
    name: 'drupal-commerce-8-form',
    kind: 'shop plugin',
    ...drupal,
    commit: '1d8146f6d0fc1304b766626119cf8c156204022a',
    files: {
      'PaytmCommerceV8.x/commercepaytm/src/PluginForm/PaytmCheckoutForm.php':
        '02c4dd806f1d1be4ea06ea141e12286b9573fc8385047e824c2b97a03775348a',
      'PaytmCommerceV8.x/commercepaytm/src/Plugin/Commerce/PaymentGateway/PaytmCheckout.php':
        'f08d42abd2d98a3dce5706f27f818d297f79af7d027011cd1bd8f3ba61602af9',
      'PaytmCommerceV8.x/commercepaytm/src/PaytmLibrary.php': '35bcce2fd301c9812995ca0b7e1c1c1dff64357e563cdc93a659a116746ae148',
    },
    harness: 'drupal8.php',
    steps: [
      { name: 'form' },
      { name: 'pay' },
      { name: 'callback', expects: { state: 'authorization', remote: 'TXN_SUCCESS' } },
      { name: 'leave' },
      { name: 'callback', expects: { state: null, said: 'Transaction Failed' } },
    ],
  },
  {
    name: 'laravel-kit',
    kind: 'form kit',
    repository: 'anandsiddharth/laravel-paytm-wallet',
    commit: 'bf94116a3356b6a69ca386c05b7ec8e348947e06',
    files: {
      'src/Providers/ReceivePaymentProvider.php': '1c43e80fb4294c797aa368be959d0add09ed9890d4983edae5a989119d973bcc',
      'src/Providers/PaytmWalletProvider.php': '4786797b26fdb376ecceee0554731558a6839c8bff4ed75eb3b3ba75ec9a9ece',
      'lib/encdec_paytm.php': '5f0f80e822620b4597a47535693cb55c05d27d057b60449a043521ae921f41c9',
    },
    harness: 'laravel.php',
    lacks: 'It asks for the status of a refund at the path of Order Status, with another signature: 330; the client is at fault.',
    steps: [
      { name: 'form' },
      { name: 'pay' },
      { name: 'callback', expects: { status: 'TXN_SUCCESS' } },
      { name: 'status', expects: { successful: true, failed: false, amount: '499.50' } },
      { name: 'refund', expects: { pending: true, failed: false, code: '601' } },
      { name: 'leave' },
      { name: 'callback', expects: { status: 'TXN_FAILURE' } },
      { name: 'refundStatus', expects: { code: '330' } }, // it asks at the path of Order Status, with a signature of another form
    ],
  },
  {
    name: 'php-form-kit',
    kind: 'form kit',
    ...phpFormKit,
    harness: 'samplekit.php',
    steps: [
      { name: 'form' },
      { name: 'pay' },
      { name: 'callback', expects: { verified: 'TRUE' } },
      { name: 'status', expects: { status: 'TXN_SUCCESS' } },
      { name: 'refund', expects: { status: 'PENDING', code: '601' } },
      { name: 'leave' },
      { name: 'callback', expects: { verified: 'TRUE' } },
    ],
  },
  {
    name: 'laravel-kit-channel',
    kind: 'form kit',
    repository: 'anandsiddharth/laravel-paytm-wallet',
    commit: 'bf94116a3356b6a69ca386c05b7ec8e348947e06',
    files: {
      'src/Providers/ReceivePaymentProvider.php': '1c43e80fb4294c797aa368be959d0add09ed9890d4983edae5a989119d973bcc',
      'src/Providers/PaytmWalletProvider.php': '4786797b26fdb376ecceee0554731558a6839c8bff4ed75eb3b3ba75ec9a9ece',
      'lib/encdec_paytm.php': '5f0f80e822620b4597a47535693cb55c05d27d057b60449a043521ae921f41c9',
    },
    harness: 'laravel.php',
    settings: { channel: 'WEBSTAGING' },
    steps: [
      { name: 'form' },
      { name: 'pay' },
      { name: 'callback', expects: { status: 'TXN_SUCCESS' } },
      { name: 'leave' },
      { name: 'callback', expects: { status: 'TXN_FAILURE' } },
    ],
  },
  {
    name: 'rails-form-helper',
    kind: 'form kit',
    repository: 'activemerchant/offsite_payments',
    commit: '6976a8d13ee124a8e59905a23d3998dcb07ce4d0',
    files: {
      'lib/offsite_payments/integrations/paytm.rb': 'c878517e512a98c8b9d72b843348646de3ad138d020e71be8c083c8a095d0516',
      'lib/offsite_payments/action_view_helper.rb': 'f0d50cd92a0395145d22531f3862f07c586ff58736bac32b908eb73131015736',
      'lib/offsite_payments/helper.rb': '3efbb6d33964623125020198548db89215e23b5b2aee077a2fcb088c2fab49f1',
    },
    beside: [
      {
        repository: 'Shopify/active_utils',
        commit: '493630cebc7e7f8778e43b100d5f396e4877b12f',
        files: { 'lib/active_utils.rb': '41db9acb68b7e47b4efe6f0988d6f67592f6c3dfdac4face76807e8c94725006' },
      },
    ],
    harness: 'rails.rb',
    merchant: { callbackFields: 'core' },
    needs: 'Needs the setting `callbackFields` `core`: it recomputes the callback over a fixed list.',
    steps: [
      { name: 'form' },
      { name: 'pay' },
      { name: 'callback', expects: { acknowledged: true, status: 'Completed', item: '1001', gross: '499.50' } },
      { name: 'leave' },
      { name: 'callback', expects: { status: 'Failed', gross: '499.50' } },
    ],
  },
  {
    name: 'signed-mobile-form',
    kind: 'form kit',
    repository: 'sourabh-vats/travmax',
    commit: 'fe29a3cb13ea0a8057b1e7add59872c2c3be6780',
    files: {
      'vc_application/views/admin/paytmredirect.php': '2711f5ce9a739becb1ea230434b56567a287433d85da303ac6aac9dcc4c6ae44',
    },
    only: ['vc_application/views/admin'],
    beside: [phpFormKit],
    harness: 'signed-mobile.php',
    steps: [
      { name: 'form' },
      { name: 'pay' },
      { name: 'callback', expects: { verified: 'TRUE', status: 'TXN_SUCCESS' } },
      { name: 'leave' },
      { name: 'callback', expects: { verified: 'TRUE', status: 'TXN_FAILURE' } },
    ],
  },
  {
    name: 'laravel-shop-form',
    kind: 'form kit',
    repository: 'hurrairaa/Agency-Plus',
    commit: '8b9cdab09fd7c7a85061475098370b7fc89df35a',
    files: {
      'core/app/Http/Controllers/Payment/product/PaytmController.php': 'a0271d3079779f08772a6d1460a52a4e754b7142e6a2cf28d2423f55a37131b2',
      'core/resources/views/front/paytm.blade.php': '002476d9d31f3ff90fae7a2eda473d9a4bc61745dc2b2ae7ddb1949763580437',
    },
    only: ['core/app/Http/Controllers/Payment', 'core/resources/views/front', 'core/vendor/laravel/framework/src/Illuminate'],
    harness: 'laravel-form.php',
    steps: [
      { name: 'form' },
      { name: 'pay' },
      { name: 'callback', expects: { verified: 'TRUE', status: 'TXN_SUCCESS' } },
      { name: 'leave' },
      { name: 'callback', expects: { verified: 'TRUE', status: 'TXN_FAILURE' } },
    ],
  },
  {
    name: 'laravel-kit-2018',
    kind: 'form kit',
    repository: 'anandsiddharth/laravel-paytm-wallet',
    commit: '82f7dea3a24cf279b3f9c9bca9cfafac27cc6d4a',
    files: {
      'src/Providers/ReceivePaymentProvider.php': '1f4b03674b135f89f25cc7fae6d2df2d4dd093612b6989a584a47e5784045418',
      'src/Providers/PaytmWalletProvider.php': '81a4a5946ec35178e9125e1992b704b722a8c48fb1da9effed3b644bc3ab97fc',
      'lib/encdec_paytm.php': '627f6b16efed8ed9d9d24ef8b0ee848c9fa81cf4437fca2431ccdf9a04ff7947',
    },
    harness: 'laravel.php',
    lacks: 'It reads a status as an object where its own library gives an array; the client is at fault.',
    steps: [
      { name: 'form' },
      { name: 'pay' },
      { name: 'callback', expects: { status: 'TXN_SUCCESS' } },
      { name: 'leave' },
      { name: 'callback', expects: { status: 'TXN_FAILURE' } },
    ],
  },
  {
    name: 'perl-form-kit',
    kind: 'form kit',
    repository: 'Paytm-Payments/Paytm_Web_Sample_Kit_Perl',
    commit: '9a207c99d1e85aba8eab97a355c2de731c97be57',
    files: {
      'perl/request.pl': '8a053ebb5cb0f1215d2288c951d5aa45bc690f09e15a062bc1ef7bb7101d3c7b',
      'perl/response.pl': '61fbb2f98e202ee9ae48b6df605f368e59022790b48cb3db79d85d2b08525189',
      'perl/Paytm/PaytmEncDec.pm': '780f198f52139644d0744de5a2bae35d47155eb0a461b56c4e356d1920679c4d',
    },
    harness: 'form-kit.pl',
    steps: [
      { name: 'form' },
      { name: 'pay' },
      { name: 'callback', expects: { said: 'Match' } },
      { name: 'leave' },
      { name: 'callback', expects: { said: 'MisMatch' } }, // it ignores the checksum of a failed payment
    ],
  },
  {
    name: 'digit',
    kind: 'sample backend',
    repository: 'egovernments/Digit-Core',
    commit: '8ea570250c59b296dc74e66711c788966e0aa5a5',
    files: {
      'core-services/egov-pg-service/src/main/java/org/egov/pg/service/gateways/paytm/PaytmGateway.java':
        '7433d44b28c18958788afacdd3b7bfc3ec44386486b4ccfef84f6927ecdd1041',
      'core-services/egov-pg-service/src/main/java/org/egov/pg/service/gateways/paytm/PaytmResponse.java':
        '0734d888db5f11c763ecf6f24b42c423e4a7e9f0137a6f63320a111edd65bbe2',
    },
    only: ['core-services/egov-pg-service/src/main/java/org/egov/pg/service/gateways/paytm'],
    // Run by hand from its Java, which nothing here builds. Its recorded exchange is replayed.
    settings: { host: STAGE },
    steps: [{ name: 'redirect' }, { name: 'pay' }, { name: 'status', expects: { status: 'SUCCESS', amount: '499.50', code: '01' } }],
  },
]
