// `/docs/checksum`, in the sandbox alone: the checksum doctor as a form (docs/checksum.md). What is typed is looked at and kept nowhere.

import { signedLists } from '../api/operations.ts'
import { ENDED_EARLY } from '../interface/doctor/causes.ts'
import { type Complaint, type Diagnosis, diagnose } from '../interface/doctor/diagnose.ts'
import { readMaterial } from '../interface/doctor/material.ts'
import { type Html, html } from '../pages/html.ts'
import type { Form } from '../pages/kit/forms.ts'
import { notice } from '../pages/kit/layout.ts'
import { DOCS, type DocsPage } from './sheet.ts'

export const CHECKSUM = `${DOCS}/checksum`

/** What the page's search takes from its route. */
export type Searching = Pick<Complaint, 'otherKeys' | 'textsMax' | 'isTimeUp'>

/** The key itself is never written into the page. */
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
  const body = html`<p>Two things go wrong: another key was used, or another text was signed. The doctor finds which. It keeps nothing; a production key belongs to <code>mohur checksum doctor</code> on your own machine (<a href="${DOCS}/guide/checksum">more</a>).</p>
${says}<form method="post" action="${CHECKSUM}" class="stack" autocomplete="off">
<div class="field"><label for="sent">What was sent, or what came</label><textarea id="sent" name="sent" rows="10" spellcheck="false" required aria-describedby="sent-hint">${sent}</textarea><p class="hint" id="sent-hint">An envelope with head and body, the text of a body, a form, JsonData=…, a callback or a notification.</p></div>
<div class="field"><label for="key">Key</label><input id="key" name="key" type="password" autocomplete="off" required></div>
<div class="field"><label for="signature">Signature, where it is not in the text</label><input id="signature" name="signature" autocomplete="off" spellcheck="false" value="${signature}"></div>
<button>Look at it</button></form>`
  return { title: 'Checksum doctor', body, chapter: CHECKSUM }
}

/** A browser ends the lines of a text area in another way than they were typed. */
const materialOf = (sent: string) => readMaterial(new TextEncoder().encode(sent.replaceAll('\r\n', '\n')))

function found(diagnosis: Diagnosis): Html {
  switch (diagnosis.outcome) {
    case 'verified':
      return notice(`Verified over ${diagnosis.over}.`, 'good')
    case 'unreadable':
      return notice(diagnosis.sentence, 'bad')
    case 'unknown':
      return notice(
        `The key is right, and the signed text is none of ${diagnosis.tried} that were tried. A changed value cannot be found: compare the text that you signed with the one that you sent, byte by byte.${diagnosis.endedEarly ? ` ${ENDED_EARLY}` : ''}`,
        'bad',
      )
    case 'named': {
      const rows = diagnosis.causes.map(
        ({ name, detail, say }) => html`<li><strong><a href="${DOCS}/guide/checksum#${name}">${name}</a></strong>: ${detail}. ${say}</li>`,
      )
      const rest = diagnosis.text === 'unknown' && html`<p>Beside this, the signed text is none that was tried.</p>`
      return html`<div class="notice bad" role="alert"><ul>${rows}</ul>${rest}${diagnosis.endedEarly && html`<p>${ENDED_EARLY}</p>`}</div>`
    }
    default:
      return diagnosis satisfies never
  }
}
