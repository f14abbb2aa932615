<?php
// The unmodified library of a form kit, as its pages call it. The pages themselves define these constants.
[$step, $root] = [$argv[1], $argv[2]];
$known = json_decode(stream_get_contents(STDIN), true);
define('PAYTM_MERCHANT_KEY', $known['key']);
define('PAYTM_REFUND_URL', 'https://' . $known['host'] . '/refund/HANDLER_INTERNAL/REFUND');
define('PAYTM_STATUS_QUERY_URL', 'https://' . $known['host'] . '/merchant-status/getTxnStatus');
define('PAYTM_STATUS_QUERY_NEW_URL', PAYTM_STATUS_QUERY_URL);
if ($step === 'form') {
  // The kit's own page. It reads only one of its settings: the merchant.
  define('PAYTM_MERCHANT_MID', $known['mid']);
  define('PAYTM_MERCHANT_WEBSITE', 'WEBSTAGING');
  $_POST = ['ORDER_ID' => $known['orderId'], 'CUST_ID' => 'CUST_1', 'INDUSTRY_TYPE_ID' => 'Retail', 'CHANNEL_ID' => 'WEB', 'TXN_AMOUNT' => '499.50'];
  chdir("$root/PaytmKit");
  ob_start();
  require "$root/PaytmKit/pgRedirect.php";
  $page = ob_get_clean();
  preg_match('/<form method="post" action="([^"]*)"/', $page, $form);
  preg_match_all('/name="([A-Z_]+)" value="([^"]*)"/', $page, $inputs);
  echo json_encode(['action' => $form[1], 'fields' => array_combine($inputs[1], array_map('html_entity_decode', $inputs[2]))]);
  exit;
}
require "$root/PaytmKit/lib/encdec_paytm.php";
if ($step === 'callback') {
  $fields = $known['fields'];
  echo json_encode(['verified' => verifychecksum_e($fields, PAYTM_MERCHANT_KEY, $fields['CHECKSUMHASH'])]);
} elseif ($step === 'status') {
  $asked = ['MID' => $known['mid'], 'ORDERID' => $known['orderId']];
  $asked['CHECKSUMHASH'] = getChecksumFromArray($asked, PAYTM_MERCHANT_KEY);
  $said = getTxnStatusNew($asked);
  echo json_encode(['status' => $said['STATUS'], 'transaction' => $said['TXNID']]);
} else {
  $said = initiateTxnRefund(['MID' => $known['mid'], 'TXNID' => $known['txnId'], 'ORDERID' => $known['orderId'], 'REFUNDAMOUNT' => '10.00', 'TXNTYPE' => 'REFUND', 'REFID' => 'KIT1']);
  echo json_encode(['status' => $said['STATUS'] ?? null, 'code' => $said['RESPCODE'] ?? null]);
}
