// Published shop plugins whose payer pays on the shop's own page. The page is drawn here and opened in Chromium.

import { type Client, STAGE, TOKEN } from './client.ts'

export const pages: readonly Client[] = [
  {
    name: 'viart',
    kind: 'shop plugin',
    repository: 'paytm/Paytm_ViArt_Plugin',
    commit: 'e67b0edd39d110fb42372eba4fb25accfd17b1bd',
    files: {
      'payments/paytm.php': '887413e9c8b964149f07ea7bf9d0a80047430024e06c1029b3e5f072d8e7ba2a',
      'payments/paytm_validate.php': 'aa39a5835aa62a9d52bbc39cd6d3b6bd63e56a4a4e82745ccbe7f340e499a9e1',
      'includes/paytm/PaytmHelper.php': '4d7924e5413311cfdf007a2d20ad28c35b433920c46ed3f799d8b077aaf0dab9',
    },
    harness: 'viart.php',
    steps: [
      { name: 'create', expects: TOKEN },
      { name: 'pay' },
      { name: 'callback', expects: { shop: 'TXN_SUCCESS', error: '' } },
      { name: 'leave' },
      { name: 'callback', expects: { shop: 'TXN_FAILURE' } },
    ],
  },
  {
    name: 'moodle',
    kind: 'shop plugin',
    repository: 'paytm/Paytm_Moodle_Plugin',
    commit: '69b1ef19ecb86f529e05e9107f590223bf1cea05',
    files: {
      'moodle/paytm/lib.php': '9c929f22566e1300773da15b64223f3bd411dc60f7041a8a274c763b7c41d243',
      'moodle/paytm/enrol.html': '2c386d39b2fb5c155494a5cbe4ef3515b8bf010d3ebe0a7d7208fee9f0e4c52b',
    },
    harness: 'moodle.php',
    unseen: 'Its script for the callback did not run; the callback was verified here.',
    steps: [{ name: 'create', expects: TOKEN }, { name: 'pay' }],
  },
  {
    name: 'prestashop-17',
    kind: 'shop plugin',
    repository: 'paytm/Paytm_Prestashop_Plugin',
    commit: '84f50ea0632dc7050601a78c2f194c5a18046a80',
    files: {
      'prestashop1.7+/paytm/paytm.php': 'e980349857ba93284d965742f4c93ffdeee1c7606e8c653b26c38be064488d5f',
      'prestashop1.7+/paytm/controllers/front/ajax.php': 'ae61c9c05f0cd441ead88ca6e974dfb6e8f4fd6f003dae12e61d9351c8f74958',
    },
    harness: 'prestashop.php',
    unseen: 'Its controller for the callback did not run; the callback was verified here.',
    steps: [{ name: 'create', expects: TOKEN }, { name: 'pay' }],
  },
  {
    name: 'magento-23',
    kind: 'shop plugin',
    repository: 'paytm/Paytm_Magento_Plugin',
    commit: '55ced0ebf8a7adffc19a128234129cca6fc34ba0',
    files: {
      'Magento_V2.3+/app/code/One97/Paytm/Model/Paytm.php': '07a3fc19e179ce7852ffde099bdbfb02777da7e0aa492d71170873c1ed256681',
      'Magento_V2.3+/app/code/One97/Paytm/Helper/Data.php': 'ac75649682cac72a80fd2bab3b9893b54b479a79c650357c6a8924039c3afb24',
      'Magento_V2.3+/app/code/One97/Paytm/view/frontend/web/js/view/payment/method-renderer/one97-paytm.js':
        '3c6a63b8b639c27d308b050a51796385fa479ca195b27e8caa0b3acad74e1b70',
    },
    harness: 'magento.php',
    unseen: 'Of its callback only the check of the checksum ran.',
    steps: [{ name: 'create', expects: TOKEN }, { name: 'pay' }, { name: 'callback', expects: { verified: true } }],
  },
  {
    name: 'gravity-forms',
    kind: 'shop plugin',
    repository: 'paytm/Paytm_GravityForm_Plugin',
    commit: 'fa9e9bdb23918c177c62c963e2f7e38c2ce97ed3',
    files: {
      'paytm-gravity-forms/paytm-form.php': 'ceaa207a727ca2c83cd147db964e43a0f532c4963217f1602c058d82f6390034',
    },
    harness: 'gravity-forms.php',
    unseen: 'Its hook for the callback did not run; the callback was verified here.',
    steps: [{ name: 'create', expects: TOKEN }, { name: 'pay' }],
  },
  {
    name: 'wordpress-donations',
    kind: 'shop plugin',
    repository: 'paytm/Paytm_Wordpress_Plugin',
    commit: '469d58346643cacc2b95b9480a23db8d875764f0',
    files: {
      'paytm-donation/paytm-donation.php': '4f69b4fc0ce090a6d534ca4545ba4b64afe66cc106b30ffb401e94b9f329d640',
      'paytm-donation/assets/233/js/paytm-donation.js': '0c9c12e36bd5dc91bdc5ffeadc31f719f17ce0fb182b109f84c8b7b4ae5f6555',
    },
    harness: 'donations.php',
    steps: [
      { name: 'create', expects: TOKEN },
      { name: 'pay' },
      { name: 'callback', expects: { state: 'Complete Payment', said: /successful/ } },
    ],
  },
  {
    name: 'nopcommerce-47',
    kind: 'shop plugin',
    repository: 'paytm/Paytm_nopCommerce_Plugin',
    commit: '27f542c2a34ac718783324e0a4b947a1c58fe2ce',
    files: {
      '4.7/Nop.Plugin.Payments.Paytm/Views/JSCheckoutView.cshtml': '0b91537b60a25339c07dde2705fbd8e87e9f15d5439e42ce0fe93e49620852bf',
    },
    only: ['4.7/Nop.Plugin.Payments.Paytm/Views'],
    harness: 'nopcommerce.php',
    settings: { host: STAGE },
    unseen: 'Its server is .NET and did not run, only its page; the callback was verified here.',
    steps: [{ name: 'order' }, { name: 'page' }, { name: 'pay' }],
  },
]
