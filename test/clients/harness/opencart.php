<?php
// Plays OpenCart 3 around its unmodified payment controller: registry, configuration, session, models, views.
[$step, $root] = [$argv[1], $argv[2]];
$known = json_decode(stream_get_contents(STDIN), true);
define('DIR_SYSTEM', "$root/Opencart_V3.x/upload/system/");
define('DIR_TEMPLATE', '/nonexistent/');
define('VERSION', '3.0.3.8');

class Anything { public function __call($name, $args) { return $args[0] ?? ''; } }
class Config { public function get($name) {
  global $known;
  return ['payment_paytm_merchant_id' => $known['mid'], 'payment_paytm_merchant_key' => $known['key'], 'payment_paytm_website' => 'WEBSTAGING',
    'payment_paytm_environment' => 0, 'payment_paytm_order_success_status_id' => 5, 'payment_paytm_order_pending_status_id' => 1,
    'payment_paytm_order_failed_status_id' => 10][$name] ?? '';
} }
class Orders { public $status = 0; public function getOrder($id) { return ['order_id' => $id, 'total' => 499.5, 'currency_code' => 'INR', 'currency_value' => 1,
    'email' => 'asha+shop@example.in', 'telephone' => '+91 99999-00001', 'customer_id' => 7, 'order_status_id' => 0]; }
  public function addOrderHistory($id, $status, $comment = '') { $this->status = $status; } }
class View extends Anything { public $data = []; public function view($name, $data) { $this->data = $data; return ''; } }
class Currency { public function format($value) { return $value; } }
class Url { public function link($route) { return "http://shop.example/index.php?route=$route"; } }
#[AllowDynamicProperties]
class Controller {}
require "$root/Opencart_V3.x/upload/catalog/controller/extension/payment/paytm.php";

$controller = new ControllerExtensionPaymentPaytm();
$controller->load = new View();
$controller->language = new Anything();
$controller->config = new Config();
$controller->currency = new Currency();
$controller->url = new Url();
$controller->model_checkout_order = new Orders();
$controller->model_extension_payment_paytm = new Anything();
$controller->response = new Anything();
$controller->session = (object) ['data' => ['order_id' => 42]];
$controller->request = (object) ['post' => $known['fields'] ?? []];
if ($step === 'create') {
  $controller->index();
  $data = $controller->load->data;
  // All that the view uses of Twig is names in braces.
  $view = file_get_contents("$root/Opencart_V3.x/upload/catalog/view/theme/default/template/extension/payment/paytm.twig");
  $html = preg_replace_callback('/{{ (\w+) }}/', fn($found) => $data[$found[1]] ?? '', $view);
  echo json_encode(['orderId' => $data['orderId'], 'txnToken' => $data['txnToken'], 'amount' => $data['amount'], 'html' => $html, 'presses' => ['#button-confirm']]);
} else {
  $controller->callback();
  echo json_encode(['shop' => $controller->model_checkout_order->status, 'status' => $controller->load->data['payment_status'] ?? null]);
}
