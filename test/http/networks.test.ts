// Addresses, as ipaddr.js reads them: Mohur's list of public ones against its ranges, and which peers are proxies.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import ipaddr from 'ipaddr.js'
import { isPublic } from '../../src/adapters/delivery/addresses.ts'
import { isAmong, networkOf } from '../../src/http/networks.ts'
import { Random } from '../support/text/random.ts'

const SEED = 20_261_121
const COUNT = 20_000
/**
 * Only in Mohur's list, in src/adapters/delivery/addresses.ts: a cloud's metadata, and the rest of IANA's block of protocol assignments and
 * documentation.
 */
const ONLY_OURS = isAmong(['168.63.129.16', '2001::/23', '3fff::/20'])
const GIVEN_V6 = isAmong(['2000::/3'])

function addresses(): string[] {
  const random = new Random(SEED)
  const starts = [
    '0',
    '10',
    '100.64',
    '127',
    '168.63.129',
    '169.254',
    '172.16',
    '172.31',
    '192.0.0',
    '192.0.2',
    '192.31.196',
    '192.52.193',
    '192.88.99',
  ]
  starts.push(
    '192.168',
    '192.175.48',
    '198.18',
    '198.19',
    '198.51.100',
    '203.0.113',
    '224',
    '239',
    '240',
    '255',
    '1',
    '8.8',
    '49.36',
    '172.32',
    '198.20',
  )
  const of = (start: string) => {
    const parts = start.split('.')
    while (parts.length < 4) parts.push(String(random.below(256)))
    return parts.join('.')
  }
  const v6 = [
    '2001:',
    '2001:db8',
    '2002',
    '2003',
    '2400',
    '2606',
    '3fff',
    '3ffe',
    'fe80',
    'fc00',
    'ff02',
    '100:',
    '64:ff9b',
    '5f00',
    '4000',
    '2001:4:112',
    '2620:4f:8000',
  ]
  const group = () => random.below(65_536).toString(16)
  const all: string[] = ['168.63.129.16', '::', '::1', '::ffff:8.8.8.8', '::ffff:10.0.0.1']
  for (let at = 0; at < COUNT; at++) {
    all.push(of(random.below(2) === 0 ? random.pick(starts) : String(random.below(256))))
    const parts = random.pick(v6).split(':')
    while (parts.length < 8) parts.push(group())
    all.push(parts.map((part) => part || '0').join(':'))
  }
  return all
}

test(`an address may be dialled exactly where ipaddr.js calls it unicast (seed ${SEED})`, () => {
  for (const address of addresses()) {
    const parsed = ipaddr.parse(address)
    const isUnicast = parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || GIVEN_V6(address))
    if (ONLY_OURS(address)) assert.equal(isPublic(address), false, address)
    else assert.equal(isPublic(address), isUnicast, `${address}: ${parsed.range()}`)
  }
})

test('a proxy is known in every spelling of its address, and no other peer is', () => {
  const isProxy = isAmong(['10.0.0.1', '192.168.0.0/16', '2001:db8::/32', '::1'])
  for (const address of [
    '10.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '192.168.255.255',
    '2001:DB8::5',
    '2001:db8:0:0::1',
    '::1',
    '0:0:0:0:0:0:0:1',
  ])
    assert.ok(isProxy(address), address)
  for (const address of ['10.0.0.2', '192.169.0.1', '2001:db9::1', '::2', '', 'localhost', '10.0.0.1, 10.0.0.1', '::ffff:10.0.0.2'])
    assert.ok(!isProxy(address), address)
  assert.ok(!isAmong([])('127.0.0.1'))
  for (const named of ['::ffff:10.0.0.1', '::FFFF:a00:1', '::ffff:10.0.0.0/104', '::ffff:0:0/96']) {
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1']) assert.ok(isAmong([named])(address), `${named} ${address}`)
    for (const address of ['11.0.0.1', '::1']) assert.equal(isAmong([named])(address), named.endsWith('/96') && address === '11.0.0.1')
  }
  assert.ok(!isAmong(['::ffff:10.0.0.0/95'])('10.0.0.1'), 'more than the IPv4 addresses, as Fastify has it')
})

test('one customer of a provider is one network, in every spelling', () => {
  const one = ['2001:db8:1:2::', '2001:0db8:0001:0002:ffff::1', '2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::1.2.3.4', '2001:db8:1:2::1%eth0']
  assert.deepEqual([...new Set(one.map(networkOf))], ['2001:db8:1:2'])
  assert.notEqual(networkOf('2001:db8:1:3::'), networkOf('2001:db8:1:2::'))
  assert.deepEqual([...new Set(['203.0.113.9', '::ffff:203.0.113.9', '::ffff:cb00:7109'].map(networkOf))], ['203.0.113.9'])
  assert.deepEqual([...new Set(['203.0.113.9:51111', '[::ffff:203.0.113.9]:1', '[::ffff:203.0.113.9]'].map(networkOf))], ['203.0.113.9'])
  assert.equal(networkOf('[2001:db8:1:2::5]:443'), '2001:db8:1:2')
  assert.ok(isAmong(['10.0.0.0/24'])('10.0.0.2:4711') && !isAmong(['10.0.0.0/24'])('10.0.1.2:4711'))
  assert.deepEqual([...new Set(['not an address', 'another', '203.0.113.9:x', '[203.0.113'].map(networkOf))], [''])
})
