<?php
// A shop's own code on the published checksum library, as it was at its former gateway. docs/moving.md changes its four constants.
//   php shop.php order ORDER | status ORDER | callback < fields.json

require 'PaytmChecksum.php';

const HOST = 'https://former-gateway.example';
const MID = 'FORMER00000000000001';
const KEY = 'FORMER_KEY_16_BY';
const WEBSITE = 'FORMERSITE';

function ask($path, $body) {
  $text = json_encode($body, JSON_UNESCAPED_SLASHES);
  $signature = PaytmChecksum::generateSignature($text, KEY);
  $sent = json_encode(['body' => $body, 'head' => ['signature' => $signature]], JSON_UNESCAPED_SLASHES);
  $http = ['method' => 'POST', 'header' => 'content-type: application/json', 'content' => $sent, 'ignore_errors' => true];
  return json_decode(file_get_contents(HOST . $path, false, stream_context_create(['http' => $http])), true)['body'];
}

function order($orderId) {
  return ask('/theia/api/v1/initiateTransaction?mid=' . MID . "&orderId=$orderId", [
    'requestType' => 'Payment',
    'mid' => MID,
    'websiteName' => WEBSITE,
    'orderId' => $orderId,
    'txnAmount' => ['value' => '499.00', 'currency' => 'INR'],
    'userInfo' => ['custId' => 'CUST_1'],
    'callbackUrl' => 'http://127.0.0.1:3000/callback',
  ]);
}

[, $action] = $argv;
if ($action === 'order') echo order($argv[2])['txnToken'], "\n";
if ($action === 'status') echo ask('/v3/order/status', ['mid' => MID, 'orderId' => $argv[2]])['resultInfo']['resultStatus'], "\n";
if ($action === 'callback') {
  $fields = json_decode(file_get_contents('php://stdin'), true);
  $checksum = $fields['CHECKSUMHASH'];
  unset($fields['CHECKSUMHASH']);
  echo PaytmChecksum::verifySignature($fields, KEY, $checksum) ? $fields['STATUS'] : 'not signed', "\n";
}
