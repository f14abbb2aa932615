<?php
// Plays a shop's controller around its unmodified view, which signs and draws the form: the controller's values, and the kit's library.
[$step, $root, $kit] = [$argv[1], $argv[2], $argv[3]];
$known = json_decode(stream_get_contents(STDIN), true);
define('PAYTM_MERCHANT_KEY', $known['key']);
define('PAYTM_MERCHANT_MID', $known['mid']);
define('PAYTM_MERCHANT_WEBSITE', 'WEBSTAGING');
function base_url() { return 'https://shop.example/'; }
if (!file_exists("$root/paytmkit")) symlink("$kit/PaytmKit", "$root/paytmkit");
chdir($root);
ob_start();
if ($step === 'form') {
  [$order_id, $user_id, $order_amt, $phone, $email, $profile] = [$known['orderId'], '77', '499.50', '9876543210', 'asha@example.in', [[]]];
  require "$root/vc_application/views/admin/paytmredirect.php";
  $page = ob_get_clean();
  preg_match('/<form method="post" action="([^"]*)"/', $page, $form);
  preg_match_all('/name="([A-Z_]+)" value="([^"]*)"/', $page, $inputs);
  echo json_encode(['action' => $form[1], 'fields' => array_combine($inputs[1], array_map('html_entity_decode', $inputs[2]))]);
} else {
  require "$root/paytmkit/lib/encdec_paytm.php";
  ob_end_clean();
  $fields = $known['fields'];
  echo json_encode(['verified' => verifychecksum_e($fields, PAYTM_MERCHANT_KEY, $fields['CHECKSUMHASH']), 'status' => $fields['STATUS']]);
}
