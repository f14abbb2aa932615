<?php
// Plays WHMCS around its unmodified callback. The functions that it includes are already here, so the files that it names are empty.
[$step, $root] = [$argv[1], $argv[2]];
$known = json_decode(stream_get_contents(STDIN), true);
if ($step === 'form') {
  $_SERVER['HTTP_HOST'] = 'shop.example';
  $_SERVER['SCRIPT_NAME'] = '/viewinvoice.php';
  require "$root/Paytm_WHMCS_v6.x-7.x_Kit-master/Paytm/gateways/paytm.php";
  $form = paytm_link(['merchant_id' => $known['mid'], 'merchant_key' => $known['key'], 'invoiceid' => '7', 'website' => 'WEBSTAGING', 'industry_type' => 'Retail',
    'transaction_url' => 'https://' . $known['host'] . '/theia/processTransaction', 'amount' => '499.50', 'clientdetails' => ['email' => 'cust@shop.example']]);
  preg_match('/<form method="post" action=(\S+?)>/', $form, $to);
  preg_match_all('/name="([A-Z_]+)" value="([^"]*)"/', $form, $inputs);
  echo json_encode(['action' => $to[1], 'fields' => array_combine($inputs[1], $inputs[2])]);
  exit;
}
$base = "$root/shop/modules/gateways";
if (!is_dir($base)) {
  foreach (["$root/shop", "$root/shop/includes", "$root/shop/modules", $base, "$base/callback"] as $folder) mkdir($folder);
  foreach (['init', 'includes/functions', 'includes/gatewayfunctions', 'includes/invoicefunctions'] as $file) file_put_contents("$root/shop/$file.php", '');
  $kit = "$root/Paytm_WHMCS_v6.x-7.x_Kit-master/Paytm/gateways";
  symlink("$kit/paytm-sdk", "$base/paytm-sdk");
  copy("$kit/callback/paytm.php", "$base/callback/paytm.php");
}
$paid = null;
function getGatewayVariables($name) { global $known; return ['name' => $name, 'merchant_id' => $known['mid'], 'merchant_key' => $known['key'],
  'transaction_status_url' => 'https://' . $known['host'] . '/merchant-status/getTxnStatus']; }
function checkCbInvoiceID($id) { return explode('_', $id)[0]; }
function checkCbTransID($id) {}
function addInvoicePayment($invoice, $transaction, $amount) { global $paid; $paid = $amount; }
$logged = null;
function logTransaction($name, $data, $result) { global $logged; $logged = $result; }
$_POST = $known['fields'];
$_SERVER['HTTP_HOST'] = 'shop.example';
$_SERVER['SCRIPT_NAME'] = '/modules/gateways/callback/paytm.php';
chdir("$base/callback");
ob_start();
require "$base/callback/paytm.php";
ob_end_clean();
echo json_encode(['paid' => $paid, 'logged' => $logged]);
