<?php
// Plays Drupal 8 and its Commerce around the unmodified payment gateway: routes, a guest's order, its profile, forms, and what it saves.
namespace Drupal\commerce_payment\PluginForm {
  class PaymentOffsiteForm {
    public $entity;
    public function buildConfigurationForm(array $form, \Drupal\Core\Form\FormStateInterface $form_state) { return $form; }
    /** Of Commerce: hidden fields of a form that goes to another host. */
    public function buildRedirectForm(array $form, \Drupal\Core\Form\FormStateInterface $form_state, $url, array $data, $method = 'get') { return ['#action' => $url, '#fields' => $data]; }
  }
}
namespace Drupal\commerce_payment\Plugin\Commerce\PaymentGateway {
  class OffsitePaymentGatewayBase {
    public $configuration, $entityTypeManager, $time, $entityId = 'gateway';
    public function getConfiguration() { return $this->configuration; }
    public function getMode() { return 'test'; }
    public function t($text, $values = []) { return strtr($text, $values); }
  }
}
namespace Drupal\commerce_payment { class PaymentMethodTypeManager {} class PaymentTypeManager {} }
namespace Drupal\commerce_order\Entity {
  interface OrderInterface {}
  class Order implements OrderInterface {
    public function __construct(private string $id) {}
    public static function load($id) { return new self($id); }
    public function id() { return $this->id; }
    public function getTotalPrice() { return '499.50'; }
    public function __get($name) { return $this; }
    public function getBillingProfile() { return $this; }
    public function first() { return null; }
  }
}
namespace Drupal\Core {
  class Url { public static function FromRoute($route, $names) { return new self($names['commerce_order']); }
    public function __construct(private string $order) {}
    public function toString() { return "http://shop.example/checkout/$this->order/payment/return"; } }
}
namespace Drupal\Core\Form { interface FormStateInterface {} class FormState implements FormStateInterface {} }
namespace Symfony\Component\HttpFoundation {
  class Request { public function __construct(private array $fields) {} public function get($name) { return $this->fields[$name] ?? null; } }
}
namespace {
  [$step, $root] = [$argv[1], $argv[2]];
  $known = json_decode(stream_get_contents(STDIN), true);
  define('VERSION', '8.9.20');
  // Drupal's loader takes a class from the file that PSR-4 names. A class that lacks its namespace there gets both names.
  spl_autoload_register(function ($name) use ($root) {
    if (!str_starts_with($name, 'Drupal\\commercepaytm\\')) return;
    require "$root/PaytmCommerceV8.x/commercepaytm/src/" . str_replace(['Drupal\\commercepaytm\\', '\\'], ['', '/'], $name) . '.php';
    $short = substr(strrchr($name, '\\'), 1);
    if (!class_exists($name, false) && class_exists($short, false)) class_alias($short, $name);
  });
  class Drupal {
    public static function routeMatch() { return new self(); }
    public function getParameter($name) { global $step; return new Drupal\commerce_order\Entity\Order($step === 'form' ? '8018' : '8042'); }
    public static function currentUser() { return new class { public function id() { return 0; } }; } // a guest: an integer, as Drupal's anonymous session says
  }
  function base_path() { return '/'; }
  $said = [];
  function drupal_set_message($text, $type = 'status') { global $said; $said[] = $text; }
  $gateway = new Drupal\commercepaytm\Plugin\Commerce\PaymentGateway\PaytmCheckout();
  $gateway->configuration = ['mode' => 'test', 'merchant_id' => $known['mid'], 'merchant_key' => $known['key'], 'merchant_website' => 'WEBSTAGING', 'merchant_industry_type' => 'Retail',
    'merchant_channel_id' => 'WEB', 'merchant_transaction_custom_callback_url' => '', 'merchant_transaction_url' => 'https://' . $known['host'] . '/theia/processTransaction'];
  if ($step === 'callback') {
    $saved = null;
    $storage = new class($saved) { public function __construct(private &$saved) {} public function getStorage() { return $this; }
      public function create($payment) { return new class($payment, $this->saved) { public function __construct(private $payment, private &$saved) {} public function save() { $this->saved = $this->payment; } }; } };
    $gateway->entityTypeManager = $storage;
    $gateway->time = new class { public function getRequestTime() { return time(); } };
    $gateway->onReturn(new Drupal\commerce_order\Entity\Order('8042'), new Symfony\Component\HttpFoundation\Request($known['fields']));
    echo json_encode(['state' => $saved['state'] ?? null, 'remote' => $saved['remote_state'] ?? null, 'said' => $said[0] ?? null]);
    exit;
  }
  $form = new Drupal\commercepaytm\PluginForm\PaytmCheckoutForm();
  $form->entity = new class($gateway) { public function __construct(private $gateway) {} public function getPaymentGateway() { return $this; } public function getPlugin() { return $this->gateway; }
    public function getAmount() { return $this; } public function getNumber() { return '499.500000'; } };
  ob_start();
  $built = $form->buildConfigurationForm([], new Drupal\Core\Form\FormState());
  $page = ob_get_clean();
  if ($step === 'form') {
    // The fields that Drupal's form builder adds to every form, and the button.
    $own = ['form_build_id' => 'form-' . strtr(base64_encode(random_bytes(32)), '+/=', '-_0'), 'form_id' => 'commerce_checkout_flow_multistep_default', 'op' => 'Proceed to Paytm'];
    echo json_encode(['action' => $built['#action'], 'fields' => array_map('strval', $built['#fields']) + $own]);
  } else {
    preg_match('/"orderId": "([^"]*)",\s*"token": "([^"]*)"/', $page, $config);
    echo json_encode(['orderId' => $config[1] ?? '8042', 'txnToken' => $config[2] ?? null, 'html' => $page]);
  }
}
