// The linter of English finds every kind of fault, and passes other texts.

import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Exception, findingsIn, judged, readExceptions, sentencesOf } from './prose.ts'
import { allTexts, TEXTS_FILE } from './write-texts.ts'

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ')
const found = (file: string, source: string) => findingsIn(file, source).map(({ line, problem }) => `${line}: ${problem}`)

const FOUND: readonly [what: string, file: string, source: string, ...problems: string[]][] = [
  ['a long sentence', 'a.md', `Short one.\n\n${words(26)}.`, '3: a sentence of 26 words'],
  ['a long sentence behind a short one', 'a.md', `Short one.\n${words(25)}\nword.`, '2: a sentence of 26 words'],
  ['one that a semicolon cuts', 'a.md', `${words(13)}; ${words(13)}.`, '1: a sentence of 26 words'],
  ['one in an item', 'a.md', `- one\n- two\n  - ${words(26)}`, '3: a sentence of 26 words'],
  ['one in a heading', 'a.md', `# ${words(26)}`, '1: a sentence of 26 words'],
  ['one in bold and in a link', 'a.md', `**${words(13)}** [${words(13)}](https://a.example)`, '1: a sentence of 26 words'],
  [
    'a long cell of short sentences',
    'a.md',
    `| a | b |\n|---|---|\n| c | d |\n| ${words(16)}. ${words(15)}. | e |`,
    '4: a cell of 31 words',
  ],
  ['whoever', 'a.md', 'It stops whoever pays.', '1: the word "whoever"'],
  ['told', 'a.md', 'The payer is told.', '1: the word "told"'],
  ['he, him, his', 'a.md', 'There he goes with his friend, and we see him.', '1: the word "he"', '1: the word "his"', '1: the word "him"'],
  ['of which, of whom', 'a.md', 'Two, one of\nwhich is new. Two, one of whom is new.', '1: the word "of which"', '2: the word "of whom"'],
  ['such a one', 'a.md', 'It needs such a one.', '1: the word "such a one"'],
  ['likewise', 'a.md', 'Likewise here.', '1: the word "Likewise"'],
  ['how-manieth', 'a.md', 'The how-manieth it is.', '1: the word "how-manieth"'],
  ['begins with Of', 'a.md', 'First.\nOf two, one.', '2: begins with "Of"'],
  ['begins with Who', 'a.md', '| a |\n|---|\n| Who pays, wins. |', '3: begins with "Who"'],
  ['begins with Whoever', 'a.md', 'Whoever pays, wins.', '1: the word "Whoever"', '1: begins with "Whoever"'],
  ['begins with Which', 'a.md', 'Which is why it ends here.', '1: begins with "Which"'],
  ['a comment', 'src/a.ts', `const a = 1 // ${words(26)}`, '1: a sentence of 26 words'],
  ['a comment of several lines', 'src/a.ts', `\n  // ${words(13)}\n  // ${words(13)}`, '2: a sentence of 26 words'],
  ['a comment on a function', 'src/a.ts', `/**\n * Short.\n * ${words(26)}.\n */\nexport const a = 1`, '3: a sentence of 26 words'],
  ['a sentence that begins with a small letter', 'src/a.ts', `// Short. npm ${words(25)}`, '1: a sentence of 26 words'],
  ['a message', 'src/pages/kit/messages/en.ts', `const en = {\n  a: () => \`You were told \${a}\`,\n}`, '2: the word "told"'],
  ['a text of a page', 'src/console/screens/a.ts', 'const a = html`<h2>Paid</h2>\n<p>The <b>payer</b> is told.</p>`', '1: the word "told"'],
  ['a refusal of a command', 'src/cli/a.ts', `throw new SettingError('--mid is ${words(24)}')`, '1: a sentence of 26 words'],
  ['another message', 'src/pages/kit/messages/steps-en.ts', "const a = 'Whoever'", '1: the word "Whoever"', '1: begins with "Whoever"'],
]

for (const [what, file, source, ...problems] of FOUND) {
  test(`found: ${what}`, () => assert.deepEqual(found(file, source), problems))
}

const NOT_FOUND: readonly [what: string, file: string, source: string][] = [
  ['a sentence of 25 words', 'a.md', `${words(25)}.`],
  ['two sentences of 15 words', 'a.md', `${words(15)}. ${words(15)}? ${words(15)}!`],
  ['sentences that end in brackets and quotations', 'a.md', `(${words(15)}.) ${words(14)} "so." ${words(15)}.`],
  ['sentences after code', 'a.md', `${words(15)} \`a\`. \`b\` ${words(15)}.`],
  ['a cell of 30 words', 'a.md', `| a |\n|---|\n| ${words(15)}. ${words(15)}. |`],
  ['two cells of a row', 'a.md', `| a | b |\n|---|---|\n| ${words(20)} | ${words(20)} |`],
  ['items of a list', 'a.md', `- ${words(20)}\n- ${words(20)}\n\n1. ${words(20)}\n2. ${words(20)}`],
  ['code', 'a.md', `A \`${words(30)}. Whoever told\` b.`],
  ['a block of code', 'a.md', `\`\`\`\nWhoever told ${words(30)}\n\`\`\`\n\n    Of ${words(30)}`],
  ['a quotation', 'a.md', `It says "whoever is told ${words(30)}" and “Of ${words(30)}”.`],
  ['a block quote', 'a.md', `> Whoever is told ${words(30)}`],
  ['the target of a link', 'a.md', '[a page](told/he/likewise.md)'],
  ['a comment of HTML', 'a.md', '<!-- whoever is told -->\n\nText.'],
  ['a question', 'a.md', 'Who pays? Of what kind is it? Which bank is it?'],
  ['words that hold such words', 'a.md', 'The histogram retold HE_01, and the word of whichever. What is owed?'],
  ['code of a program', 'src/a.ts', `const told = 'whoever ${words(30)}'`],
  ['an address in a text', 'src/a.ts', `const told = 'https://whoever is told ${words(30)}' + \`// told\``],
  ['code in a comment', 'src/a.ts', `// \`told\` is "told".\n//\n//     npm run told ${words(30)}`],
  ['comments apart from each other', 'src/a.ts', `// ${words(20)}\n\n// ${words(20)}\nconst a = 1 // ${words(20)}\n// ${words(20)}`],
  ['paragraphs and items of a comment', 'src/a.ts', `/**\n * ${words(20)}\n *\n * ${words(20)}\n * - ${words(20)}\n * - ${words(20)}\n */`],
  ['a text that is not of a catalogue', 'src/pages/kit/messages/hi.ts', "const a = 'told'"],
  [
    'elements of a page beside each other',
    'src/docs/a.ts',
    `const a = html\`<h2>${words(20)}</h2><p title="${words(20)}">${words(20)}</p>\``,
  ],
  ['code in a page', 'src/sandbox/a.ts', `const a = html\`<p>Run <code>told ${words(30)}</code></p>\``],
  ['a name in dots', 'src/main.ts', "const a = 'bank.told'"],
  ['a sample of code', 'src/docs/snippets.ts', `const a = '${words(30)}'`],
  [
    'the names in a catalogue',
    'src/pages/kit/messages/en.ts',
    "import { a } from './told.ts'\nexport const en = { told: 'Paid', 'he': a }",
  ],
]

for (const [what, file, source] of NOT_FOUND) {
  test(`not found: ${what}`, () => assert.deepEqual(found(file, source), []))
}

test('a number with a point, a path and a short form end no sentence', () => {
  const text = 'Section 4.5 of docs/interface.md allows a unit, e.g. rupees (cf. paise). npm reads it. "Is it?" It is. `A.` B'
  assert.deepEqual(
    sentencesOf({ line: 1, text }).map(({ text }) => text),
    ['Section 4.5 of docs/interface.md allows a unit, e.g. rupees (cf. paise).', 'npm reads it.', '"Is it?"', 'It is.', '`A.` B'],
  )
})

test('an exception excuses the sentence that it begins, and nothing else', () => {
  const exceptions = readExceptions('# a comment\na.md | The payer | a term of the law\n')
  const findings = new Map(['a.md', 'b.md'].map((file) => [file, findingsIn(file, 'The payer is told. The bank is told.')]))
  const { left, wrong } = judged(findings, exceptions)
  assert.deepEqual(
    [...left].map(([file, found]) => [file, found.map(({ sentence }) => sentence)]),
    [
      ['a.md', ['The bank is told.']],
      ['b.md', ['The payer is told.', 'The bank is told.']],
    ],
  )
  assert.deepEqual(wrong, [])
})

test('an exception without a reason, one that excuses nothing, and the forty-first are errors', () => {
  const findings = new Map([['a.md', findingsIn('a.md', 'The payer is told.')]])
  const wrong = (exceptions: readonly Exception[]) => judged(findings, exceptions).wrong
  const good = { file: 'a.md', start: 'The payer', reason: 'a term' }
  assert.match(wrong([{ ...good, reason: '' }]).join(), /needs a sentence's start and a reason/)
  assert.match(wrong([{ ...good, start: '' }]).join(), /needs a sentence's start and a reason/)
  assert.match(wrong([good, { ...good, start: 'The bank' }]).join(), /nothing in a.md needs "The bank" any more/)
  assert.match(wrong([{ ...good, file: 'b.md' }]).join(), /nothing in b.md needs/)
  assert.deepEqual(wrong(Array(40).fill(good)), [])
  assert.match(wrong(Array(41).fill(good)).join(), /41 lines; at most 40/)
})

const folder = mkdtempSync(join(tmpdir(), 'mohur-prose-'))
after(() => rmSync(folder, { recursive: true }))
const linterIn = (cwd: string, ...args: string[]) =>
  new Promise<{ code: unknown; printed: string }>((done) => {
    execFile(process.execPath, [join(import.meta.dirname, 'prose.ts'), ...args], { cwd }, (error, printed) =>
      done({ code: error?.code ?? 0, printed }),
    )
  })

test('the command prints the findings of a file with their lines and fails, and passes a file without any', async () => {
  const [bad, good] = ['bad.md', 'good.md'].map((name) => join(folder, name)) as [string, string]
  writeFileSync(bad, `# Title\n\nThe payer is told.\n\n| a |\n|---|\n| ${words(31)} |\n`)
  writeFileSync(good, '# Title\n\nThe service notifies the payer.\n')
  const { code, printed } = await linterIn(folder, bad, good)
  assert.equal(code, 1)
  assert.deepEqual(
    printed
      .trimEnd()
      .split('\n')
      .map((line) => line.split(':').slice(1, 3).join(':')),
    ['3: the word "told"', '7: a sentence of 31 words', '7: a cell of 31 words'],
  )
  assert.deepEqual(await linterIn(folder, good), { code: 0, printed: '' })
  assert.equal(
    (await linterIn(folder, '--figures', bad)).printed,
    `${bad}: 37 words, 4 sentences, median 1, 95th percentile 31, 1 cells above 30 words\n`,
  )
})

test('the command says in a sentence that a file is not there, and fails', async () => {
  const absent = join(folder, 'absent.md')
  const said = { code: 1, printed: `prose: there is no file ${absent}\n` }
  assert.deepEqual(await linterIn(folder, absent), said)
  assert.deepEqual(await linterIn(folder, '--figures', absent), said)
})

test('without a file the command takes every document and program of the folder, and fails when there is a finding', async () => {
  const checkout = join(folder, 'checkout')
  mkdirSync(join(checkout, 'src'), { recursive: true })
  execFileSync('git', ['init', '--quiet', checkout])
  for (const [name, text] of Object.entries({
    'good.md': 'The bank pays.',
    'bad.md': 'The payer is told.',
    'src/bad.ts': '// Whoever pays.\n// Likewise.',
    'src/told.txt': 'told',
    'ignored.md': 'told',
    '.gitignore': 'ignored.md',
  }))
    writeFileSync(join(checkout, name), text)
  const { code, printed } = await linterIn(checkout)
  assert.equal(code, 1)
  const placesIn = (text: string) => text.match(/^[\w/]+\.\w+(?=:\d+: )/gm)
  assert.deepEqual(placesIn(printed), ['bad.md', 'src/bad.ts', 'src/bad.ts', 'src/bad.ts'])
  assert.match(printed, /^prose: 3 files, 4 findings, /m)
  // The second run takes the findings of an unchanged file from the first, and reads a changed one anew.
  writeFileSync(join(checkout, 'bad.md'), 'The service notifies the payer.')
  writeFileSync(join(checkout, 'good.md'), 'The bank pays likewise.')
  assert.deepEqual(placesIn((await linterIn(checkout)).printed), ['good.md', 'src/bad.ts', 'src/bad.ts', 'src/bad.ts'])
})

test('the file of all texts of pages is as the pages are: it is written by test/house/prose/write-texts.ts', async () => {
  assert.equal(readFileSync(TEXTS_FILE, 'utf8'), await allTexts())
})
