<?php
// Plays WordPress around the unmodified donation plugin: settings, one table, its form, the request for a token, and the callback.
[$step, $root] = [$argv[1], $argv[2]];
$known = json_decode(stream_get_contents(STDIN), true);
define('ABSPATH', '/');
$hooks = [];
function add_action($name, $call) { global $hooks; $hooks[$name][] = $call; }
foreach (['add_shortcode', 'register_activation_hook', 'register_deactivation_hook', 'add_filter', 'wp_enqueue_script', 'wp_enqueue_style'] as $name) eval("function $name() {}");
$fields = (object) ['mytext' => ['Name', 'Email', 'Phone', 'Amount'], 'is_required' => ['yes', 'yes', 'yes', 'yes'], 'mytype' => ['text', 'text', 'text', 'text'],
  'myvalue' => ['Asha Rao', 'asha@example.in', '9999900001', '499.50']];
$wpdb = new class { public $prefix = 'wp_', $options = 'wp_options', $insert_id = 49, $last_error = '', $updates = [];
  public function get_results($sql) { global $fields; return [(object) ['option_value' => json_encode($fields)]]; }
  public function insert($table, $row) { return 1; }
  public function prepare($sql, ...$values) { return $values ? [$sql, ...$values] : $sql; }
  public function query($sql) { $this->updates[] = $sql; return 1; }
  public function get_var() { return 1; } public function update() { return 1; } public function get_row() { return null; } };
function get_option($name) { global $known; return ['paytm_merchant_id' => $known['mid'], 'paytm_merchant_key' => $known['key'], 'paytm_website' => 'WEBSTAGING', 'paytm_payment_environment' => '0', 'paytm_content' => 'Donate'][$name] ?? ''; }
function plugin_basename($file) { return 'paytm-donation/paytm-donation.php'; }
function plugin_dir_url($file) { return 'http://shop.example/plugins/'; }
function wp_nonce_field($action, $name) { return '<input type="hidden" name="' . $name . '" value="nonce">'; }
function wp_verify_nonce() { return 1; }
function esc_url($text) { return $text; }
function esc_html($text) { return $text; }
function sanitize_email($text) { return $text; }
function sanitize_text_field($text) { return trim($text); }
function get_bloginfo() { return '6.5'; }
function admin_url($path) { return "http://shop.example/wp-admin/$path"; }
function get_the_ID() { return 1; }
function get_permalink() { return 'http://shop.example/donate'; }
function add_query_arg($name, $value) { return "/donate?$name=$value"; }
function wp_die() {}
function wp_unslash($value) { return $value; }
function wp_kses($text) { return $text; }
function current_time() { return '2026-06-15 10:00:00'; }
function __($text) { return $text; }
function wp_remote_post($url, $args) {
  $curl = curl_init($url);
  $headers = array_map(fn($name, $value) => "$name: $value", array_keys($args['headers'] ?? []), $args['headers'] ?? []);
  curl_setopt_array($curl, [CURLOPT_POST => 1, CURLOPT_POSTFIELDS => $args['body'], CURLOPT_RETURNTRANSFER => true, CURLOPT_HTTPHEADER => $headers]);
  return ['body' => curl_exec($curl), 'response' => ['code' => 200]];
}
function wp_remote_retrieve_body($reply) { return $reply['body']; }
function is_wp_error() { return false; }
function is_admin() { return false; }
function register_widget() {}
$redirected = '';
function wp_redirect($url) { global $redirected; $redirected = $url; }
$_SERVER['HTTP_HOST'] = 'shop.example';
$_SERVER['REQUEST_URI'] = '/donate';
$base = "$root/paytm-donation";
ob_start();
require "$base/paytm-donation.php";
foreach ($hooks['plugins_loaded'] as $call) $call();
ob_end_clean();
if ($step === 'create') {
  $_POST = $_REQUEST = ['token' => 'nonce', 'txnAmount' => '499.50', 'email' => 'asha@example.in', 'name' => 'Asha Rao', 'phone' => '9999900001', 'id' => '1',
    'serializedata' => [['name' => 'Name', 'value' => 'Asha Rao'], ['name' => 'Email', 'value' => 'asha@example.in'], ['name' => 'Phone', 'value' => '9999900001'], ['name' => 'Amount', 'value' => '499.50']]];
  ob_start();
  initiate_blinkCheckout();
  $said = json_decode(ob_get_clean(), true);
  $page = '<script src="/jquery.js"></script>' . paytm_donation_form() . '<script>' . file_get_contents("$base/assets/233/js/paytm-donation.js") . '</script>';
  echo json_encode(['orderId' => $said['orderId'] ?? '', 'txnToken' => $said['txnToken'], 'html' => $page, 'presses' => ['#paytm-blinkcheckout'], 'answers' => ['/wp-admin/admin-ajax.php' => $said]]);
} else {
  $_POST = $known['fields'];
  register_shutdown_function(function () { global $wpdb, $redirected; parse_str(parse_url($redirected, PHP_URL_QUERY) ?? '', $query);
    $states = array_values(array_filter($wpdb->updates, fn($update) => str_contains($update[0] ?? '', 'payment_status')));
    echo json_encode(['state' => $states[0][1] ?? null, 'said' => json_decode(base64_decode($query['qdata'] ?? ''), true)['msg'] ?? null]); });
  paytm_donation_response();
}
