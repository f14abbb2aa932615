<?php
// Plays WordPress and WooCommerce around the unmodified gateway class: options, hooks, requests, one order.
[$step, $root] = [$argv[1], $argv[2]];
$known = json_decode(stream_get_contents(STDIN), true);
class WC_Order { public $status = 'pending'; public static $shop = 'pending'; public static $paid = null;
  public function __call($name, $args) { return ['get_total' => 499.5, 'get_id' => 44, 'get_status' => $this->status, 'get_billing_email' => 'asha+woo@example.in',
    'get_billing_phone' => '+91-99999-00001', 'get_customer_id' => 7, 'get_billing_first_name' => 'Asha', 'get_billing_last_name' => 'Rao', 'get_user_id' => 7,
    'get_checkout_order_received_url' => '', 'get_view_order_url' => '', 'get_order_number' => 44][$name] ?? ''; }
  public function payment_complete($id = '') { self::$paid = $id; self::$shop = $this->status = 'processing'; }
  public function update_status($status) { self::$shop = $this->status = $status; }
  public $id = 44; }
class WC_Payment_Gateway { public $settings, $form_fields, $id, $icon, $method_title, $method_description, $has_fields, $title, $description;
  public function init_settings() { global $known; $this->settings = ['merchant_id' => $known['mid'], 'merchant_key' => $known['key'], 'website' => 'WEBSTAGING', 'otherWebsiteName' => '',
    'environment' => '0', 'description' => '', 'bank_offer' => '0', 'emi_subvention' => '0', 'dc_emi' => '0']; }
  public function get_option($name) { global $known; return $this->settings[$name] ?? ''; } }
define('WOOCOMMERCE_VERSION', '9.0.0');
define('ABSPATH', '/');
$hooks = [];
function add_action($name, $call) { global $hooks; $hooks[$name] = $call; }
function add_filter() {}
function get_option($name) { global $known; return ['woocommerce_paytm_settings' => ['merchant_id' => $known['mid'], 'environment' => '0'], 'isWebsiteAdded' => 'yes', 'websiteOption' => '{"WEBSTAGING":"WEBSTAGING"}'][$name] ?? ''; }
function add_option() {}
function update_option() {}
function current_user_can() { return false; }
function esc_url($text) { return $text; }
function esc_html($text) { return $text; }
function sanitize_text_field($text) { return $text; }
function __($text) { return $text; }
function esc_html__($text) { return $text; }
function get_site_url() { return 'http://shop.example'; }
function get_home_url() { return 'http://shop.example'; }
function home_url() { return 'http://shop.example'; }
function add_query_arg($name, $value, $url) { return "$url?$name=$value"; }
function trailingslashit($text) { return rtrim($text, '/') . '/'; }
function wc_get_order() { return new WC_Order(); }
function wc_get_orders() { return [new WC_Order()]; }
function wp_redirect() {}
function wc_get_checkout_url() { return 'http://shop.example/checkout'; }
function wc_add_notice() {}
function saveTxnResponse() { return 1; }
function getPaytmOrderData() { return ['id' => 1]; }
function is_admin() { return false; }
function wp_remote_request($url, $args) {
  $curl = curl_init($url);
  $headers = array_map(fn($name, $value) => "$name: $value", array_keys($args['headers']), $args['headers']);
  curl_setopt_array($curl, [CURLOPT_CUSTOMREQUEST => $args['method'], CURLOPT_POSTFIELDS => $args['body'], CURLOPT_RETURNTRANSFER => true, CURLOPT_HTTPHEADER => $headers]);
  return ['body' => curl_exec($curl)];
}
function wp_remote_retrieve_body($reply) { return $reply['body']; }
$woocommerce = (object) ['cart' => new class { public function __call($n, $a) { return ''; } }, 'session' => null];
function WC() { global $woocommerce; return $woocommerce; }
$base = "$root/paytm-payments";
require "$base/includes/PaytmHelper.php";
require "$base/includes/PaytmChecksum.php";
require "$base/class.paytm.php";
if ($step === 'register') {
  $_POST = ['environment' => 0, 'mid' => $known['mid'], 'mkey' => $known['key'], 'is_webhook' => 1, 'webhookUrl' => 'http://127.0.0.1:9/?wc-api=WC_Paytm&webhook=yes'];
  ob_start();
  register_shutdown_function(function () { $said = ob_get_clean(); echo json_encode(['message' => json_decode($said, true)['message'] ?? $said]); });
  setPaymentNotificationUrl();
  exit;
}
$gateway = new WC_Paytm();
if ($step === 'create') {
  $page = $gateway->generate_paytm_form(44);
  preg_match('/"orderId": "([^"]*)",\s*"token": "([^"]*)"/', $page, $config);
  echo json_encode(['orderId' => $config[1] ?? '', 'txnToken' => $config[2] ?? '', 'html' => '<script src="/jquery.js"></script>' . $page]);
} else {
  $_POST = $_REQUEST = $known['fields'];
  ob_start();
  register_shutdown_function(function () { ob_end_clean(); echo json_encode(['shop' => WC_Order::$shop, 'transaction' => WC_Order::$paid]); });
  $gateway->check_paytm_response();
}
