// Compares the reader of a request's bytes with a slow reader that is written another way: docs/interface.md section 4, "Limits before
// parsing".

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BODY_BYTES_MAX,
  DEPTH_MAX,
  type JsonObject,
  MEMBERS_MAX,
  type ReadRequest,
  readRequest,
  SEPARATORS_MAX,
  writeEnvelope,
} from '../../src/interface/envelope.ts'
import { Random } from '../support/text/random.ts'

const SEED = 20_261_120

/** A parser by the book (RFC 8259), one character at a time, that knows where each member of the root begins and ends. */
class SlowReader {
  #at = 0
  #members = 0
  #separators = 0
  readonly #text: string
  bodyText: string | undefined

  constructor(text: string) {
    this.#text = text
  }
  static read(bytes: Uint8Array): ReadRequest | undefined {
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
      const reader = new SlowReader(text)
      const root = reader.#value(0)
      if (reader.#at < text.length || typeof root !== 'object' || root === null || Array.isArray(root)) return undefined
      return { root: root as JsonObject, bodyText: reader.bodyText }
    } catch {
      return undefined
    }
  }
  #refuse(): never {
    throw new Error(`at ${this.#at}`)
  }
  #space() {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? 'end')) this.#at++
  }
  #take(expected: string) {
    if (!this.#text.startsWith(expected, this.#at)) this.#refuse()
    this.#at += expected.length
  }
  #value(depth: number): unknown {
    this.#space()
    const value = this.#bare(depth)
    this.#space()
    return value
  }
  #bare(depth: number): unknown {
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(depth + 1)
      case '[':
        return this.#array(depth + 1)
      case '"':
        return this.#string()
      case 't':
        this.#take('true')
        return true
      case 'f':
        this.#take('false')
        return false
      case 'n':
        this.#take('null')
        return null
      default: {
        const number = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/.exec(this.#text.slice(this.#at))?.[0]
        if (number === undefined) this.#refuse()
        this.#at += number.length
        return Number(number)
      }
    }
  }
  #object(depth: number) {
    if (depth > DEPTH_MAX) this.#refuse()
    const members = new Map<string, unknown>()
    this.#take('{')
    this.#space()
    while (this.#text[this.#at] !== '}') {
      if (members.size > 0) this.#separator()
      this.#space()
      const key = this.#string()
      this.#space()
      this.#take(':')
      this.#space()
      const from = this.#at
      const value = this.#bare(depth)
      if (depth === 1 && key === 'body') this.bodyText = this.#text.slice(from, this.#at)
      this.#space()
      if (members.has(key) || key === '__proto__' || key.includes('\\') || ++this.#members > MEMBERS_MAX) this.#refuse()
      members.set(key, value)
    }
    this.#take('}')
    return Object.fromEntries(members)
  }
  #separator() {
    this.#take(',')
    if (++this.#separators > SEPARATORS_MAX) this.#refuse()
  }
  #array(depth: number) {
    if (depth > DEPTH_MAX) this.#refuse()
    const elements: unknown[] = []
    this.#take('[')
    this.#space()
    while (this.#text[this.#at] !== ']') {
      if (elements.length > 0) this.#separator()
      elements.push(this.#value(depth))
    }
    this.#take(']')
    return elements
  }
  #string(): string {
    let value = ''
    this.#take('"')
    for (;;) {
      const char = this.#text[this.#at++]
      if (char === undefined || char < ' ') this.#refuse()
      if (char === '"') break
      if (char !== '\\') {
        value += char
        continue
      }
      const escaped = this.#text[this.#at++] ?? this.#refuse()
      const plain = ({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' } as Record<string, string>)[escaped]
      if (plain !== undefined) {
        value += plain
        continue
      }
      const digits = this.#text.slice(this.#at, this.#at + 4)
      if (escaped !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) this.#refuse()
      value += String.fromCharCode(Number.parseInt(digits, 16))
      this.#at += 4
    }
    if (value.includes('\u0000') || !value.isWellFormed()) this.#refuse()
    return value
  }
}

/** Runs both readers, which must agree, and returns their result. */
function read(given: string | Uint8Array): ReadRequest | undefined {
  const bytes = typeof given === 'string' ? Buffer.from(given) : given
  const fast = readRequest(bytes)
  const slow = SlowReader.read(bytes)
  if (JSON.stringify(fast) !== JSON.stringify(slow)) {
    const shown = Buffer.from(bytes).toString('latin1').slice(0, 500)
    assert.deepEqual(fast, slow, `the readers disagree about ${JSON.stringify(shown)}`)
  }
  return fast
}

const KEYS = [
  '"body"',
  '"bo\\u0064y"',
  '"\\u0062ody"',
  '"head"',
  '"Body"',
  '"body "',
  '"a"',
  '"b"',
  '""',
  '"\\""',
  '"\\\\"',
  '"{"',
  '":"',
  '"__proto__"',
  '"\\u005f_proto__"',
  '"constructor"',
  '"1"',
  '"é"',
  '"\\u0000"',
  '"\\ud800"',
]
const STRINGS = [
  '""',
  '"body"',
  '"\\""',
  '"\\\\"',
  '"\\\\\\""',
  '"}"',
  '"]"',
  '","',
  '":"',
  '"\\u007d"',
  '"₹"',
  '"😀"',
  '"\\ud83d\\ude00"',
  '"\\ud83d"',
  '"\\ude00x"',
  '"\\u0000"',
  '"\\n"',
  '"a\tb"',
  '"\u2028"',
  '"\ufeff"',
  '"\\x"',
  '"\\u12"',
  '"\\/"',
]
const SCALARS = [
  '0',
  '-0',
  '1.50',
  '1e3',
  '1E-7',
  '123456789012345678901',
  '01',
  '.5',
  '+1',
  'NaN',
  'true',
  'false',
  'null',
  'nul',
  'undefined',
  "'a'",
  '1e999',
]
const SPACES = ['', '', '', '', ' ', '\n', '\t', '\r\n', '  ', '\u00a0', '\ufeff', '/**/', '\u0000']

/** Text that is JSON, or nearly: mostly well formed, with everything that may trip a hand-written scanner. */
function randomText(random: Random, depth: number, oddness: number): string {
  const odd = () => random.below(100) < oddness
  const some = (list: readonly string[], good: number) => list[odd() ? random.below(list.length) : random.below(good)]!
  const space = () => some(SPACES, 9)
  const value = (depth: number): string => {
    const kind = random.below(depth > 0 ? 6 : 3)
    if (kind === 0) return some(SCALARS, 6)
    if (kind < 3) return some(STRINGS, 13)
    if (kind === 3) return `[${space()}${list(random.below(4), () => value(depth - 1))}]`
    return object(depth - 1)
  }
  const list = (length: number, make: () => string) =>
    Array.from({ length }, () => `${space()}${make()}${space()}`).join(odd() && odd() ? random.pick([';', ',,', '']) : ',')
  const object = (depth: number) => {
    const keys = [...KEYS.slice(0, 13)].sort(() => random.fraction() - 0.5).slice(0, random.below(4))
    if (random.below(3) === 0) keys.push(some(KEYS, 1))
    return `{${list(keys.length, () => `${keys.pop()}${space()}:${space()}${value(depth)}`)}}`
  }
  return `${space()}${object(depth)}${space()}`
}

test('30,000 random texts are read as the slow reader reads them', (t) => {
  t.diagnostic(`seed ${SEED}`)
  const random = new Random(SEED)
  const counts = { refused: 0, read: 0, withBody: 0 }
  for (let number = 0; number < 30_000; number++) {
    let text = randomText(random, 4, number % 3 === 0 ? 0 : 2)
    if (number % 5 === 0) {
      const at = random.below(text.length + 1)
      const piece = random.pick(['', '', '"', '\\', '{', '}', '[', ']', ':', ',', 'body', '"body":', ' ', '\u0000', 'é'])
      text = text.slice(0, at) + piece + text.slice(at + random.below(3))
    }
    const found = read(text)
    if (!found) counts.refused++
    else if (found.bodyText === undefined) counts.read++
    else {
      counts.withBody++
      assert.deepEqual(JSON.parse(found.bodyText), found.root['body'])
    }
  }
  t.diagnostic(JSON.stringify(counts))
  assert.ok(Math.min(...Object.values(counts)) > 1_000, 'the texts must be of every kind')
})

test('random bytes, and requests with random bytes in them, are read alike', () => {
  const random = new Random(SEED)
  const good = Buffer.from('{"head":{"a":"é₹😀"},"body":{"b":["\\u00e9",{"c":"\\\\"}]}}')
  for (let number = 0; number < 20_000; number++) {
    const bytes = number % 4 === 0 ? Buffer.from(Array.from({ length: random.below(40) }, () => random.below(256))) : Buffer.from(good)
    for (let times = number % 4; times > 0; times--) bytes[random.below(bytes.length)] = random.below(256)
    read(bytes)
  }
})

test('a request that is cut off at any byte is refused', () => {
  const whole = Buffer.from(' {"head":{"signature":"a\\"b"},"body":{"n":"₹é😀","list":[1,{"x":null}],"e":"\\u0041\\\\"},"tail":1.5e3} ')
  assert.ok(read(whole))
  assert.ok(read(whole.subarray(0, -1)))
  for (let length = 0; length < whole.length - 1; length++) assert.equal(read(whole.subarray(0, length)), undefined, `cut at ${length}`)
  for (let from = 2; from < whole.length; from++) assert.equal(read(whole.subarray(from)), undefined, `begun at ${from}`)
})

test('the text of body is exactly what was sent, wherever it stands and however its name is spelled', () => {
  const bodies = [
    '{}',
    '{ "a" : 1 }',
    '{"a":"}"}',
    '{"body":{"body":1}}',
    '{"a":[{"body":{}}]}',
    '{"a":"\\"body\\":{}"}',
    '{"₹":"é"}',
    '[]',
    '"body"',
    '1.50',
    'null',
    '{\n\t"a":\r\n"b"\n}',
  ]
  const shapes = [
    (body: string) => `{"head":{},"body":${body}}`,
    (body: string) => `{"body":${body},"head":{}}`,
    (body: string) => `{"body":${body}}`,
    (body: string) => ` {"x":"body" , "body" \n:\t ${body} \r\n, "head" : { "body" : {} } } `,
    (body: string) => `{"head":{"body":{"not":"me"}},"bo\\u0064y":${body},"z":["body",":"]}`,
    (body: string) => `{"\\u0062\\u006F\\u0064\\u0079":${body},"Body":{},"bodyy":2,"bod":"body"}`,
    (body: string) => `{"a":"\\\\","body":${body},"b":"\\\\\\""}`,
  ]
  for (const body of bodies) for (const shape of shapes) assert.equal(read(shape(body))?.bodyText, body, shape(body))
  assert.equal(read('{"head":{"body":{}}}')?.bodyText, undefined)
  assert.equal(read('{"head":{},"Body":{}}')?.bodyText, undefined)
})

test('a key given twice is refused at every depth and in every spelling', () => {
  for (const text of [
    '{"body":{},"body":{}}',
    '{"body":{},"bo\\u0064y":{}}',
    '{"body":{"a":1,"a":1}}',
    '{"body":{"a":[{"b":1,"\\u0062":2}]}}',
    '{"a":1,"a":1,"b":{}}',
    '{"":1,"":2}',
    '{"1":1,"1":2}',
  ])
    assert.equal(read(text), undefined, text)
  assert.ok(read('{"a":{"a":{"a":[{"a":1},{"a":1}]}},"b":{"a":1}}'))
})

test('a key with a backslash is refused, so that none can lend its name to another (nodejs/node#63785)', () => {
  // This is JSON.parse itself. Once it has seen a key with a backslash, a later key with an escape takes that key's name.
  for (let times = 0; times < 3; times++) assert.equal(read('{"x1":0,"body":{"a":1},"bo\\\\u":1}'), undefined)
  assert.equal(read('{"x1":0,"body":{"forged":1},"bo\\u0064y":{"signed":1}}'), undefined)
  assert.equal(read('{"x1":0,"head":{},"bo\\u0064y":{"signed":1}}')?.bodyText, '{"signed":1}')
  // Also when other code in this process has made it see one.
  for (let times = 0; times < 3; times++) JSON.parse('{"x2":0,"body":{"a":1},"bo\\\\u":1}')
  assert.equal(readRequest(Buffer.from('{"x2":0,"body":{"forged":1},"bo\\u0064y":{"signed":1}}')), undefined)
  for (const text of ['{"\\\\":1}', '{"body":{"a\\\\b":1}}', '{"body":{"\\u005c":1}}', '{"body":[{"\\\\":{}}]} x'])
    assert.equal(read(text), undefined, text)
  for (const text of ['{"\\"":1}', '{"body":{"\\n":1,"\\u0041":"\\\\","\\/":2}}']) assert.ok(read(text), text)
})

test('text that may not be kept is refused: U+0000, half a surrogate pair, __proto__, bytes that are not UTF-8', () => {
  const around = (text: string) => [`{"body":{"a":${text}}}`, `{"body":{${text}:1}}`, `{"body":[[${text}]]}`]
  for (const text of [
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udfff"',
    '"\\ude00\\ud83d"',
    '"\\ud83d\\u0041"',
    '"\u0000"',
    '"\u0001"',
    '"\n"',
  ])
    for (const request of around(text)) assert.equal(read(request), undefined, request)
  for (const text of ['{"__proto__":1}', '{"body":{"__proto__":{"admin":true}}}', '{"body":{"\\u005f\\u005fproto__":null}}'])
    assert.equal(read(text), undefined, text)
  for (const bytes of [
    [0x80],
    [0xc3],
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xff],
    [0xe2, 0x82],
    [0xf0, 0x9f, 0x98],
  ])
    assert.equal(read(Buffer.concat([Buffer.from('{"body":{"a":"'), Buffer.from(bytes), Buffer.from('"}}')])), undefined)
  for (const text of ['"\\ud83d\\ude00"', '"😀"', '"\\u0001"', '"\\\\u0000"', '"__proto__"', '"\ufffd"'])
    assert.ok(read(`{"body":{"a":${text}}}`), text)
  assert.equal(({} as Record<string, unknown>)['admin'], undefined)
})

test('only one object is a request', () => {
  for (const text of [
    '',
    ' ',
    '[]',
    '[{"body":{}}]',
    '"body"',
    '1',
    'null',
    'true',
    '{}{}',
    '{} x',
    '{"body":{}},',
    '\ufeff{"body":{}}',
    '{"body":{}}\u0000',
    '{"body"}',
    '{"body":}',
    '{"body":{},}',
    '{,"body":{}}',
    "{'body':{}}",
    '{body:{}}',
    '{"body":{}//\n}',
    '{"a":"body":{}}',
    '{"body":{}}}',
    '{{"body":{}}',
  ])
    assert.equal(read(text), undefined, text)
  assert.deepEqual(read('{}'), { root: {}, bodyText: undefined })
  for (const encoding of ['utf16le', 'latin1'] as const) assert.equal(read(Buffer.from('{"body":{"a":"é"}}', encoding)), undefined)
})

test('depth and members are held to their limits, and not to less', () => {
  const nested = (depth: number, open: string, close: string) => `{"body":${open.repeat(depth - 1)}1${close.repeat(depth - 1)}}`
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ] as const) {
    const each = open.startsWith('[{') ? 2 : 1
    assert.ok(read(nested((DEPTH_MAX - 1) / each + 1, open, close)))
    assert.equal(read(nested(DEPTH_MAX / each + 2, open, close)), undefined)
  }
  const members = (count: number) => `{"body":{${Array.from({ length: count - 1 }, (_, at) => `"m${at}":${at}`).join(',')}}}`
  assert.ok(read(members(MEMBERS_MAX)))
  assert.equal(read(members(MEMBERS_MAX + 1)), undefined)
  const list = (length: number) => `{"body":[${Array(length).fill('":"').join(',')}]}` // colons in strings are no members
  assert.ok(read(list(SEPARATORS_MAX + 1)))
  assert.equal(read(list(SEPARATORS_MAX + 2)), undefined)
})

test('a request made to be slow is refused soon', () => {
  const hostile: [string, string][] = [
    ['10,000 deep arrays', `{"body":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['10,000 deep objects', `{"body":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
    ['a million open brackets', '['.repeat(1_000_000)],
    ['1 MB of members', `{"body":{${Array.from({ length: 100_000 }, (_, at) => `"${at}":1`).join(',')}}}`],
    ['1 MB of one key', `{"body":{${Array(150_000).fill('"a":1').join(',')}}}`],
    ['1 MB of colons', `{${':'.repeat(1_000_000)}}`],
    ['a long key with an escape and many colons', `{"${'a'.repeat(1_000_000)}\\n"${':'.repeat(900)}1}`],
    ['1 MB of an open string', `{"body":"${'a'.repeat(1_000_000)}`],
    ['1 MB of an open string of backslashes', `{"body":"${'\\'.repeat(1_000_000)}`],
    ['1 MB of escaped quotes without an end', `{"body":"${'\\"'.repeat(500_000)}`],
    ['1 MB of half a surrogate pair', `{"body":"${'\\ud800'.repeat(180_000)}"}`],
  ]
  for (const [what, text] of hostile) {
    const bytes = Buffer.from(text)
    const started = process.cpuUsage()
    assert.equal(readRequest(bytes), undefined, what)
    const { user, system } = process.cpuUsage(started)
    assert.ok(user + system < 250_000, `${what} took ${(user + system) / 1_000} ms`)
  }
  for (const text of [`{"body":"${'\\\\'.repeat(500_000)}"}`, `{"body":"${'\\"'.repeat(500_000)}"}`, `{"body":${' '.repeat(1_000_000)}{}}`])
    assert.ok(readRequest(Buffer.from(text)))
  assert.equal(BODY_BYTES_MAX, 65_536) // the server refuses more before it reads it
})

test('bytes that lie in the middle of a larger buffer are read as those bytes', () => {
  const larger = Buffer.from('xxxx{"body":{"a":1}}yyyy')
  assert.equal(readRequest(larger.subarray(4, -4))?.bodyText, '{"a":1}')
  assert.equal(readRequest(new Uint8Array(larger.buffer, larger.byteOffset + 4, larger.length - 8))?.bodyText, '{"a":1}')
})

test('a reply is compact, head first, body last, and holds the very text that was signed', () => {
  const bodyText = '{"resultInfo":{"resultMsg":"₹ é"}}'
  const text = writeEnvelope({ version: 'v1', signature: 'S' }, bodyText)
  assert.equal(text, '{"head":{"version":"v1","signature":"S"},"body":{"resultInfo":{"resultMsg":"₹ é"}}}')
  assert.equal(read(text)?.bodyText, bodyText)
})
