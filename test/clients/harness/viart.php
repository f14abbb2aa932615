<?php
// Plays ViArt around its unmodified payment module: the files that it includes are empty, and their functions follow here.
[$step, $root] = [$argv[1], $argv[2]];
$known = json_decode(stream_get_contents(STDIN), true);
foreach (["$root/messages", "$root/messages/en"] as $folder) if (!is_dir($folder)) mkdir($folder);
foreach (['includes/common', 'includes/order_items', 'includes/parameters', 'messages/en/cart_messages'] as $file) file_put_contents("$root/$file.php", '');
define('TEXT', 1); define('INTEGER', 2);
$language_code = 'en';
$table_prefix = 'va_';
$changed = null;
function get_session($name) { return '47'; }
function check_order($id, $vc) { return ''; }
function get_payment_parameters($id, &$payment, &$pass, &$post, &$data, &$variables, $step) { global $known; $payment = ['callback_url' => 'http://shop.example/order_final.php',
  'merchant_id' => $known['mid'], 'merchant_key' => $known['key'], 'merchant_website' => 'WEBSTAGING', 'industry' => 'Retail', 'channel' => 'WEB', 'live_mode' => 'no']; }
function get_setting_value($settings, $name, $default) { return $settings[$name] ?? $default; }
function va_version() { return '5.8'; }
function update_order_status($id, $status, $paid, $items, &$error) { global $changed; $changed = $status; }
$db = new class { public $ran = []; public function tosql($value, $type) { return "'$value'"; } public function query($sql) { $this->ran[] = $sql; } };
$_POST = $step === 'create' ? ['invoice' => '47', 'email' => 'asha+viart@example.in', 'amount' => '499.50'] : $known['fields'];
$error_message = '';
chdir("$root/payments");
ob_start();
require $step === 'create' ? "$root/payments/paytm.php" : "$root/payments/paytm_validate.php";
$page = ob_get_clean();
echo json_encode($step === 'create' ? ['orderId' => $paramList['ORDER_ID'], 'txnToken' => $txnToken, 'html' => $page] : ['shop' => $changed, 'error' => $error_message]);
