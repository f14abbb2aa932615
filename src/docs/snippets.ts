// A sample request as code: curl with `mohur sign`, Node, Python and PHP, each with the whole signing function. `npm run prove` runs each.

import type { Known, Sample } from '../api/kit/sample.ts'
import { type OperationName, operations } from '../api/operations.ts'
import { filled } from './sample-requests.ts'

export const languages = ['curl', 'Node', 'Python', 'PHP'] as const
export type SnippetLanguage = (typeof languages)[number]

export interface SnippetParts {
  url: string
  mid: string
  key: string
  known: Known
}

interface Request {
  method: string
  path: string
  headers: readonly (readonly [string, string])[]
  head: Sample['head']
  /** Undefined when there is no body. */
  text: string | undefined
  isSigned: boolean
}

export function snippet(operation: OperationName, language: SnippetLanguage, parts: SnippetParts): string {
  const request = requestOf(operation, parts.known)
  return writers[language](request, parts)
}

export function samplePath(operation: OperationName, { query }: Sample, known: Known): string {
  const asked = new URLSearchParams(JSON.parse(filled(JSON.stringify(query ?? {}), known)) as Record<string, string>).toString()
  return `${operations[operation].paths[0]}${asked === '' ? '' : `?${asked}`}`
}

function requestOf(operation: OperationName, known: Known): Request {
  const sample = operations[operation].sample
  const headers = Object.entries(JSON.parse(filled(JSON.stringify(sample.headers ?? {}), known)) as Record<string, string>)
  const head = sample.head && (JSON.parse(filled(JSON.stringify(sample.head), known)) as Record<string, string>)
  const text = sample.body && filled(JSON.stringify(sample.body), known)
  return {
    method: operations[operation].method,
    path: samplePath(operation, sample, known),
    headers: text === undefined ? headers : [['content-type', 'application/json'], ...headers],
    head,
    text,
    isSigned: JSON.stringify([head ?? {}, headers]).includes('{signature}'),
  }
}

const SIGNATURE = '{signature}'

const writers: Readonly<Record<SnippetLanguage, (request: Request, parts: SnippetParts) => string>> = {
  curl,
  Node: node,
  Python: python,
  PHP: php,
}

// ------------------------------------------------------------------------------------------------------------- curl

const inSingle = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function curl({ method, path, headers, head, text, isSigned }: Request, { url, key }: SnippetParts): string {
  const lines: string[] = []
  if (text !== undefined) lines.push(`BODY=${inSingle(text)}`)
  if (isSigned) lines.push(`SIGNATURE=$(npx mohur sign --key ${inSingle(key)} "$BODY")`)
  const options = [
    ...(method === 'POST' ? [] : [`-X ${method}`]),
    ...headers.map(([name, value]) => (value === SIGNATURE ? `-H "${name}: $SIGNATURE"` : `-H ${inSingle(`${name}: ${value}`)}`)),
  ]
  if (text !== undefined) {
    const around = head && inSingle(`{"head":${JSON.stringify(head)},"body":`).replace(SIGNATURE, `'"$SIGNATURE"'`)
    options.push(`--data-binary ${around ? `${around}"$BODY"'}'` : '"$BODY"'}`)
  }
  return [...lines, `curl -sS ${inSingle(url + path)}${options.map((option) => ` \\\n  ${option}`).join('')}`].join('\n')
}

// ------------------------------------------------------------------------------------------------------------- Node

const NODE_SIGN = (key: string) => `import { createCipheriv, createHash, randomBytes } from 'node:crypto'

function sign(text) {
  const key = ${JSON.stringify(key)}
  const salt = randomBytes(3).toString('base64')
  const hash = createHash('sha256').update(text + '|' + salt).digest('hex')
  const cipher = createCipheriv('aes-' + Buffer.byteLength(key) * 8 + '-cbc', key, '@@@@&&&&####$$$$')
  return cipher.update(hash + salt, 'utf8', 'base64') + cipher.final('base64')
}

`

function node({ method, path, headers, head, text, isSigned }: Request, { url, key }: SnippetParts): string {
  const named = headers.map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${value === SIGNATURE ? 'sign(text)' : JSON.stringify(value)},\n`,
  )
  const parts = head && JSON.stringify(head).replace(JSON.stringify(SIGNATURE), `\${JSON.stringify(sign(text))}`)
  const body = text === undefined ? '' : `  body: ${parts ? `\`{"head":${parts},"body":\${text}}\`` : 'text'},\n`
  return `${isSigned ? NODE_SIGN(key) : ''}${text === undefined ? '' : `const text = ${inJs(text)} // the very text that is signed is sent\n`}const response = await fetch(${JSON.stringify(url + path)}, {
  method: ${JSON.stringify(method)},
  headers: {
${named.join('')}  },
${body}})
console.log(await response.text())`
}
const inJs = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

// ----------------------------------------------------------------------------------------------------------- Python

const PYTHON_SIGN = (key: string) => `import base64, hashlib, json, secrets
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7


def sign(text):
    key, salt = ${JSON.stringify(key)}, base64.b64encode(secrets.token_bytes(3)).decode()
    plain = hashlib.sha256(f"{text}|{salt}".encode()).hexdigest() + salt
    padder = PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(key.encode()), modes.CBC(b"@@@@&&&&####$$$$")).encryptor()
    padded = padder.update(plain.encode()) + padder.finalize()
    return base64.b64encode(encryptor.update(padded) + encryptor.finalize()).decode()


`

function python({ method, path, headers, head, text, isSigned }: Request, { url, key }: SnippetParts): string {
  const named = headers.map(([name, value]) => `${JSON.stringify(name)}: ${value === SIGNATURE ? 'sign(text)' : JSON.stringify(value)}`)
  const parts = head && JSON.stringify(head).replace(JSON.stringify(SIGNATURE), `' + json.dumps(sign(text)) + '`)
  const data =
    text === undefined ? '' : parts ? `    data=('{"head":${parts},"body":' + text + '}').encode(),\n` : '    data=text.encode(),\n'
  return `import urllib.request
${isSigned ? PYTHON_SIGN(key) : '\n'}${text === undefined ? '' : `text = ${inJs(text)}  # the very text that is signed is sent\n`}request = urllib.request.Request(
    ${JSON.stringify(url + path)},
    method=${JSON.stringify(method)},
    headers={${named.join(', ')}},
${data})
print(urllib.request.urlopen(request).read().decode())`
}

// -------------------------------------------------------------------------------------------------------------- PHP

const PHP_SIGN = (key: string) => `function sign(string $text): string {
  $salt = base64_encode(random_bytes(3));
  return openssl_encrypt(hash('sha256', "$text|$salt") . $salt, 'AES-128-CBC', ${inPhp(key)}, 0, '@@@@&&&&####$$$$');
}

`
const inPhp = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function php({ method, path, headers, head, text, isSigned }: Request, { url, key }: SnippetParts): string {
  const named = headers.map(([name, value]) => (value === SIGNATURE ? `'${name}: ' . sign($text)` : inPhp(`${name}: ${value}`)))
  const parts = head && JSON.stringify(head).replace(JSON.stringify(SIGNATURE), `' . json_encode(sign($text)) . '`)
  const content = text === undefined ? '' : `  'content' => ${parts ? `'{"head":${parts},"body":' . $text . '}'` : '$text'},\n`
  return `<?php
${isSigned ? PHP_SIGN(key) : ''}${text === undefined ? '' : `$text = ${inPhp(text)}; // the very text that is signed is sent\n`}echo file_get_contents(${inPhp(url + path)}, false, stream_context_create(['http' => [
  'method' => ${inPhp(method)},
  'header' => [${named.join(', ')}],
${content}  'ignore_errors' => true,
]]));`
}
