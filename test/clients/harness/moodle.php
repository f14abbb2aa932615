<?php
// Plays Moodle around the unmodified enrolment plugin: its settings, one course, and the helpers that draw its page.
[$step, $root] = [$argv[1], $argv[2]];
$known = json_decode(stream_get_contents(STDIN), true);
define('MOODLE_INTERNAL', true);
class enrol_plugin { public function get_config($name) { global $known; return ['merchant_id' => $known['mid'], 'merchant_key' => $known['key'], 'merchant_website' => 'WEBSTAGING',
  'merchant_industrytype' => 'Retail', 'merchant_channelid' => 'WEB', 'paytm_mode' => 'test', 'paytm_callback' => '1', 'cost' => '499.50'][$name] ?? ''; }
  public function get_instance_name($instance) { return 'Course'; } }
class context_course { public static function instance($id) { return null; } }
function get_string($name) { return $name; }
function print_string($name) { echo $name; }
function format_string($text) { return $text; }
function format_float($value, $digits) { return number_format((float) $value, $digits, '.', ''); }
function isguestuser() { return false; }
function get_users_by_capability() { return []; }
$DB = new class { public function __call($name, $args) { return $name === 'get_record' ? (object) ['id' => 5, 'fullname' => 'Course', 'shortname' => 'C5'] : false; } };
$OUTPUT = new class { public function box($html) { return $html; } };
$USER = (object) ['id' => 7, 'firstname' => 'Asha', 'lastname' => 'Rao', 'email' => 'asha+moodle@example.in'];
if (!is_dir("$root/shop/enrol")) { mkdir("$root/shop/enrol", recursive: true); symlink("$root/moodle/paytm", "$root/shop/enrol/paytm"); file_put_contents("$root/shop/version.php", ''); }
$CFG = (object) ['dirroot' => "$root/shop", 'wwwroot' => 'http://shop.example', 'release' => '4.5+ (Build: 20250101)', 'loginhttps' => ''];
set_include_path("$root/moodle/paytm");
require "$root/moodle/paytm/lib.php";
$page = (new enrol_paytm_plugin())->enrol_page_hook((object) ['id' => 3, 'courseid' => 5, 'cost' => '499.50', 'currency' => 'INR', 'enrolstartdate' => 0, 'enrolenddate' => 0]);
preg_match('/"orderId": \'([^\']*)\',\s*"token": \'([^\']*)\'/', $page, $config);
echo json_encode(['orderId' => $config[1] ?? '', 'txnToken' => $config[2] ?? '', 'html' => $page, 'presses' => ['#JS_heckout']]);
