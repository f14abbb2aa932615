// The addresses to which a merchant's URL may lead: only public ones. Any other lies in Mohur's own network or in a neighbour's, and a
// merchant's URL must not reach it (SECURITY.md).

import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** IANA's special-purpose registry, with multicast, reserved addresses, and one cloud's metadata, which has a public number. */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]
/** The only public part of IPv6. No mapped, compatible, translated, local or multicast address is in it. */
const PUBLIC_V6 = ['2000::/3']
/** Inside that part: protocol assignments with Teredo and ORCHID, documentation, 6to4, AS112's, documentation again. */
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}
const notPublicV4 = listOf(NOT_PUBLIC_V4, 'ipv4')
const publicV6 = listOf(PUBLIC_V6, 'ipv6')
const notPublicV6 = listOf(NOT_PUBLIC_V6, 'ipv6')
const loopbackV4 = listOf(['127.0.0.0/8'], 'ipv4')

/** A text that is neither an IPv4 nor an IPv6 address, as Node reads them, is not public. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !notPublicV4.check(address, 'ipv4')
  return isIPv6(address) && publicV6.check(address, 'ipv6') && !notPublicV6.check(address, 'ipv6')
}

/** This machine itself, written plainly. An IPv6 address that only embeds an IPv4 one does not count. */
export const isLoopback = (address: string): boolean => (isIPv4(address) ? loopbackV4.check(address, 'ipv4') : address === '::1')
