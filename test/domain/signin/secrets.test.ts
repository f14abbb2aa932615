// No row has an OTP, a token or a client secret in the clear (docs/interface.md section 5). test/slow/house/secrets.test.ts searches files
// and logs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { find, type TableName, tables } from '../../../src/tables/tables.ts'
import { onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { otherThan, receive, signInWorld, validate } from '../../support/signin/signin.ts'
import { orderToPay, receiveAt, refreshed, validateAt } from '../../support/signin/tokens.ts'

onBothStores('the rows of sign-in', (store) => {
  const service = sharedService(store, { world: signInWorld })

  test('no OTP, token or secret is in any column, however the request went', async () => {
    const running: Service = await service()
    const secrets: string[] = ['demo-secret', 'se:cr:et']
    for (let at = 0; at < 20; at++) {
      const sent = await receive(running, `98765400${10 + at}`)
      await validate(running, { ...sent, otp: otherThan(sent.otp) })
      const reply = await validate(running, sent)
      const { access_token, refresh_token } = JSON.parse(reply.body.tokens)
      const renewed = await refreshed(running, refresh_token)
      const order = await orderToPay(running, `SECRETS${at}`)
      const otp = await receiveAt(running, order, `98765401${10 + at}`)
      await validateAt(running, order, otherThan(otp))
      await validateAt(running, order, otp)
      secrets.push(sent.otp, sent.state_token, access_token, refresh_token, renewed.ssoToken, renewed.refreshToken, order.txnToken, otp)
    }
    // An opened sealed column is no leak, so these rows are read as the database stores them.
    for (const name of Object.keys(tables) as TableName[]) {
      const columns: Readonly<Record<string, { kind: string }>> = tables[name].columns
      const rows = await running.store.query.rows(find(name, { limit: 10_000 }))
      const plain = rows.map((row) => Object.entries(row).filter(([column]) => columns[column]!.kind !== 'sealed'))
      // Six digits may be part of a time or a hash, so an OTP counts only as a word of its own.
      const text = JSON.stringify(plain)
      for (const secret of secrets) assert.ok(!new RegExp(`(?<![\\w-])${secret}(?![\\w-])`).test(text), `${name}`)
    }
  })
})
