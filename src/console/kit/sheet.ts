// The frame of every page of the console, and its headers.

import type { FastifyReply } from 'fastify'
import { html, type Part } from '../../pages/html.ts'
import type { Assets } from '../../pages/kit/assets.ts'
import { documentOf, policyOf } from '../../pages/kit/document.ts'
import type { Viewer } from './parts.ts'
import type { Permission } from './permissions.ts'

export const CONSOLE = '/console'
/** Where an authenticator app is set up. */
export const APP = `${CONSOLE}/me/app`
export const STYLE = `${CONSOLE}/console.css`
export const SCRIPT = `${CONSOLE}/console.js`

const CHAPTERS: readonly (readonly [address: string, name: string, permission: Permission])[] = [
  ['orders', 'Orders', 'see'],
  ['payments', 'Payments', 'see'],
  ['refunds', 'Refunds', 'see'],
  ['subscriptions', 'Subscriptions', 'see'],
  ['notifications', 'Notifications', 'see'],
  ['approvals', 'Approvals', 'see'],
  ['people', 'People', 'people'],
  ['audit', 'Audit', 'audit'],
]

export interface ConsolePage {
  title: string
  body: Part
  chapter?: string
  /** The text in the search box. */
  typed?: string
}

export function sendPage(
  reply: FastifyReply,
  { assets, viewer }: { assets: Assets; viewer: Viewer | undefined },
  { title, body, chapter, typed = '' }: ConsolePage,
) {
  const around = viewer
    ? html`<a class="skip" href="#work">To the page</a><header class="bar"><a class="brand" href="${CONSOLE}">Mohur</a>${searchBox(typed)}${navigation(viewer, chapter)}</header><main class="work" id="work">${body}</main>${KEYS}`
    : html`<main class="sheet alone"><section class="card one">${body}</section></main>`
  const text = documentOf({ language: 'en', title: `${title} · Mohur`, body: around, css: STYLE, js: viewer ? SCRIPT : false }, assets).text
  return guarded(reply).header('content-type', 'text/html; charset=utf-8').send(text)
}

/** The headers of every answer: a browser keeps nothing of the console, and no other site learns that it was open. */
export const guarded = (reply: FastifyReply) =>
  reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'same-origin')
    .header('content-security-policy', policyOf({}))
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    .header('x-robots-tag', 'noindex')

const searchBox = (typed: string) =>
  html`<form role="search" action="${CONSOLE}/find"><label class="hidden" for="q">Find an order, payment, refund, mobile number, customer or amount</label><input class="find" id="q" name="q" type="search" maxlength="255" placeholder="Order, payment, refund, mobile, e-mail, ₹ amount" value="${typed}"><button class="second">Find</button></form>`

/** Opened only by script. */
const KEYS = html`<dialog class="keys card" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2><dl><div><dt><kbd>/</kbd></dt><dd>Go to the search box</dd></div><div><dt><kbd>Enter</kbd></dt><dd>Search</dd></div><div><dt><kbd>?</kbd></dt><dd>Show these keys</dd></div></dl><form method="dialog"><button class="second">Close</button></form></dialog>`

function navigation(viewer: Viewer, chapter: string | undefined) {
  const links = CHAPTERS.filter(([, , permission]) => viewer.may(permission)).map(
    ([address, name]) => html`<a href="${CONSOLE}/${address}"${address === chapter && html` aria-current="page"`}>${name}</a>`,
  )
  const me = html`<a href="${CONSOLE}/me"${chapter === 'me' && html` aria-current="page"`}><bdi>${viewer.operator.name}</bdi></a>`
  return html`<nav aria-label="Main">${links}${me}</nav>`
}

export const formOf = (viewer: Viewer, action: string, fields: Part) =>
  html`<form method="post" action="${action}"><input type="hidden" name="token" value="${viewer.formToken}">${fields}</form>`
