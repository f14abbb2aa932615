// Network addresses as callers have them: who is counted as one, and who is a proxy of ours.

import ipaddr from 'ipaddr.js'

const CUSTOMER_PARTS = 4 // of eight: 64 bits of IPv6 are what one customer of a provider usually has

/** Who is counted as one caller: an IPv4 address, or the first 64 bits of an IPv6 one. An IPv4 address within IPv6 is that address. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return parsed.parts
    .slice(0, CUSTOMER_PARTS)
    .map((part) => part.toString(16))
    .join(':')
}

/** Tells whether an address is one of these, or in one of these networks (`10.0.0.1`, `10.0.0.0/8`, `::ffff:10.0.0.0/104`). */
export function isAmong(named: readonly string[]): (address: string) => boolean {
  const networks = named.map(networkNamed)
  return (address) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return networks.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
  }
}

/** A network of IPv4 within IPv6 is that of IPv4, as Fastify's trust in proxies has it: so Node calls them where it listens on `::`. */
function networkNamed(named: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [network, bits] = ipaddr.parseCIDR(named.includes('/') ? named : `${named}/${named.includes(':') ? 128 : 32}`)
  const isWithin = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= IPV4_WITHIN_BITS
  return isWithin ? [network.toIPv4Address(), bits - IPV4_WITHIN_BITS] : [network, bits]
}
const IPV4_WITHIN_BITS = 96 // of `::ffff:`, in front of the four bytes
