// `npm run pack [-- FOLDER]`: writes the npm package into dist/, one bundle with its packages (docs/decisions/0016). `npm pack ./dist` makes the
// tarball.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What the package takes unchanged. `own` of src/own.ts finds the files that code reads. */
const COPIED = [
  ...['LICENSE', 'NOTICE', 'README.md', 'examples/README.md'],
  ...['docs/*.md', 'docs/operating/*.md', 'docs/decisions/*.md', 'docs/openapi.json', 'docs/examples/*.json', 'docs/pictures/*'],
  ...['src/**/*.css', 'src/browser/*.js', 'src/adapters/reference/sample/*.json'],
  ...['bin/{compile-cache,installed-node,mohur,run}.mjs', 'testing/*.mjs', 'testing/*.d.mts'],
]
const SOURCES = [...COPIED, 'src/**/*.ts', 'bin/pack.mjs', 'package.json', 'package-lock.json']

const read = (path) => readFileSync(join(root, path), 'utf8')
const filesOf = (patterns) => [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root })))].sort()

/** The digest of everything that a package is made of. dist/package.json has it, so an older dist/ is recognised. */
export function digestOfSources() {
  const hash = createHash('sha256')
  for (const file of filesOf(SOURCES)) hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

/** Why a package cannot stand for this checkout. Undefined when it can. */
export function staleness(dist = join(root, 'dist')) {
  let packed
  try {
    packed = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'))
  } catch {
    return `there is no package in ${dist}: run \`npm run pack\``
  }
  if (packed.sources === digestOfSources()) return undefined
  return `${dist} is not of these sources: it was packed at commit ${packed.gitHead ?? 'unknown'}. Run \`npm run pack\``
}

async function pack(dist) {
  if (existsSync(dist) && !existsSync(join(dist, 'THIRD-PARTY.txt'))) throw new Error(`${dist} is there, and no package: it is not replaced`)
  rmSync(dist, { recursive: true, force: true })
  for (const file of filesOf(COPIED)) {
    mkdirSync(dirname(join(dist, file)), { recursive: true })
    cpSync(join(root, file), join(dist, file))
  }
  changed(join(dist, 'bin/mohur.mjs'), '../src/cli/mohur.ts', '../lib/mohur.cjs')
  const { build } = await import('esbuild') // tests read this file, and pack nothing
  const inputs = await bundle(build, dist)
  await commonJs(build, dist)
  writeFileSync(join(dist, 'THIRD-PARTY.txt'), licencesOf(packagesIn(inputs)))
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest(), undefined, 2)}\n`)
}

function changed(file, from, to) {
  const text = readFileSync(file, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} does not have ${from} once`)
  writeFileSync(file, text.replace(from, to))
}

/** CommonJS has no `import.meta`. */
const OWN_URL = {
  define: { 'import.meta.url': 'ownUrl' },
  banner: { js: "const ownUrl = require('node:url').pathToFileURL(__filename).href" },
}

/** Returns the paths of everything that was bundled. */
async function bundle(build, dist) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { mohur: 'src/cli/mohur.ts', 'aside-worker': 'src/adapters/store/aside/aside-worker.ts' },
    outdir: join(dist, 'lib'), // one folder below the root, as src/own.ts wants it
    // One file, which bin/compile-cache.mjs keeps compiled. `import` of node:http would load `fetch`; `require` loads it when it is used.
    ...{ bundle: true, format: 'cjs', platform: 'node', target: 'node26', outExtension: { '.js': '.cjs' } },
    ...{ sourcemap: true, sourcesContent: false, legalComments: 'none', metafile: true, logLevel: 'warning' },
    external: ['pg-native'], // pg asks for it and does without
    ...OWN_URL,
  })
  return Object.keys(metafile.inputs)
}

/** `require` of a module works from Node 22 on, and Jest's does not know it. */
async function commonJs(build, dist) {
  await build({
    absWorkingDir: root,
    entryPoints: ['testing/testing.mjs'],
    outfile: join(dist, 'testing/testing.cjs'),
    ...{ bundle: true, format: 'cjs', platform: 'node', target: 'node18', logLevel: 'warning' },
    ...OWN_URL,
  })
  cpSync(join(dist, 'testing/testing.d.mts'), join(dist, 'testing/testing.d.cts'))
}

function packagesIn(inputs) {
  const folders = inputs.map((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
  return [...new Set(folders.filter(Boolean))].sort()
}

/** A licence without a text in its package has the name that the package gives. */
function licencesOf(folders) {
  const parts = folders.map((folder) => {
    const { name, version, license, author } = JSON.parse(read(join(folder, 'package.json')))
    const texts = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|copying|notice)\b/i.test(file))
    const by = typeof author === 'string' ? author : author?.name
    if (!license) throw new Error(`${name} names no licence`)
    const licences = texts.map((file) => read(join(folder, file)).trim())
    return [`${name} ${version}: ${license}`, ...(licences.length > 0 ? licences : [`Its author: ${by ?? 'not named'}. The package has no text of its licence.`])].join('\n\n')
  })
  return `The code of Mohur in lib/ contains these packages.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

function manifest() {
  const { name, version, description, license, author, type, engines, bin, optionalDependencies } = JSON.parse(read('package.json'))
  const testing = (kind) => ({ types: `./testing/testing.d.${kind}ts`, default: `./testing/testing.${kind}js` })
  return {
    ...{ name, version, description, license, author, type, engines, bin },
    exports: { './testing': { import: testing('m'), require: testing('c') }, './package.json': './package.json' },
    files: ['**/*'],
    optionalDependencies,
    gitHead: commit(),
    sources: digestOfSources(),
  }
}

/** Undefined in a checkout without git. */
function commit() {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const began = performance.now()
  const folder = process.argv[2] ?? './dist'
  await pack(resolve(root, folder))
  console.log(`${folder} is packed in ${((performance.now() - began) / 1_000).toFixed(1)} s. \`npm pack ${folder}\` makes the tarball.`)
}
