<?php
// Plays Magento around its unmodified payment model, controller of the callback and checkout script: settings, one order, and the modules beside the script.
namespace Magento\Framework\App { interface CsrfAwareActionInterface {} interface RequestInterface {}
  class ObjectManager { public static function getInstance() { return new self(); } public function get($name) { return new \Anything(); } public function create($name) { return new \Anything(); } } }
namespace Magento\Framework\App\Request { class InvalidRequestException {} }
namespace Magento\Framework\App\Helper { class AbstractHelper { public function __construct() {} } class Context {} }
namespace Magento\Payment\Model\Method { class AbstractMethod { public function getConfigData($name) { global $known; return ['MID' => $known['mid'], 'merchant_key' => $known['key'], 'Website' => 'WEBSTAGING',
  'environment' => 0, 'success_order_status' => 'processing', 'fail_order_status' => 'canceled'][$name] ?? ''; } } }
namespace {
  class Anything { public function __call($name, $args) { return $name === 'getVersion' ? '2.4.7' : ($name === 'isTableExists' ? true : ($name === 'gmtDate' ? '2026-06-15 10:00:00' : ($name === 'getUrl' ? 'http://shop.example/' . $args[0] : $this))); }
    public function __toString() { return ''; } }
  [$step, $root] = [$argv[1], $argv[2]];
  $known = json_decode(stream_get_contents(STDIN), true);
  $base = "$root/Magento_V2.3+/app/code/One97/Paytm";
  require "$base/Helper/Data.php";
  require "$base/Model/Paytm.php";
  $order = new class { public $state = null; public function __call($name, $args) { if ($name === 'setState') $this->state = $args[0];
    return ['getRealOrderId' => '000000050', 'getGrandTotal' => 499.5, 'getCustomerEmail' => 'asha+magento@example.in', 'getStatus' => 'pending_payment'][$name] ?? $this; } };
  $model = (new ReflectionClass('One97\Paytm\Model\Paytm'))->newInstanceWithoutConstructor();
  $give = function ($name, $value) { $this->$name = $value; };
  $give->call($model, 'helper', (new ReflectionClass('One97\Paytm\Helper\Data'))->newInstanceWithoutConstructor());
  $give->call($model, 'urlBuilder', new Anything());
  if ($step === 'callback') {
    $fields = $known['fields'];
    echo json_encode(['verified' => $model->validateResponse($fields, '000000050')]);
    exit;
  }
  $said = $model->buildPaytmRequest($order);
  $script = file_get_contents("$base/view/frontend/web/js/view/payment/method-renderer/one97-paytm.js");
  $checkout = json_encode(['payment' => ['paytm' => ['mid' => $known['mid'], 'checkout_url' => $model->getcheckoutjsurl(), 'redirecturl' => '/paytm/Standard/Redirect']]]);
  $page = <<<HTML
    <script src="/jquery.js"></script><button id="place">Place order</button><script>
    window.checkoutConfig = $checkout
    const Component = { extend: (own) => Object.assign({ _super() { return own }, getData: () => ({}), validate: () => true, isPlaceOrderActionAllowed() {} }, own) }
    const define = (names, make) => {
      const played = [jQuery, Component, () => jQuery.Deferred().resolve(), {}, { isLoggedIn: () => true }, {}, { validate: () => true }]
      window.renderer = make(...played)
      renderer.initObservable()
    }
    document.querySelector('#place').onclick = (event) => renderer.placeOrder({}, event)
    </script><script>$script</script>
    HTML;
  $response = $said['response'];
  echo json_encode(['orderId' => $response['ORDER_ID'], 'txnToken' => $response['txnToken'], 'html' => $page, 'presses' => ['#place'], 'answers' => ['/paytm/Standard/Redirect' => $said]]);
}
