<?php
// Fills the unmodified view of a shop's plugin with its server's values, as its view engine does: `@@`, tags with `!`, and one value.
[$step, $root] = [$argv[1], $argv[2]];
$known = json_decode(stream_get_contents(STDIN), true);
$data = ['OrderId' => $known['orderId'], 'txntoken' => $known['txnToken'], 'amount' => '499.50', 'mid' => $known['mid'], 'env' => '0',
  'checkoutJsUrl' => 'https://' . $known['host'] . '/merchantpgpui/checkoutjs/merchants/'];
$view = file_get_contents("$root/4.7/Nop.Plugin.Payments.Paytm/Views/JSCheckoutView.cshtml");
$page = strtr($view, ['@Html.Raw(Newtonsoft.Json.JsonConvert.SerializeObject(ViewData))' => json_encode($data), '<!script>' => '<script>', '</!script>' => '</script>', '@@' => '@']);
echo json_encode(['html' => $page]);
