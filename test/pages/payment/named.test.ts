// What a payer with a screen reader gets: the title names the state, the message has the focus, and no two controls share a name.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CARD_FIELDS, newPage, Visitor, withoutDrawer, wordsOf } from '../../support/pages/pages.ts'
import { script } from '../../support/paying/paying.ts'
import { onBothStores, sharedService } from '../../support/run/service.ts'

const titleOf = (html: string) => wordsOf(/<title>([^<]*)<\/title>/.exec(html)![1]!)
const namesOf = (html: string) => [...withoutDrawer(html).matchAll(/<button[^>]*>(.*?)<\/button>/gs)].map(([, inner]) => wordsOf(inner!))

onBothStores('the payment page by its names', (store) => {
  const running = sharedService(store)

  test('the title says the state before the shop: choosing, waiting, failed, paid', async () => {
    const service = await running()
    const { order, page } = await newPage(service, 'TITLES')
    const visitor = new Visitor(service, page)
    const titles = [titleOf((await visitor.look()).text)]
    await script(service, order, 'declined')
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    titles.push(titleOf((await visitor.look()).text))
    await visitor.send({ panel: 'upi' })
    titles.push(titleOf((await visitor.look()).text))
    const paid = await newPage(service, 'TITLES_PAID')
    const payer = new Visitor(service, paid.page)
    await payer.send({ panel: 'card' }, CARD_FIELDS)
    titles.push(titleOf((await payer.look()).text))
    assert.equal(new Set(titles).size, 4, titles.join(' | '))
    for (const title of titles) assert.match(title, /Demo Stores/)
    assert.deepEqual(
      titles.map((title) => title.startsWith('Demo Stores')),
      [false, false, false, false],
      titles.join(' | '),
    )
  })

  test('after a failure the message has the focus: nothing before it asks for that', async () => {
    const service = await running()
    const { order, page } = await newPage(service, 'FOCUS')
    const visitor = new Visitor(service, page)
    await script(service, order, 'declined')
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    const { text } = await visitor.look()
    const focused = [...text.matchAll(/<[a-z]+[^>]* autofocus[^>]*>/g)].map(([tag]) => tag)
    assert.match(focused[0]!, /^<p class="notice bad" role="alert" tabindex="-1"/)
  })

  test('no two buttons of a page share a name, and the two of UPI say what each does', async () => {
    const service = await running()
    const { page } = await newPage(service, 'NAMES')
    const names = namesOf((await new Visitor(service, page).look()).text)
    assert.ok(
      names.some((name) => name.startsWith('Show QR code for')) && names.some((name) => name.startsWith('Send request for')),
      names.join(' | '),
    )
    const twice = names.filter((name, at) => names.indexOf(name) !== at && !name.startsWith('Pay '))
    assert.deepEqual(twice, [])
  })
})
