<?php
// Signs as PHP kits do, correctly and in every wrong way that PHP makes easy. Prints a line of JSON for each, for languages.test.ts.

require __DIR__ . '/../../../support/checksum/PaytmChecksum.php';

$key = 'AB&DEFGHIJ#LMN<P';
$other = 'ABCDEFGHIJKLMNOP';
$plain = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
$body = ['requestType' => 'Payment', 'mid' => 'DEMO0000000000000001', 'orderId' => 'ORDER_1',
  'txnAmount' => ['value' => '499.00', 'currency' => 'INR'], 'userInfo' => ['custId' => 'C1', 'firstName' => null],
  'callbackUrl' => 'https://shop.example/back', 'extendInfo' => ['comments' => 'Chai ₹']];
$sent = json_encode($body, $plain);
$form = ['MID' => 'DEMO0000000000000001', 'ORDERID' => 'ORDER_1', 'TXNAMOUNT' => '499.00', 'CALLBACK_URL' => 'https://shop.example/back', 'EMAIL' => ''];
$callback = $form + ['STATUS' => 'TXN_SUCCESS', 'BANKTXNID' => '', 'RESPMSG' => 'Txn Success '];

function line($causes, $file, $given) {
  global $plain;
  echo json_encode(['causes' => $causes, 'file' => $file, 'key' => $given], $plain), "\n";
}
function envelope($causes, $signature, $body = null, $given = null) {
  global $sent, $key, $plain;
  line($causes, '{"head":{"signature":' . json_encode($signature, $plain) . '},"body":' . ($body ?? $sent) . '}', $given ?? $key);
}
function fields($causes, $signature, $fields) {
  global $key;
  line($causes, http_build_query($fields + ($signature === null ? [] : ['CHECKSUMHASH' => $signature])), $key);
}
$sign = fn($text, $with = null) => PaytmChecksum::generateSignature($text, $with ?? $key);
function with_plus($text) {
  global $key;
  do $made = PaytmChecksum::generateSignature($text, $key); while (!preg_match('/\+.*\//', $made));
  return $made;
}
function sorted($value) {
  if (is_array($value)) { ksort($value); $value = array_map('sorted', $value); }
  return $value;
}

envelope([], $sign($sent));
envelope([], $sign($sent, "$key\n")); // PHP cuts the line end off
envelope([], $sign($sent, htmlspecialchars($key))); // the kit decodes it

envelope(['form'], str_replace('+', ' ', with_plus($sent)));
envelope(['form'], rawurlencode($sign($sent)));
envelope(['form'], str_replace('/', '\/', with_plus($sent)));
envelope(['form'], chunk_split($sign($sent)));
envelope(['form'], hash('sha256', $sent));
envelope(['key-length'], $sign($sent, $body['mid']));
envelope(['key-length'], $sign($sent, substr($key, 0, 9)), null, substr($key, 0, 9));
envelope(['key-length'], $sign($sent, $key . 'QRSTUVWX'), null, $key . 'QRSTUVWX');
envelope(['key-hash'], $sign($sent, explode('#', $key)[0]));
envelope(['key-quotes'], $sign($sent, "\"$key\""));
envelope(['key-quotes'], $sign($sent, "'$key'"));
envelope(['key-quotes'], $sign($sent, " $key"));
envelope(['key-quotes'], $sign($sent), null, "$key\r\n");
envelope(['key-entity'], $sign($sent, htmlspecialchars(htmlspecialchars($key)))); // a framework escaped it twice
envelope(['key-entity'], $sign($sent), null, htmlspecialchars($key));
envelope(['key-entity'], $sign($sent, rawurlencode($key)));
envelope(['key-other'], $sign($sent, $other));
envelope(['spaces'], $sign(json_encode($body, $plain | JSON_PRETTY_PRINT)));
envelope(['newline'], $sign($sent . PHP_EOL));
envelope(['newline'], $sign("\u{feff}" . $sent));
envelope(['order'], $sign(json_encode(sorted($body), $plain)));
$outer = $body;
ksort($outer);
envelope(['order'], $sign(json_encode($outer, $plain)));
envelope(['escapes'], $sign(json_encode($body)));
envelope(['escapes'], $sign($sent), json_encode($body));
$float = ['txnAmount' => ['value' => (float) '499.00', 'currency' => 'INR']] + [];
envelope(['numbers'], $sign(json_encode(array_replace($body, $float), $plain | JSON_PRESERVE_ZERO_FRACTION)));
envelope(['numbers'], $sign(json_encode(array_replace($body, $float), $plain)));
envelope(['nulls'], $sign(json_encode(array_replace($body, ['userInfo' => array_filter($body['userInfo'])]), $plain)));
envelope(['nulls'], $sign($sent), json_encode(array_replace($body, ['userInfo' => array_filter($body['userInfo'])]), $plain));
envelope(['envelope'], $sign(json_encode(['body' => $body], $plain)));
envelope(['envelope'], $sign(json_encode(['head' => ['signature' => ''], 'body' => $body], $plain)));
$close = ['mid' => 'M1', 'orderId' => 'ORDER_1', 'requestType' => 'CLOSE'];
envelope(['map'], $sign($close), json_encode($close));
envelope(['twice'], $sign(json_encode($sent)));
envelope(['twice'], $sign($sent), json_encode($sent));
envelope(['changed'], $sign(json_encode(array_diff_key($body, ['callbackUrl' => 1]), $plain)));
$reply = json_encode(['mid' => 'M1', 'resultInfo' => ['resultStatus' => 'S']]);
envelope(['ours'], $sign($reply), $reply);
line(['absent'], '{"head":{},"body":' . $sent . '}', $key);

fields([], $sign($callback), $callback);
fields(['with-hash'], $sign($form + ['CHECKSUMHASH' => '']), $form);
fields(['json'], $sign(json_encode($form)), $form);
fields(['json'], $sign(http_build_query($form)), $form);
fields(['trimmed'], $sign($callback), array_map('trim', $callback));
fields(['trimmed'], $sign($callback), array_filter($callback));
fields(['absent'], null, $callback);
fields(['order'], $sign(implode('|', $callback)), $callback);
fields(['changed'], $sign($form), $form + ['_token' => 'x']);
fields(['numbers'], $sign(array_replace($form, ['TXNAMOUNT' => '499'])), $form);

// Two at once, and three.
envelope(['spaces', 'escapes'], $sign(json_encode($body, JSON_PRETTY_PRINT)));
envelope(['key-hash', 'escapes'], $sign(json_encode($body), explode('#', $key)[0]));
envelope(['form', 'escapes'], str_replace('+', ' ', with_plus(json_encode($body))));
envelope(['newline', 'order'], $sign(json_encode(sorted($body), $plain) . "\n"));
envelope(['escapes', 'envelope'], $sign(json_encode(['body' => $body])));
envelope(['escapes', 'changed'], $sign(json_encode(array_diff_key($body, ['callbackUrl' => 1]))));
envelope(['key-quotes', 'spaces'], $sign(json_encode($body, $plain | JSON_PRETTY_PRINT), "'$key'"));
envelope(['key-quotes', 'key-entity'], $sign($sent, '"' . htmlspecialchars(htmlspecialchars($key)) . '"'));
envelope(['numbers', 'nulls'], $sign(json_encode(array_replace($body, $float, ['userInfo' => ['custId' => 'C1']]), $plain)));
envelope(['key-hash', 'spaces', 'escapes'], $sign(json_encode($body, JSON_PRETTY_PRINT), explode('#', $key)[0]));
fields(['changed', 'with-hash'], $sign($form + ['CHECKSUMHASH' => '']), $form + ['_token' => 'x']);
