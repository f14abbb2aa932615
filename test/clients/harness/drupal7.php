<?php
// Plays Drupal 7 and its Commerce around the unmodified payment module: settings, one order, and the messages to the payer.
[$step, $root] = [$argv[1], $argv[2]];
$known = json_decode(stream_get_contents(STDIN), true);
define('VERSION', '7.100');
class Wrapped { public function __construct(private $values) {}
  public function __get($name) { return new self($this->values[$name] ?? []); }
  public function value() { return $this->values; } }
function entity_metadata_wrapper($type, $order) {
  return new Wrapped(['mail' => 'asha+drupal@example.in', 'commerce_order_total' => ['currency_code' => 'INR', 'amount' => 49900], 'commerce_customer_billing' => ['commerce_customer_address' =>
    ['first_name' => 'Asha', 'last_name' => 'Rao', 'thoroughfare' => '1 MG Road', 'locality' => 'Pune', 'administrative_area' => 'MH', 'country' => 'IN', 'postal_code' => '411001']]]);
}
function url($path) { return "http://shop.example/$path"; }
function t($text) { return $text; }
$said = [];
function drupal_set_message($text, $type = 'status') { global $said; $said[] = [$type, $text]; }
function commerce_payment_redirect_pane_previous_page($order) { global $back; $back = true; }
$payment = ['settings' => ['merchantIdentifier' => $known['mid'], 'secret_key' => $known['key'], 'industry_type' => 'Retail', 'channel_id' => 'WEB', 'website' => 'WEBSTAGING', 'mode' => '1',
  'transaction_url' => '', 'transaction_status_url' => '', 'callback_mode' => '1']];
$order = (object) ['order_id' => '7042', 'data' => ['payment_redirect_key' => 'K3Y']];
ob_start();
register_shutdown_function(function () use ($step) { // the module itself ends the process after it has drawn the checkout
  global $said;
  $page = ob_get_clean();
  preg_match('/"orderId": "([^"]*)",\s*"token": "([^"]*)"/', $page, $config);
  echo "\n" . json_encode($step === 'callback' ? ['told' => implode(' ', $said[0] ?? [])] : ['orderId' => $config[1] ?? '', 'txnToken' => $config[2] ?? null, 'html' => $page]);
});
require "$root/PaytmCommerceV7.x/commerce_paytm/commerce_paytm.module";
$state = [];
if ($step === 'create') {
  paytm_redirect_form([], $state, $order, $payment);
} else {
  $_POST = $known['fields'];
  paytm_redirect_form_validate($order, $payment);
}
