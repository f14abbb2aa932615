<?php
// Plays a Laravel shop around its unmodified controller and view. The unmodified compiler that the shop contains compiles the view.
namespace App\Http\Controllers { class Controller {} }
namespace App { class PaymentGateway {
  public static function whereKeyword($name) { return new self(); }
  public function first() { return $this; }
  public function convertAutoData() { global $known; return ['merchant' => $known['mid'], 'secret' => $known['key'], 'website' => 'WEBSTAGING', 'industry' => 'Retail']; } } }
namespace {
  error_reporting(E_ALL & ~E_DEPRECATED);
  [$step, $root] = [$argv[1], $argv[2]];
  $known = json_decode(stream_get_contents(STDIN), true);
  $framework = "$root/core/vendor/laravel/framework/src";
  spl_autoload_register(function ($name) use ($framework) { $file = "$framework/" . strtr($name, '\\', '/') . '.php'; if (file_exists($file)) require $file; });
  require "$framework/Illuminate/Support/helpers.php";
  function route($name) { return 'https://shop.example/product/paytm/notify'; }
  function csrf_field() { return new Illuminate\Support\HtmlString('<input type="hidden" name="_token" value="' . bin2hex(random_bytes(20)) . '">'); }
  class Sections { public function __call($name, $values) { return $this; } public function __toString() { return ''; } }
  require "$root/core/app/Http/Controllers/Payment/product/PaytmController.php";
  $controller = new App\Http\Controllers\Payment\product\PaytmController();
  if ($step === 'callback') {
    $controller->getAllEncdecFunc();
    echo json_encode(['verified' => App\Http\Controllers\Payment\product\verifychecksum_e($known['fields'], $known['key'], $known['fields']['CHECKSUMHASH']), 'status' => $known['fields']['STATUS']]);
    exit;
  }
  ['paramList' => $paramList, 'checkSum' => $checkSum] = $controller->handlePaytmRequest(7043, 499.5);
  [$paytm_txn_url, $version, $__env] = ['https://' . $known['host'] . '/theia/processTransaction', 'default', new Sections()];
  $compiler = new Illuminate\View\Compilers\BladeCompiler(new Illuminate\Filesystem\Filesystem(), sys_get_temp_dir());
  ob_start();
  eval('?>' . $compiler->compileString(file_get_contents("$root/core/resources/views/front/paytm.blade.php")));
  $page = ob_get_clean();
  preg_match('/<form method="post" action="([^"]*)"/', $page, $form);
  preg_match_all('/name="([A-Za-z_]+)" value="([^"]*)"/', $page, $inputs);
  echo json_encode(['action' => $form[1], 'fields' => array_combine($inputs[1], array_map('html_entity_decode', $inputs[2]))]);
}
