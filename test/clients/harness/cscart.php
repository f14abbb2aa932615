<?php
// Plays CS-Cart around its unmodified payment script. It includes the script once for a checkout and once for a notification.
namespace Tygh { class Registry { public static function get($name) { return ''; } } }
namespace {
  [$step, $root] = [$argv[1], $argv[2]];
  $known = json_decode(stream_get_contents(STDIN), true);
  define('AREA', 'C'); define('BOOTSTRAP', true); define('PRODUCT_VERSION', '4.17'); define('VERSION', '4.17');
  $processor_data = ['processor_params' => ['merchant_id' => $known['mid'], 'secret_key' => $known['key'], 'environment' => 'Staging', 'website_name' => 'WEBSTAGING',
    'industry_type' => 'Retail', 'channel_id' => 'WEB', 'promo_code_view' => 'no', 'promo_local_validation' => '', 'promo_code' => '', 'transaction_url' => '',
    'transaction_status_url' => '', 'paytm_custom_callbackurl' => '', 'log_params' => '', 'bank_offer' => 'no', 'emi_subvention' => 'no', 'dc_emi' => 'no']];
  $order_id = 43;
  $order_info = ['total' => 499.5, 'email' => 'asha-rao@example.in', 'payment_info' => ['paytmPromoCode' => ''], 'items' => [], 'phone' => ''];
  $changed = null;
  function fn_format_price($value) { return round((float) $value, 2); }
  function fn_order_shipping_cost($order) { return 0; }
  function fn_get_lang_var($name) { return $name; }
  function fn_url($url) { return "http://shop.example/$url"; }
  function fn_flush() {}
  function fn_set_notification() {}
  function fn_redirect() {}
  function fn_check_payment_script($script, $id, &$data) { global $processor_data; $data = $processor_data; return true; }
  function fn_change_order_status($id, $status) { global $changed; $changed = $status; }
  function fn_finish_payment() {}
  function fn_order_placement_routines() {}
  if ($step === 'callback') { define('PAYMENT_NOTIFICATION', true); $_POST = $known['fields']; $_GET['dispatch'] = 'payment_notification.notify'; }
  $paytmTxnIdText = '';
  ob_start();
  register_shutdown_function(function () use ($step) {
    global $changed, $data;
    $page = ob_get_clean();
    echo json_encode($step === 'callback' ? ['shop' => $changed] : ['orderId' => $data['orderId'] ?? '', 'txnToken' => $data['txnToken'] ?? '', 'html' => $page]);
  });
  require "$root/paytm cs-cart 4.0/app/payments/paytm.php";
}
