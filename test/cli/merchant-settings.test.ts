// `mohur merchant show|set|disable|enable`, as an operator runs them: docs/operating/commands.md.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { UNDELIVERABLE } from '../support/notifications/undeliverable.ts'
import { mohurHere } from '../support/run/process.ts'
import { onBothStores } from '../support/run/service.ts'
import { MOHUR_MASTER_KEY, place, production, run } from '../support/store/at-rest.ts'

const MID = 'SETSHOP'
const URL_OF = 'https://shop.example/hook'

onBothStores('mohur merchant', (store) => {
  let at: Record<string, string>
  let key = ''
  const merchant = (...args: string[]) => mohurHere(['merchant', ...args], production(at))
  const shown = async () => (await merchant('show', MID)).out.trimEnd().split('\n')
  before(async () => {
    at = await place(store)
    key = /^key (\S+)$/m.exec((await merchant('add', '--mid', MID, '--name', 'Shop & Sons')).out)![1]!
  })

  test('show prints each setting in the form in which set takes it, and no key', async () => {
    const lines = await shown()
    assert.equal(lines[0], `${MID}  ACTIVE`)
    for (const line of [
      'name=Shop & Sons',
      'fee=0.00',
      'signedModify=amount',
      'upiCollect=rule',
      'websites.DEFAULT.callbackUrl=',
      'notification.secret is not set',
      'key C11, number 1, signs; not seen yet, 0 wrong signatures since it began to sign',
    ])
      assert.ok(lines.includes(line), `${line} is not among\n${lines.join('\n')}`)
    assert.ok(!lines.join('\n').includes(key))
    // Setting the printed values again changes nothing.
    const settings = lines.filter((line) => line.includes('=') && !line.startsWith('notification.form='))
    const { code, out, err } = await merchant('set', MID, ...settings.filter((line) => !line.startsWith('notification.')))
    assert.deepEqual({ code, out, err }, { code: 0, out: `${MID}: nothing changed\n`, err: '' })
  })

  test('set changes what it names, makes a secret for notifications that had none and shows it once, and says what it did', async () => {
    const { code, out } = await merchant(
      ...[
        'set',
        MID,
        `notification.url=${URL_OF}`,
        'fee=1.5',
        'paymentModes=UPI,CREDIT_CARD',
        'pageOrigins=https://a.example,https://b.example',
      ],
      ...['websites.APP.callbackUrl=https://shop.example/back', 'debitCardEmi=true', 'name=New name'],
    )
    assert.equal(code, 0)
    assert.match(
      out,
      /^SETSHOP: debitCardEmi, fee, name, notification, pageOrigins, paymentModes, websites changed; every running process uses it within five seconds\n/,
    )
    const [, secret] = /^notification\.secret (whsec_\S+)$/m.exec(out)!
    const lines = await shown()
    for (const line of [
      ...[
        'fee=1.50',
        'paymentModes=UPI,CREDIT_CARD',
        'pageOrigins=https://a.example,https://b.example',
        'name=New name',
        'debitCardEmi=true',
      ],
      ...[
        'websites.APP.callbackUrl=https://shop.example/back',
        'websites.DEFAULT.callbackUrl=',
        `notification.url=${URL_OF}`,
        'notification.form=json',
      ],
    ])
      assert.ok(lines.includes(line), `${line} is not among\n${lines.join('\n')}`)
    assert.ok(!lines.join('\n').includes(secret!))
    const again = await merchant('set', MID, 'notification.form=classic')
    assert.ok(!again.out.includes('whsec_'), again.out)
    assert.equal((await merchant('set', MID, 'pageOrigins=', 'websites.APP=', 'notification.url=')).code, 0)
    const after = await shown()
    for (const line of ['pageOrigins=', 'notification.url=', 'notification.form=classic', 'notification.secret is set'])
      assert.ok(after.includes(line), `${line} is not among\n${after.join('\n')}`)
    assert.ok(!after.some((line) => line.startsWith('websites.APP')))
  })

  test('add and set name the contact for payers, and accept none to which a page could not lead', async () => {
    const added = await merchant('add', '--mid', 'ASKSHOP', '--support-contact', '1800 123 4567')
    assert.equal(added.code, 0, added.err)
    const contact = async () => (await merchant('show', 'ASKSHOP')).out.split('\n').find((line) => line.startsWith('supportContact='))
    assert.equal(await contact(), 'supportContact=1800 123 4567')
    assert.match((await merchant('set', 'ASKSHOP', 'supportContact=help@shop.example')).out, /^ASKSHOP: supportContact changed;/)
    assert.equal(await contact(), 'supportContact=help@shop.example')
    const refused = await merchant('set', 'ASKSHOP', 'supportContact=javascript:alert(1)')
    assert.deepEqual([refused.code, refused.out], [2, ''])
    assert.match(refused.err, /supportContact takes a phone number, an e-mail address or an https address/)
    assert.equal((await merchant('set', 'ASKSHOP', 'supportContact=')).code, 0)
    assert.equal(await contact(), 'supportContact=')
    const { code, err } = await merchant('add', '--mid', 'OTHER', '--support-contact', 'call us')
    assert.equal(code, 2)
    assert.match(err, /^--support-contact must be a phone number, an e-mail address or an https address/)
  })

  test('set refuses with a sentence what no world file may say, and changes nothing then', async () => {
    const before = await shown()
    for (const [args, said] of [
      [['fee=101'], /^this cannot be set:\n {2}fee takes a percentage from 0 to 100 with two decimals at most, as 1\.50\n$/],
      [['paymentModes=UPI,CASH'], /^this cannot be set:\n {2}paymentModes\.1 takes some of BALANCE,PPBL,UPI,/],
      [['mcc=12', 'name=Other'], /^this cannot be set:\n {2}mcc takes four digits\n$/],
      [['notification.url=nowhere'], /^this cannot be set:\n {2}notification\.url takes an address/],
      ...UNDELIVERABLE.map(
        (url) => [[`notification.url=${url}`], /^this cannot be set:\n.*production notifies at public addresses only/] as const,
      ),
      [['checksumEnabled=yes'], /^checksumEnabled is true or false\n$/],
      [['keys=1'], /^keys cannot be set\. `mohur merchant show SETSHOP` prints the settings\.\n$/],
      [['status=DISABLED'], /^status cannot be set/],
      [['fee=1', 'fee=2'], /^fee is set twice\n$/],
      ...['__proto__', 'constructor', 'prototype', 'toString', 'a/b', '-a', 'x'.repeat(65)].flatMap(
        (name) =>
          [
            [[`websites.${name}.callbackUrl=https://shop.example/back`], /^\S+ cannot name a website\. A name has 1 to 64 letters, digits/],
            [[`websites.${name}=`], /^\S+ cannot name a website/],
          ] as const,
      ),
      [['websites.DEFAULT='], /^a merchant needs at least one website\n$/],
      [['fee'], /^fee is not NAME=VALUE\n$/],
      [[], /^name what to set as NAME=VALUE/],
    ] as const) {
      const { code, out, err } = await merchant('set', MID, ...args)
      assert.deepEqual([code, out], [2, ''], args.join(' '))
      assert.match(err, said)
    }
    assert.deepEqual(await shown(), before)
  })

  test('add refuses what cannot be the name of a website', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'a/b', '', 'x'.repeat(65)]) {
      const { code, out, err } = await merchant('add', '--mid', 'ODDSHOP', '--website', `${name}=https://shop.example/back`)
      assert.deepEqual([code, out], [2, ''], name)
      assert.match(err, /^--website needs a name\. A name has 1 to 64 letters/)
    }
    const added = await merchant('add', '--mid', 'ODDSHOP', '--website', 'My shop_1.in=https://shop.example/back')
    assert.equal(added.code, 0, added.err)
    assert.match((await merchant('show', 'ODDSHOP')).out, /^websites\.My shop_1\.in\.callbackUrl=https:\/\/shop\.example\/back$/m)
  })

  test('set takes the fee away', async () => {
    assert.equal((await merchant('set', MID, 'fee=1.50')).code, 0)
    assert.ok((await shown()).includes('fee=1.50'))
    assert.equal((await merchant('set', MID, 'fee=')).code, 0)
    assert.ok((await shown()).includes('fee=0.00'))
    assert.ok(!(await shown()).join().includes('feeHundredths'))
  })

  test('disable and enable are recorded with their author, and verify holds', async () => {
    assert.match((await merchant('disable', MID)).out, /^SETSHOP: status is now DISABLED;/)
    assert.equal((await merchant('disable', MID)).out, 'SETSHOP: nothing changed\n')
    assert.equal((await shown())[0], `${MID}  DISABLED`)
    assert.match((await merchant('list')).out, /^SETSHOP\t.*\tstatus=DISABLED$/m)
    assert.match((await merchant('enable', '--mid', MID)).out, /^SETSHOP: status is now ACTIVE;/)
    const history = (await shown()).filter((line) => /^\d{4}-/.test(line)).map((line) => line.split(/\s{2,}/).slice(1))
    assert.deepEqual(history.slice(-2), [
      ['disabled', 'command', 'status'],
      ['enabled', 'command', 'status'],
    ])
    assert.equal((await mohurHere(['verify'], { ...at, MOHUR_MASTER_KEY })).code, 0)
    await run(at, `update merchants set status = 'DISABLED' where mid = '${MID}'`)
    const found = await mohurHere(['verify'], { ...at, MOHUR_MASTER_KEY })
    assert.equal(found.code, 1)
    assert.match(found.out, /^I15 {2}BREACH/m)
    await run(at, `update merchants set status = 'ACTIVE' where mid = '${MID}'`)
  })

  test('an unknown merchant is named in a sentence', async () => {
    for (const args of [
      ['show', 'NOBODY'],
      ['set', 'NOBODY', 'fee=1'],
      ['disable', 'NOBODY'],
      ['enable', 'NOBODY'],
    ]) {
      const { code, err } = await merchant(...args)
      assert.deepEqual([code, err], [2, 'no merchant has the mid NOBODY\n'])
    }
  })
})
