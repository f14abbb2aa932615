<?php
// Plays Laravel around the unmodified providers of a form kit: its request and its facade.
namespace Illuminate\Http { class Request { public array $form = []; public function get($name) { return $this->form[$name] ?? null; } public function post() { return $this->form; } public function all() { return $this->form; } } }
namespace Illuminate\Support\Facades { class Facade {} }
namespace {
  [$step, $root] = [$argv[1], $argv[2]];
  $known = json_decode(stream_get_contents(STDIN), true);
  spl_autoload_register(fn($name) => require "$root/src/" . str_replace(['Anand\\LaravelPaytmWallet\\', '\\'], ['', '/'], $name) . '.php');
  // The kit's own view writes its values into a form unchanged.
  class View { public array $given = []; public function with($name, $value) { $this->given[$name] = $value; return $this; } }
  function view($name) { return new View(); }
  $config = ['env' => 'local', 'merchant_id' => $known['mid'], 'merchant_key' => $known['key'], 'merchant_website' => 'WEBSTAGING', 'channel' => $known['channel'] ?? 'WEB', 'industry_type' => 'Retail'];
  $request = new Illuminate\Http\Request();
  $request->form = $known['fields'] ?? [];
  $provider = fn($name) => new ('Anand\\LaravelPaytmWallet\\Providers\\' . $name)($request, $config);
  if ($step === 'form') {
    $asked = ['order' => $known['orderId'], 'user' => 'CUST_1', 'mobile_number' => '9876543210', 'email' => 'cust@shop.example', 'amount' => '499.50', 'callback_url' => 'https://shop.example/payment/status'];
    $given = $provider('ReceivePaymentProvider')->prepare($asked)->receive()->given;
    echo json_encode(['action' => $given['txn_url'], 'fields' => $given['params'] + ['CHECKSUMHASH' => $given['checkSum']]]);
  } elseif ($step === 'callback') {
    $said = $provider('PaytmWalletProvider')->response();
    echo json_encode(['status' => ((array) $said)['STATUS']]); // an older one gives an object
  } elseif ($step === 'status') {
    $status = $provider('StatusCheckProvider')->prepare(['order' => $known['orderId']])->check();
    echo json_encode(['successful' => $status->isSuccessful(), 'failed' => $status->isFailed(), 'transaction' => $status->getTransactionId(), 'amount' => $status->response()['TXNAMOUNT']]);
  } elseif ($step === 'refundStatus') {
    $status = $provider('RefundStatusCheckProvider')->prepare(['order' => $known['orderId'], 'reference' => 'LARAVEL1'])->check();
    echo json_encode(['code' => $status->response()['RESPCODE']]);
  } else {
    $refund = $provider('RefundPaymentProvider')->prepare(['order' => $known['orderId'], 'reference' => 'LARAVEL1', 'amount' => '10.00', 'transaction' => $known['txnId']])->initiate();
    echo json_encode(['pending' => $refund->isPending(), 'failed' => $refund->isFailed(), 'code' => $refund->response()['RESPCODE']]);
  }
}
