// The files that a payer's browser gets beside documents, and how documents are written: without a service.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { html } from '../../../src/pages/html.ts'
import { clockTime, formatRupees } from '../../../src/pages/kit/amounts.ts'
import { readAssets, shortCss, shortScript, takesGzip } from '../../../src/pages/kit/assets.ts'
import { manifestOf } from '../../../src/pages/kit/manifest.ts'
import { accepted, languageOf, languages } from '../../../src/pages/kit/messages/messages.ts'
import { qrCode } from '../../../src/pages/payment/draw/qr.ts'
import { appLinks, UPI_LINK } from '../../../src/pages/payment/view/upi-apps.ts'

const root = resolve(import.meta.dirname, '../../..')

test('docs/payment-page.manifest.json holds every file of the page as it is (test/support/pages/write-manifest.ts writes it)', () => {
  assert.equal(readFileSync(resolve(root, 'docs/payment-page.manifest.json'), 'utf8'), manifestOf(readAssets()))
})

test('the script keeps its words and loses its comments', () => {
  assert.equal(
    shortScript("// why\n/** @type {string} */\nconst a = 'b  c'.slice(1)\n\n  // more\nf(/** @type {never} */ (a))\n"),
    "const a = 'b  c'.slice(1)\nf((a))",
  )
  const [, script] = readAssets().all
  assert.ok(script!.text.length > 1_000 && !/\/\/ |\/\*|@type|@param/.test(script!.text))
  new Function(script!.text.replace(/^import .*$/gm, '')) // it parses
})

test('gzip goes to each browser that names it with a weight', () => {
  for (const header of ['gzip', 'gzip, deflate, br, zstd', 'br;q=1.0, GZIP ; q=0.5', 'deflate,gzip;q=1'])
    assert.ok(takesGzip(header), header)
  for (const header of [undefined, '', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.000', 'x-gzip', '*'])
    assert.ok(!takesGzip(header), String(header))
})

test('the style keeps what separates words', () => {
  assert.equal(
    shortCss('/* a */\na b > c {\n  margin: 0 auto;\n  width: calc(1px + 2px);\n}\n'),
    'a b>c{margin:0 auto;width:calc(1px + 2px);}',
  )
})

test('whatever stands in a template is text, but for templates', () => {
  const hostile = `</title><script>alert(1)</script>"'\`<!--&`
  assert.equal(
    html`<p title="${hostile}">${hostile}</p>`.text.replace(/&#\d+;/g, ''),
    `<p title="/titlescriptalert(1)/script!--">/titlescriptalert(1)/script!--</p>`,
  )
  assert.equal(html`${html`<b>${['<', html`<i></i>`]}</b>`}${false}${undefined}${0}`.text, '<b>&#60;<i></i></b>0')
})

test('a language is found by its tag and by the weights of a browser', () => {
  assert.equal(languageOf('hi-IN'), 'hi')
  assert.equal(languageOf('__proto__'), undefined)
  assert.equal(accepted('fr, hi;q=0.3, en;q=0.8'), 'en')
  assert.equal(accepted('hi;q=0, *'), 'en')
  assert.equal(accepted(undefined), 'en')
  for (const { texts } of Object.values(languages)) assert.deepEqual(shape(texts), shape(languages.en.texts))
})
const shape = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]))
    : typeof value

test('a QR code is dark and light squares of the standard, and every app’s link is the same payment', () => {
  const link = 'upi://pay?pa=a%40b&pn=Shop&tr=1&am=1.00&cu=INR'
  const { text } = qrCode(link, 'label')
  const [, side] = /viewBox="0 0 (\d+) \d+"/.exec(text)!
  assert.equal((Number(side) - 8 - 17) % 4, 0)
  assert.match(text, /M4 4h7v1H4z/) // a finder's first row, after four light ones
  assert.ok(UPI_LINK.test(link))
  for (const bad of ['javascript:alert(1)', 'upi://pay?a b', 'upi://elsewhere?x=1', `upi://pay?${'x'.repeat(2_001)}`])
    assert.ok(!UPI_LINK.test(bad), bad)
  const starts = ['gpay://upi/', 'phonepe://', 'paytmmp://', 'bhim://upi/', 'credpay://upi/', 'navipay://', 'super://']
  for (const each of [link, link.replace('pay?', 'mandate?')])
    assert.deepEqual(
      appLinks(each, 'ios').map(({ href }) => href),
      starts.map((start) => start + each.slice('upi://'.length)),
    )
  assert.deepEqual(appLinks(link, 'none'), [])
})

/** An `intent:` address as Android reads it: what stands before the last `#`, and the parts behind it. */
function intentIn(href: string) {
  const at = href.lastIndexOf('#')
  return { data: href.slice(0, at).replace(/^intent:/, 'upi:'), parts: href.slice(at + 1).split(';') }
}

test('an address for one app on Android opens this app with the bank’s whole link, and is not made of a link that could name another', () => {
  const packages = ['com.google.android.apps.nbu.paisa.user', 'com.phonepe.app', 'net.one97.paytm', 'in.org.npci.upiapp']
  const start = 'upi://pay?pa=a%40b&pn=Shop&am=1.00&cu=INR'
  for (const more of ['', '&url=intent://evil', '&tn=%23Intent%3Bpackage=evil.app%3Bend', '&tn=Intent', '&tn=package=evil.app']) {
    const links = appLinks(start + more, 'android')
    assert.deepEqual(links.at(-1), { href: start + more })
    assert.deepEqual(
      links.slice(0, -1).map(({ href }) => intentIn(href)),
      packages.map((each) => ({ data: start + more, parts: ['Intent', 'scheme=upi', `package=${each}`, 'end'] })),
    )
  }
  for (const more of ['#Intent;package=evil.app;end', ';package=evil.app', '#', ';', '&url=intent://x#Intent;end'])
    assert.deepEqual(appLinks(start + more, 'android'), [{ href: start + more }], more)
})

test('amounts and times are written as Intl writes them for India', () => {
  const rupees = new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR' })
  const clock = new Intl.DateTimeFormat('en-IN', { timeZone: 'Asia/Kolkata', hour: 'numeric', minute: '2-digit', hourCycle: 'h12' })
  const hindi = new Intl.DateTimeFormat('hi-IN-u-nu-latn', {
    timeZone: 'Asia/Kolkata',
    hour: 'numeric',
    minute: '2-digit',
    hourCycle: 'h12',
    dayPeriod: 'short',
  })
  for (const paise of [0, 1, 99, 100, 99_999, 100_000, 9_999_999, 10_000_000, 123_456_789_01, Number.MAX_SAFE_INTEGER - 1])
    assert.equal(formatRupees(paise), rupees.format(`${Math.floor(paise / 100)}.${String(paise % 100).padStart(2, '0')}` as never))
  const midnight = Date.parse('2026-06-15T00:00:00+05:30')
  for (let minute = 0; minute < 24 * 60; minute += 7) {
    const at = midnight + minute * 60_000 + 59_999
    assert.equal(clockTime(at, 'en'), clock.format(at))
    assert.equal(clockTime(at, 'hi'), hindi.format(at))
  }
})
