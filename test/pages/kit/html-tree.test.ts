// HTML as names, attributes and texts, for a script that may write no HTML.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Html, html } from '../../../src/pages/html.ts'
import { type Tree, treeOf } from '../../../src/pages/html-tree.ts'
import { Random } from '../../support/text/random.ts'

const SPECIAL = /[&<>"'`]/g
const escaped = (text: string) => text.replace(SPECIAL, (character) => `&#${character.charCodeAt(0)};`)
const writtenOf = (tree: Tree): string => {
  if (typeof tree === 'string') return escaped(tree)
  const [name, attributes, ...inner] = tree
  const named = Object.entries(attributes).map(([each, value]) => (value === '' ? ` ${each}` : ` ${each}="${escaped(value)}"`))
  return `<${name}${named.join('')}>${inner.map(writtenOf).join('')}${/^(br|input)$/.test(name) ? '' : `</${name}>`}`
}

test('an element is its name, its attributes and what it holds', () => {
  const says = 'a < b & "c"'
  assert.deepEqual(treeOf(html`<p class="quiet" hidden>${says}<br><a href="/x?a=1&b=2">${'→'}</a></p>`), [
    'p',
    { class: 'quiet', hidden: '' },
    says,
    ['br', {}],
    ['a', { href: '/x?a=1&b=2' }, '→'],
  ])
})

test('words of a shop or a payer stay words', () => {
  for (const hostile of ['</p><script>alert(1)</script>', '" onclick="alert(1)', '&#60;b&#62;', '<!--', "'`", 'a\u2028b'])
    assert.deepEqual(treeOf(html`<p title="${hostile}">${hostile}</p>`), ['p', { title: hostile }, hostile])
})

test('drawn elements are written again as they were', () => {
  const random = new Random(20_261_128)
  const words = () => Array.from({ length: random.below(6) }, () => random.pick([...'ab<>&"\'`=/# ₹क\u0301'])).join('')
  const drawn = (depth: number): Html => {
    const inner = Array.from({ length: random.below(4) }, () => (depth > 0 && random.below(2) === 0 ? drawn(depth - 1) : words()))
    return random.pick([
      () => html`<div class="x y" data-z="${`z${words()}`}">${inner}</div>`,
      () => html`<details open><summary>${words()}</summary>${inner}</details>`,
      () => html`<form method="post"><input name="a" value="${`v${words()}`}">${inner}</form>`,
      () => html`<b>${inner}</b>`,
    ])()
  }
  for (let each = 0; each < 2_000; each++) {
    const made = drawn(4)
    assert.equal(writtenOf(treeOf(made)), made.text)
  }
})

test('HTML of another form is not read', () => {
  const forms = [
    html`<p>`,
    html`<p></b>`,
    html`<p></p><p></p>`,
    html`words`,
    html`<svg viewBox="0 0 1 1"></svg>`,
    html`<p a='b'></p>`,
    html``,
  ]
  for (const each of forms) assert.throws(() => treeOf(each), each.text)
})
