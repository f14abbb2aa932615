// No map that is asked by a caller's name answers with a member that every object has: `constructor`, `toString`, `__proto__`. The compiler
// finds the look-ups that accept any text. Each has Object.hasOwn beside it, has no prototype, or is listed below by the source of its
// names.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { type Expression, type Node, SyntaxKind } from 'typescript/unstable/ast'
import { API, type Type, TypeFlags } from 'typescript/unstable/sync'

const root = resolve(import.meta.dirname, '../../..')
const src = join(root, 'src')

/** The sources of names. Each line is a file and its maps. */
const LISTED: Readonly<Record<string, string>> = {
  'a table, column, kind of work or result of ours': `
    adapters/store/codec.ts columns row stored values
    api/kit/as-sent.ts edits
    api/kit/replies.ts besides
    cli/exits.ts OURS
    cli/approve.ts REFUSED
    cli/mandate.ts data
    cli/notification.ts RESENT
    cli/operator.ts REFUSED
    console/screens/addresses.ts KINDS WORDS
    console/screens/approvals.ts SAYS
    console/screens/order.ts columns
    console/screens/refund.ts WHY
    console/screens/audit.ts PAGES
    console/screens/timeline.ts SIGNS
    domain/audit/actions.ts ACTIONS
    domain/refund/refund.ts refundStatus
    domain/signin/retention.ts row
    domain/subscription/mandate-notifications.ts NOTIFIED_MOVES
    domain/subscription/payer-message.ts KINDS
    domain/transaction/transaction.ts orderStatus
    engine/kept-replies.ts codes
    engine/memory-store.ts other row
    engine/monotonic-times.ts row columns is was
    engine/draining.ts before
    engine/tasks.ts lane.handlers this.#begun
    flows/approvals.ts state
    flows/dead-letters.ts last
    flows/list-portions.ts sources values
    flows/order-lines.ts MOVED_BY
    http/work-metrics.ts OUTCOMES REFUND_OUTCOMES
    pages/mandate/actions.ts wrong
    pages/mandate/sections.ts texts.byMode
    pages/payment/actions.ts REFUSED
    pages/payment/view/end.ts texts.byMode
    pages/payment/view/price.ts byMode
    pages/payment/view/total.ts byMode
    pages/payment/view/ways.ts BRANDS byMode
    sandbox/hints/hints.ts RULES
    sandbox/hints/rules.ts TYPES FORMATS
    sandbox/phone-pages.ts REJECTED
    sandbox/shop-pages.ts EVENTS
    tables/keys.ts AGGREGATES`,
  'a member, field or parameter of ours, looked for in what a caller said': `
    adapters/acquirer/remote/exchange.ts response.headersDistinct
    api/acquirer-events.ts request.headers
    api/cashfree-events.ts request.headers
    api/older-clients/flat-answer.ts given known
    api/older-clients/order-form.ts given
    api/older-clients/payment-host.ts body
    api/transaction/callback-form.ts FIELDS content fields
    interface/numbered-ids.ts body
    adapters/delivery/classic-form.ts fields
    cli/listen.ts fields headers
    console/screens/filters.ts query faults
    console/screens/list.ts faults given
    console/screens/places.ts query
    docs/operation-page.ts known
    docs/sample-requests.ts known
    docs/try-it.ts found
    http/route.ts body parameters
    interface/listing.ts members
    interface/numbered-ids.ts value
    pages/kit/page-parts.ts query
    pages/payment/pay-request.ts form`,
  'an own name of the object itself': `
    http/route.ts query
    interface/checksum.ts parameters
    interface/envelope.ts value
    interface/request.ts given written
    engine/batch-view.ts names state`,
  'a member of JSON that was read without `__proto__` (envelope.ts)': `
    interface/request.ts kept`,
  'a text of a form that no name of Object.prototype has': `
    adapters/acquirer/sandbox/sandbox.ts CARDS DEBITS_OF_CARDS
    cli/order.ts UNITS
    console/kit/passwords.ts LOOKS
    domain/merchant/keys.ts locked
    domain/signin/token-family.ts state
    domain/transaction/order-list.ts STATUSES
    http/sockets.ts STATUSES
    interface/doctor/keys.ts ENTITIES`,
  'an option, setting or section that our own lists name': `
    cli/command.ts byName values
    cli/merchant-settings.ts TAKES notification
    cli/openapi/answers.ts schemas
    cli/openapi/document.ts examples paths
    cli/openapi/pages.ts pagePaths
    cli/openapi/requests.ts CREDENTIALS SHARED known
    cli/openapi/texts.ts REPEATED`,
  'a state that filters.ts has looked up by Object.hasOwn': `
    console/screens/approvals.ts STATUSES
    console/screens/lists.ts ORDER_STATUSES PAYMENT_STATUSES REFUND_STATUSES`,
  'a name that create-order.ts, initiate-subscription.ts or isWebsiteName has judged': `
    cli/merchant-settings.ts websites
    domain/merchant/merchant.ts Object.prototype`,
}
const listed = new Set(
  Object.values(LISTED).flatMap((lines) =>
    lines
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [file = '', ...maps] = line.trim().split(' ')
        return maps.map((map) => `${file} ${map}`)
      }),
  ),
)

/** The expression without brackets and casts. */
function bare(node: Expression): Expression {
  const inner = (node as { expression?: Expression }).expression
  const isAround = [SyntaxKind.AsExpression, SyntaxKind.NonNullExpression, SyntaxKind.ParenthesizedExpression].includes(node.kind)
  return isAround && inner ? bare(inner) : node
}

const ANY_TEXT = TypeFlags.String | TypeFlags.Any | TypeFlags.TemplateLiteral | TypeFlags.TypeParameter | TypeFlags.Unknown
const takesAnyText = (type: Type | undefined): boolean =>
  type !== undefined &&
  ((type.flags & ANY_TEXT) !== 0 ||
    ((type.flags & TypeFlags.Union) !== 0 && (type as Type & { getTypes(): Type[] }).getTypes().some(takesAnyText)))

/** `file map` of each look-up by any text, in the files that the compiler reads. */
function lookUps(files: readonly string[]): Map<string, string> {
  const api = new API({ cwd: root })
  try {
    const { program, checker } = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects()[0]!
    const found = new Map<string, string>()
    for (const file of files) {
      const source = program.getSourceFile(join(src, file))!
      const pairs: { map: Expression; key: Expression }[] = []
      const walk = (node: Node): undefined => {
        const { argumentExpression, expression, operatorToken, left, right } = node as unknown as Record<string, Expression>
        if (node.kind === SyntaxKind.ElementAccessExpression) pairs.push({ map: expression!, key: bare(argumentExpression!) })
        if (node.kind === SyntaxKind.BinaryExpression && operatorToken!.kind === SyntaxKind.InKeyword)
          pairs.push({ map: right!, key: bare(left!) })
        node.forEachChild(walk)
      }
      source.forEachChild(walk)
      const types = pairs.length === 0 ? [] : checker.getTypeAtLocation(pairs.map(({ key }) => key))
      for (const [at, { map }] of pairs.entries()) {
        const inner = bare(map)
        const name = source.text.slice(inner.pos, inner.end).trim()
        if (takesAnyText(types[at])) found.set(`${file} ${name}`, source.text)
      }
    }
    return found
  } finally {
    api.close()
  }
}

const isGuarded = (map: string, text: string) =>
  text.includes(`Object.hasOwn(${map}, `) || new RegExp(`\\b${map.replaceAll('.', '\\.')}\\b[^\\n]* = Object\\.create\\(null\\)`).test(text)

test('every look-up by a name that may be a caller’s is guarded, or stands in the list with whose name it is', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const found = lookUps(files.sort())
  assert.ok(found.size > 50, `${found.size} look-ups were found: the search sees nothing`)
  // The search must see a guarded look-up and a listed one.
  assert.ok(found.has('pages/kit/forms.ts form') && found.has('sandbox/phone.ts SAID') && found.has('interface/listing.ts members'))
  const unguarded = [...found].flatMap(([name, text]) => (isGuarded(name.slice(name.indexOf(' ') + 1), text) ? [] : [name]))
  assert.deepEqual(
    unguarded.filter((name) => !listed.has(name)),
    [],
    'take a Map, Object.hasOwn or an object without a prototype, or say whose names these are',
  )
  const gone = [...listed].filter((name) => !found.has(name))
  assert.deepEqual(gone, [], 'these are look-ups no more')
})
