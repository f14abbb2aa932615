<?php
// The functions of the published checksum library that shops call, with its habits. It stands in for that library in tests.

class PaytmChecksum {
  static $iv = '@@@@&&&&####$$$$';
  /** openssl fills a short key up with NULs and cuts a long one at 16 bytes. */
  static function encrypt($input, $key) {
    return openssl_encrypt($input, 'AES-128-CBC', html_entity_decode($key), 0, self::$iv);
  }
  static function decrypt($encrypted, $key) {
    return openssl_decrypt($encrypted, 'AES-128-CBC', html_entity_decode($key), 0, self::$iv);
  }
  static function generateSignature($params, $key) {
    $salt = self::generateRandomString(4);
    return self::encrypt(self::calculateHash($params, $salt), $key);
  }
  static function verifySignature($params, $key, $checksum) {
    $hash = self::decrypt($checksum, $key);
    return $hash === self::calculateHash($params, substr($hash, -4));
  }
  static function calculateHash($params, $salt) {
    if (is_array($params)) $params = self::getStringByParams($params);
    return hash('sha256', $params . '|' . $salt) . $salt;
  }
  static function getStringByParams($params) {
    ksort($params);
    $params = array_map(fn($value) => ($value !== null && strtolower($value) !== 'null') ? $value : '', $params);
    return implode('|', $params);
  }
  static function generateRandomString($length) {
    $letters = '9876543210ZYXWVUTSRQPONMLKJIHGFEDCBAabcdefghijklmnopqrstuvwxyz!@#$&_';
    $text = '';
    for ($at = 0; $at < $length; $at++) $text .= $letters[random_int(0, strlen($letters) - 1)];
    return $text;
  }
}
