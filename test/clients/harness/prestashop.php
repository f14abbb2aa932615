<?php
// Plays PrestaShop around its unmodified module: settings, one cart, the page of its payment form, and the request for a token.
namespace PrestaShop\PrestaShop\Core\Payment { class PaymentOption {} }
namespace PrestaShop\PrestaShop\Adapter\Cart { class CartPresenter {} }
namespace {
  [$step, $root] = [$argv[1], $argv[2]];
  $known = json_decode(stream_get_contents(STDIN), true);
  define('_PS_VERSION_', '1.7.8'); define('_DB_PREFIX_', 'ps_');
  class Cart { const BOTH = 3; public $id = 45, $id_customer = 7, $id_address_invoice = 2, $id_currency = 1; public function getOrderTotal() { return 499.5; } public function __call($name, $args) { return false; } }
  class Address { public $phone_mobile = '+91 99999-00001', $phone = ''; }
  class Customer { public $email = 'asha+presta@example.in', $secure_key = 'k'; public $id = 7; }
  class Validate { public static function isLoadedObject($object) { return true; } }
  class Configuration { public static function get($name) { global $known; return ['Paytm_MERCHANT_ID' => $known['mid'], 'Paytm_MERCHANT_KEY' => $known['key'], 'Paytm_MERCHANT_WEBSITE' => 'WEBSTAGING',
    'Paytm_ENVIRONMENT' => 0, 'Paytm_ID_ORDER_SUCCESS' => 2, 'Paytm_ID_ORDER_FAILED' => 8, 'Paytm_ID_ORDER_PENDING' => 3][$name] ?? ''; } }
  class Db { public static function getInstance() { return new self(); } public function executeS() { return []; } public function execute() { return true; } public function Insert_ID() { return 1; } }
  class Link { public function getModuleLink($module, $name) { return "http://shop.example/module/$module/$name"; } public function getPageLink($name) { return "http://shop.example/$name"; } }
  class Played { public $active = true, $context, $version, $name, $tab, $author, $displayName, $description, $page;
    public function __construct() { $this->context = (object) ['cart' => new Cart(), 'link' => new Link(), 'customer' => new Customer()]; }
    public function l($text) { return $text; } public function initContent() {} }
  class PaymentModule extends Played {}
  class ModuleFrontController extends Played {}
  $base = "$root/prestashop1.7+/paytm";
  require "$base/paytm.php";
  require "$base/controllers/front/ajax.php";
  $said = (new PaytmAjaxModuleFrontController())->generate_txn_token();
  $module = new paytm();
  ob_start();
  (new ReflectionMethod($module, 'generateForm'))->invoke($module);
  $page = '<script src="/jquery.js"></script>' . ob_get_clean() . $module->hookdisplayPaymentByBinaries([]);
  $active = str_replace('disabled', '', $page);
  // The shop's page reads the answer as text, as the controller writes it.
  echo json_encode(['orderId' => $said['paytmOrderId'], 'txnToken' => $said['txnToken'], 'html' => $active, 'presses' => ['#button-confirm'], 'answers' => ['/module/paytm/ajax' => json_encode($said)]]);
}
