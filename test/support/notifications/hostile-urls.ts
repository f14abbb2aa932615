// URLs by which a merchant could make the service call its own network: docs/interface.md section 6.

import { networkInterfaces } from 'node:os'

/** Addresses that belong to no host on the public internet. Every address of this machine is added. */
const V4 = [
  '127.0.0.1',
  '127.1.2.3',
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
]
const V6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  'fc00::1',
  'fd00::2',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '100::1',
  '2001::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '3fff::1',
  '5f00::1',
  '4000::1',
]
const own = () =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address }) => !address.startsWith('fe80'))

const bytes = (address: string) => address.split('.').map(Number)
const hex = (value: number, width = 2) => value.toString(16).padStart(width, '0')

/** The same IPv4 address in other spellings that browsers accept. */
function spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = bytes(address)
  const whole = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d
  const fullWidth = (text: string) => text.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
  return [
    address,
    `${address}.`,
    String(whole),
    `0x${hex(whole, 8)}`,
    `0X${hex(whole, 8).toUpperCase()}`,
    `0${whole.toString(8)}`,
    `0x${hex(a)}.0x${hex(b)}.0x${hex(c)}.0x${hex(d)}`,
    `0${a.toString(8)}.0${b.toString(8)}.0${c.toString(8)}.0${d.toString(8)}`,
    `${a}.${b * 2 ** 16 + c * 2 ** 8 + d}`,
    `${a}.${b}.${c * 2 ** 8 + d}`,
    `0${a.toString(8)}.0x${hex(b)}.${c * 2 ** 8 + d}`,
    address.replaceAll('.', '。'),
    address.replaceAll('.', '．'),
    fullWidth(address),
    address.replace('.', '%2e'),
    `%3${String(address[0])}${address.slice(1)}`,
  ]
}

/** IPv6 addresses that carry an IPv4 address. */
function embeddings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = bytes(address)
  const [high, low] = [hex(a) + hex(b), hex(c) + hex(d)]
  return [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:FFFF:${high}:${low}`,
    `::${address}`,
    `::ffff:0:${address}`,
    `64:ff9b::${address}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2001:0:${high}:${low}::1`,
    `fe80::5efe:${high}:${low}`,
  ]
}

/** Names, each with the addresses that a resolver gives. */
export const hostileNames: Readonly<Record<string, readonly string[]>> = {
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'metadata.example': ['169.254.169.254'],
  'private.example': ['10.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'mapped-hex.example': ['::ffff:7f00:1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'sixtofour.example': ['2002:7f00:1::1'],
  'unspecified.example': ['0.0.0.0'],
  'own.example': own().map(({ address }) => address),
  'public-and-private.example': ['2000::1', '127.0.0.1'],
  'private-and-public.example': ['10.1.1.1', '2000::1'],
  'many-and-one.example': [...Array.from({ length: 200 }, (_, at) => `2000::${at + 1}`), '169.254.169.254'],
  'nonsense.example': ['not an address'],
  'octal.example': ['0177.0.0.1'],
  'zone.example': ['fe80::1%lo'],
}

const isLoopback = (address: string) => /^127\.|^::1$|^0:0:0:0:0:0:0:1$/.test(address)

/** Every URL with a port that a canary listens on. `mode` excludes the addresses that this mode may dial. */
export function hostileUrls(mode: 'sandbox' | 'production', ports: readonly number[]): string[] {
  const own4 = own().flatMap(({ address, family }) => (family === 'IPv4' ? [address] : []))
  const own6 = own().flatMap(({ address, family }) => (family === 'IPv6' ? [address] : []))
  const mayDial = (address: string) => mode === 'sandbox' && isLoopback(address)
  const v4 = [...new Set([...V4, ...own4])]
  const hosts = [
    ...v4.filter((address) => !mayDial(address)).flatMap(spellings),
    ...v4.flatMap(embeddings).map((address) => `[${address}]`),
    ...[...new Set([...V6, ...own6])].filter((address) => !mayDial(address)).map((address) => `[${address}]`),
    ...Object.entries(hostileNames)
      .filter(([, addresses]) => mode === 'production' || !addresses.every((address) => isLoopback(address) || address === '2000::1'))
      .flatMap(([name]) => [name, `${name}.`, name.toUpperCase()]),
    ...(mode === 'production' ? ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'ｌocalhost', 'loc%61lhost'] : []),
  ]
  const schemes = mode === 'production' ? ['https'] : ['https', 'http']
  const urls = hosts.flatMap((host, at) => schemes.map((scheme) => `${scheme}://${host}:${ports[at % ports.length]}/notify?a=1`))
  return [...urls, ...strange(ports[0]!), ...(mode === 'production' ? onlyInProduction(ports) : [])]
}

/** URLs that are refused before their name is resolved. */
const strange = (port: number) => [
  `https://user@127.0.0.1:${port}/`,
  `https://user:secret@127.0.0.1:${port}/`,
  `https://2000::1@127.0.0.1:${port}/`,
  `https://example.com:443@127.0.0.1:${port}/`,
  `https://example.com%23@127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}\\@example.com/`,
  `https:\\\\127.0.0.1:${port}\\`,
  `https:127.0.0.1:${port}/`,
  `https:///127.0.0.1:${port}/`,
  ` https://127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}/ `,
  `ht\ntps://127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}/\r\nHost: a`,
  `//127.0.0.1:${port}/`,
  `127.0.0.1:${port}`,
  `file:///etc/passwd`,
  `file://127.0.0.1/etc/passwd`,
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_GET`,
  `ws://127.0.0.1:${port}/`,
  `wss://127.0.0.1:${port}/`,
  `unix:///var/run/docker.sock`,
  `http+unix://%2Fvar%2Frun%2Fdocker.sock/`,
  `data:text/plain,hello`,
  `blob:https://127.0.0.1:${port}/1`,
  `javascript:fetch('http://127.0.0.1:${port}')`,
  `view-source:http://127.0.0.1:${port}/`,
  `jar:https://127.0.0.1:${port}/!/`,
  `https://`,
  `https://:${port}/`,
  `https://./`,
  `https://../`,
  `https://a..:${port}/`,
  `https://[::1%25lo]:${port}/`,
  `https://[127.0.0.1]:${port}/`,
  `https://127.0.0.1:99999/`,
  `https://127.0.0.256:${port}/`,
  `https://0x1.0x2.0x3.0x4.0x5:${port}/`,
  '',
]

/** Refused in production alone, which allows only https and two ports. The address itself would be allowed. */
const onlyInProduction = (ports: readonly number[]) => [
  ...ports.map((port) => `http://[2000::1]:${port}/`),
  ...['http://[2000::1]/', 'HTTP://[2000::1]/', 'http://127.0.0.1/', 'http://localhost/'],
  ...[22, 25, 80, 6379, 9200, 2375, 11211, 5432, 8080, 8444, 65535].map((port) => `https://[2000::1]:${port}/`),
]
