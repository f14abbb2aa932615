<?php
// Plays Laravel around a package's unmodified providers. It calls the package as its documentation does: order and amount are integers.
namespace Illuminate\Http { class Request { public array $form = []; public function get($name) { return $this->form[$name] ?? null; } } }
namespace Illuminate\Support\Facades { class Facade {} }
namespace {
  [$step, $root] = [$argv[1], $argv[2]];
  $known = json_decode(stream_get_contents(STDIN), true);
  spl_autoload_register(fn($name) => require "$root/src/" . str_replace(['Paytm\\JsCheckout\\', '\\'], ['', '/'], $name) . '.php');
  $request = new Illuminate\Http\Request();
  $_POST = $request->form = $known['fields'] ?? [];
  $payment = new Paytm\JsCheckout\Providers\ReceivePaymentProvider($request, ['env' => 'local', 'merchant_id' => $known['mid'], 'merchant_key' => $known['key'], 'merchant_website' => 'WEBSTAGING',
    'channel' => 'WEB', 'industry_type' => 'Retail']);
  if ($step === 'create') {
    // It names a customer by the shop's `email`. This shop has members, and numbers them.
    $asked = ['order' => 86229610, 'user' => 1, 'mobile_number' => '9876543210', 'email' => 'member:124208', 'amount' => 1, 'callback_url' => 'https://shop.example/payment/status'];
    $made = $payment->prepare($asked)->receive();
    echo json_encode(['orderId' => (string) $made['orderId'], 'txnToken' => $made['txnToken'], 'message' => $made['resultMsg'] ?? null]);
  } else {
    $payment->response();
    echo json_encode(['successful' => $payment->isSuccessful(), 'failed' => $payment->isFailed(), 'order' => $payment->getOrderId()]);
  }
}
