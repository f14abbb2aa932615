<?php
// Plays WordPress and Gravity Forms around the unmodified add-on: settings, one entry, and the hooks that call it.
[$step, $root] = [$argv[1], $argv[2]];
$known = json_decode(stream_get_contents(STDIN), true);
class RGForms { public static function post($name) { return 3; } public static function get($name) { return ''; } }
class RGFormsModel { public static $status = []; public static function update_lead_property($id, $name, $value) { self::$status[] = $value; } public static function get_lead($id) { return false; }
  public static function add_note() {}
  public static function get_meta($id) { return []; } public static function get_form_meta($id) { return []; } }
class GFCommon { public static $version = '2.9'; public static function to_money($amount) { return $amount; } public static function get_currency() { return 'INR'; } public static function get_order_total() { return '499.50'; } }
class GFPaytmFormData { public static function get_feed_by_form($id) { return [['id' => 1, 'meta' => ['customer_fields' => ['first_name' => 1, 'last_name' => 2, 'phone' => 3, 'email' => 4, 'amount' => 5]]]]; } }
define('WP_PLUGIN_DIR', "$root/shop");
foreach (['add_action', 'add_filter', 'register_activation_hook', 'gform_update_meta'] as $name) eval("function $name() {}");
function plugin_basename($file) { return 'paytm-gravity-forms/paytm-form.php'; }
function plugins_url() { return 'http://shop.example/plugins'; }
function apply_filters($name, $value) { return $value; }
function get_option($name) { global $known; return ['paytm_mid' => $known['mid'], 'paytm_key' => $known['key'], 'paytm_website' => 'WEBSTAGING', 'paytm_env' => '0', 'paytm_channel_id' => 'WEB',
  'paytm_industry_type_id' => 'Retail', 'paytm_custom_callback' => '', 'paytm_callback_url' => '', 'paytm_return_page' => 1]; }
function get_bloginfo($name) { return $name === 'url' ? 'http://shop.example' : '6.5'; }
function get_site_url() { return 'http://shop.example'; }
function home_url() { return 'http://shop.example'; }
function add_query_arg($name, $value, $url) { return "$url?$name=$value"; }
function get_permalink() { return 'http://shop.example/thanks'; }
function __($text) { return $text; }
function esc_html($text) { return $text; }
function esc_attr_e() {}
function wp_hash($text) { return md5($text); }
function wp_remote_post($url, $args) {
  $curl = curl_init($url);
  $headers = array_map(fn($name, $value) => "$name: $value", array_keys($args['headers']), $args['headers']);
  curl_setopt_array($curl, [CURLOPT_POST => 1, CURLOPT_POSTFIELDS => $args['body'], CURLOPT_RETURNTRANSFER => true, CURLOPT_HTTPHEADER => $headers]);
  return ['body' => curl_exec($curl)];
}
function wp_remote_retrieve_body($reply) { return $reply['body']; }
$_SERVER += ['HTTP_HOST' => 'shop.example', 'SERVER_NAME' => 'shop.example', 'SERVER_PORT' => '80', 'REQUEST_URI' => '/form', 'HTTPS' => ''];
$_SERVER['REQUEST_URI'] = '/form';
require "$root/paytm-gravity-forms/paytm-form.php";
$page = GFPaytmForm::send_to_paytm_form('', ['id' => 3], ['id' => '48', 'form_id' => 3, '1' => 'Asha', '2' => 'Rao', '3' => '9999900001', '4' => 'asha+gf@example.in', '5' => '499.50'], false);
preg_match('/"orderId":\s*"([^"]*)",\s*"token":\s*"([^"]*)"/', $page, $config);
echo json_encode(['orderId' => $config[1] ?? '', 'txnToken' => $config[2] ?? '', 'html' => '<script src="/jquery.js"></script>' . $page]);
