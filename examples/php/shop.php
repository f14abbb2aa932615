<?php
// A shop in PHP without a dependency: one product, the payment page, callback, notification and refund.
//
//   MOHUR_URL=http://127.0.0.1:8080 MID=DEMO0000000000000001 KEY=ABCDEFGHIJKLMNOP SHOP_URL=http://127.0.0.1:3000 php -S 127.0.0.1:3000 shop.php

define('MOHUR_URL', getenv('MOHUR_URL'));
define('MID', getenv('MID'));
define('KEY', getenv('KEY'));
define('SHOP_URL', getenv('SHOP_URL'));
const PRICE = '499.00';

// ------------------------------------------------------------------------------------------ the checksum, whole

const IV = '@@@@&&&&####$$$$';
define('CIPHER', 'aes-' . strlen(KEY) * 8 . '-cbc');

function hashed(string $text, string $salt): string {
  return hash('sha256', "$text|$salt") . $salt;
}

function sign(string $text): string {
  return openssl_encrypt(hashed($text, base64_encode(random_bytes(3))), CIPHER, KEY, 0, IV);
}

function is_signed(string $text, string $signature): bool {
  $plain = openssl_decrypt($signature, CIPHER, KEY, 0, IV);
  return is_string($plain) && hash_equals(hashed($text, substr($plain, 64)), $plain);
}

/** A form is signed over its values: sorted by their names, joined by |, without the checksum itself. */
function is_signed_form(array $fields): bool {
  $signature = $fields['CHECKSUMHASH'] ?? '';
  unset($fields['CHECKSUMHASH']);
  ksort($fields, SORT_STRING);
  return is_signed(implode('|', array_map(fn($value) => strtolower($value) === 'null' ? '' : $value, $fields)), $signature);
}

// ------------------------------------------------------------------------------------------ asking Mohur

/** The text that is signed is the text that is sent. The reply is believed only when Mohur has signed it. */
function ask(string $path, array $body): array {
  $text = json_encode($body, JSON_THROW_ON_ERROR);
  $request = '{"head":{"signature":' . json_encode(sign($text)) . '},"body":' . $text . '}';
  $options = ['method' => 'POST', 'header' => 'content-type: application/json', 'content' => $request, 'timeout' => 30, 'ignore_errors' => true];
  $stream = @fopen(MOHUR_URL . $path, 'r', false, stream_context_create(['http' => $options]));
  if ($stream === false) throw new RuntimeException("$path does not answer");
  $reply = stream_get_contents($stream);
  $read = json_decode($reply, true, 512, JSON_THROW_ON_ERROR);
  $signed = substr($reply, strpos($reply, '"body":') + strlen('"body":'), -1); // the head comes first; the signature covers the bytes of body
  $headers = stream_get_meta_data($stream)['wrapper_data']; // the status comes first; in a sandbox Mohur-Hint says why a request was refused
  $hint = implode(preg_grep('/^mohur-hint:/i', $headers));
  $result = "$path: $headers[0] " . ($read['body']['resultInfo']['resultCode'] ?? '') . ' ' . ($read['body']['resultInfo']['resultMsg'] ?? '') . "; $hint";
  if (!is_signed($signed, $read['head']['signature'] ?? ''))
    throw new RuntimeException("$result. The reply cannot be verified: wrong KEY or MID? See docs/checksum.md");
  if ($hint) error_log($result);
  return $read['body'];
}

// ------------------------------------------------------------------------------------------ orders: a shop has a database here

function file_of($order_id): ?string {
  return is_string($order_id) && preg_match('/^PHP_[0-9a-f]{16}$/', $order_id) ? __DIR__ . "/orders/$order_id.json" : null;
}
function order_of($order_id): ?array {
  $file = file_of($order_id);
  return $file && is_file($file) ? json_decode(file_get_contents($file), true) : null;
}
function keep(string $order_id, array $changes): void {
  if (!is_dir(__DIR__ . '/orders')) mkdir(__DIR__ . '/orders');
  file_put_contents(file_of($order_id), json_encode($changes + (order_of($order_id) ?? [])), LOCK_EX);
}

/** Records a payment once, from the callback or the notification, whichever comes first. It asks Mohur, not the browser. */
function take_over(string $order_id): array {
  $status = ask('/v3/order/status', ['mid' => MID, 'orderId' => $order_id]);
  if ($status['resultInfo']['resultStatus'] === 'TXN_SUCCESS' && $status['payableAmount'] === PRICE)
    keep($order_id, ['paid' => true, 'txnId' => $status['txnId']]);
  return $status['resultInfo'];
}

// ------------------------------------------------------------------------------------------ pages

function form(string $action, array $fields, string $button): string {
  $inputs = '';
  foreach ($fields as $name => $value) $inputs .= "<input type=\"hidden\" name=\"$name\" value=\"" . htmlspecialchars($value) . '">';
  return '<form method="post" action="' . htmlspecialchars($action) . "\">$inputs<button>$button</button></form>";
}

function buy(): string {
  $order_id = 'PHP_' . bin2hex(random_bytes(8));
  $answer = ask('/aoa-acquiring-biz/v2/order?mid=' . MID . "&orderId=$order_id", [
    'requestType' => 'PAYMENT', 'mid' => MID, 'orderId' => $order_id, 'websiteName' => 'DEFAULT',
    'txnAmount' => ['value' => PRICE, 'currency' => 'INR'], 'userInfo' => ['custId' => 'CUST_1'],
    'callbackUrl' => SHOP_URL . '/callback', 'peonUrl' => SHOP_URL . '/notification',
  ]);
  if (!isset($answer['txnToken'])) throw new RuntimeException("no order: {$answer['resultInfo']['resultCode']} {$answer['resultInfo']['resultMsg']}");
  keep($order_id, ['paid' => false]);
  $fields = ['mid' => MID, 'orderId' => $order_id, 'txnToken' => $answer['txnToken']];
  return form(MOHUR_URL . '/theia/api/v1/showPaymentPage?mid=' . MID . "&orderId=$order_id", $fields, 'Pay');
}

function callback(array $fields): ?string {
  if (!is_signed_form($fields) || !order_of($fields['ORDERID'] ?? null)) return null;
  $info = take_over($fields['ORDERID']);
  return '<h1>' . htmlspecialchars($info['resultStatus']) . "</h1><a href=\"/order?orderId={$fields['ORDERID']}\">Your order</a>";
}

function notification(array $fields): ?string {
  if (!is_signed_form($fields)) return null;
  $order = order_of($fields['ORDERID']) ?? throw new RuntimeException("no order {$fields['ORDERID']}"); // the answer is 500, and the notification comes again
  keep($fields['ORDERID'], ['notified' => ($order['notified'] ?? '') . "{$fields['TXNTYPE']} {$fields['STATUS']}, "]);
  if ($fields['TXNTYPE'] === 'REFUND') keep($fields['ORDERID'], ['refund' => $fields['STATUS']]);
  else take_over($fields['ORDERID']);
  return 'ok';
}

function order(array $query): ?string {
  if (!($order = order_of($query['orderId'] ?? null))) return null;
  $state = isset($order['refund']) ? "refund {$order['refund']}" : ($order['paid'] ? 'paid' : 'not paid');
  return '<h1>' . htmlspecialchars($state) . '</h1><p>' . htmlspecialchars($order['notified'] ?? '') . '</p>' . form('/refund', ['orderId' => $query['orderId']], 'Refund');
}

/** A shop allows this only to its staff. The refId names the refund, so repeated requests give it once. */
function refund(array $fields): ?string {
  $order_id = $fields['orderId'] ?? null;
  if (!($order = order_of($order_id)) || !$order['paid']) return null;
  $body = ['mid' => MID, 'txnType' => 'REFUND', 'orderId' => $order_id, 'txnId' => $order['txnId'], 'refId' => "R_$order_id", 'refundAmount' => PRICE];
  $info = ask('/refund/apply', $body)['resultInfo'];
  if (!isset(order_of($order_id)['refund'])) keep($order_id, ['refund' => $info['resultStatus']]);
  return '<h1>' . htmlspecialchars($info['resultStatus']) . '</h1><p>' . htmlspecialchars($info['resultMsg']) . '</p>';
}

try {
  // openssl has no cipher for another length: it only warns, and the signature is empty.
  if (!in_array(strlen(KEY), [16, 24, 32], true)) throw new RuntimeException('KEY must have 16, 24 or 32 bytes. Quotes around it count as bytes.');
  $page = match ("{$_SERVER['REQUEST_METHOD']} " . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
    'GET /' => '<h1>Filter coffee, 500 g</h1><p>Rs ' . PRICE . '</p>' . form('/buy', [], 'Buy'),
    'POST /buy' => buy(),
    'POST /callback' => callback($_POST),
    'POST /notification' => notification($_POST),
    'GET /order' => order($_GET),
    'POST /refund' => refund($_POST),
    default => null,
  };
  if ($page === null) http_response_code(400);
} catch (Throwable $error) {
  error_log($error->getMessage());
  http_response_code(500);
}
echo $page ?? 'That cannot be done.';
