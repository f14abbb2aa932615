// Network addresses as callers have them: what counts as one caller, and which callers are this service's own proxies.

import ipaddr from 'ipaddr.js'

const WITH_PORT = /^(?:\[([^\]]+)\](?::[0-9]+)?|([0-9.]+):[0-9]+)$/
const CUSTOMER_PARTS = 4 // of eight: a provider's customer usually has 64 bits of IPv6

/**
 * The network that counts as one caller: an IPv4 address, or the first 64 bits of an IPv6 address. An IPv4 address within IPv6 counts as
 * the IPv4 address. Some proxies write the caller's port too. All texts that are no address count as one caller.
 */
export function networkOf(address: string): string {
  const host = hostIn(address)
  if (!ipaddr.isValid(host)) return ''
  const parsed = ipaddr.process(host)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return parsed.parts
    .slice(0, CUSTOMER_PARTS)
    .map((part) => part.toString(16))
    .join(':')
}

function hostIn(address: string): string {
  const [, v6, v4] = WITH_PORT.exec(address) ?? []
  return v6 ?? v4 ?? address
}

/** Answers whether an address, perhaps with a port, is named, or lies in a named network (`10.0.0.1`, `10.0.0.0/8`, `::ffff:10.0.0.0/104`). */
export function isAmong(named: readonly string[]): (address: string) => boolean {
  const networks = named.map(networkNamed)
  return (address) => {
    const host = hostIn(address)
    if (!ipaddr.isValid(host)) return false
    const parsed = ipaddr.process(host)
    return networks.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
  }
}

/**
 * Converts an IPv4-mapped IPv6 network (`::ffff:…`) to IPv4, as Fastify's `trustProxy` does. Node reports IPv4 callers as mapped when it
 * listens on `::`.
 */
function networkNamed(named: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [network, bits] = ipaddr.parseCIDR(named.includes('/') ? named : `${named}/${named.includes(':') ? 128 : 32}`)
  const isWithin = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= IPV4_WITHIN_BITS
  return isWithin ? [network.toIPv4Address(), bits - IPV4_WITHIN_BITS] : [network, bits]
}
const IPV4_WITHIN_BITS = 96 // of `::ffff:`, before the four bytes
