// `/docs/checksum`, only in the sandbox: the checksum doctor as a form (docs/checksum.md). The page stores nothing of the typed texts.

import { signedLists } from '../api/operations.ts'
import { ENDED_EARLY } from '../interface/doctor/causes.ts'
import { type Complaint, type Diagnosis, diagnose } from '../interface/doctor/diagnose.ts'
import { readMaterial } from '../interface/doctor/material.ts'
import { type Html, html } from '../pages/html.ts'
import type { Form } from '../pages/kit/forms.ts'
import { notice } from '../pages/kit/layout.ts'
import { DOCS, type DocsPage } from './sheet.ts'

export const CHECKSUM = `${DOCS}/checksum`

export type Searching = Pick<Complaint, 'otherKeys' | 'textsMax' | 'isTimeUp'>

/** The page never shows the key again. */
export function checksumPage(form?: Form, searching?: Searching): DocsPage {
  const { sent = '', key = '', signature = '' } = form ?? {}
  const says =
    form &&
    searching &&
    found(
      diagnose(materialOf(sent), {
        ...searching,
        keys: [key],
        signed: signedLists.values(),
        signature: signature === '' ? undefined : signature,
      }),
    )
  const body = html`<p>Two things go wrong: another key was used, or another text was signed. The doctor finds which. It stores nothing. For a production key, use <code>mohur checksum doctor</code> on your own machine (<a href="${DOCS}/guide/checksum">more</a>).</p>
${says}<form method="post" action="${CHECKSUM}" class="stack" autocomplete="off">
<div class="field"><label for="sent">Text that was sent or received</label><textarea id="sent" name="sent" rows="10" spellcheck="false" required aria-describedby="sent-hint">${sent}</textarea><p class="hint" id="sent-hint">An envelope with head and body, the text of a body, a form, JsonData=…, a callback or a notification.</p></div>
<div class="field"><label for="key">Key</label><input id="key" name="key" type="password" autocomplete="off" required></div>
<div class="field"><label for="signature">Signature, if the text does not hold it</label><input id="signature" name="signature" autocomplete="off" spellcheck="false" value="${signature}"></div>
<button>Check it</button></form>`
  return { title: 'Checksum doctor', body, chapter: CHECKSUM }
}

/** A browser sends a text area's line ends as CRLF, not as they were typed. */
const materialOf = (sent: string) => readMaterial(new TextEncoder().encode(sent.replaceAll('\r\n', '\n')))

function found(diagnosis: Diagnosis): Html {
  switch (diagnosis.outcome) {
    case 'verified':
      return notice(`Verified over ${diagnosis.over}.`, 'good')
    case 'unreadable':
      return notice(diagnosis.sentence, 'bad')
    case 'unknown':
      return notice(
        `The key is right, but none of the ${diagnosis.tried} texts that were tried is the signed one. The doctor cannot find a changed value: compare the signed text with the sent one, byte by byte.${diagnosis.endedEarly ? ` ${ENDED_EARLY}` : ''}`,
        'bad',
      )
    case 'named': {
      const rows = diagnosis.causes.map(
        ({ name, detail, say }) => html`<li><strong><a href="${DOCS}/guide/checksum#${name}">${name}</a></strong>: ${detail}. ${say}</li>`,
      )
      const rest = diagnosis.text === 'unknown' && html`<p>Beside this, no text that was tried is the signed one.</p>`
      return html`<div class="notice bad" role="alert"><ul>${rows}</ul>${rest}${diagnosis.endedEarly && html`<p>${ENDED_EARLY}</p>`}</div>`
    }
    default:
      return diagnosis satisfies never
  }
}
