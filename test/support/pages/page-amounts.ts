// Compares the amount on a button at its press with what the bank's journal and the wallet then took.

import assert from 'node:assert/strict'
import { byPointer, type Hands } from './page-hands.ts'

/** A button that pays, as it was when it was pressed. */
export interface Pressed {
  says: string
  /** The line below it: why less may be taken. Empty when it shows none. */
  less: string
  /** Whether the payer chose that the wallet pays a part. */
  isShared: boolean
}

/** Notes each button that pays just before its press, because the page may change it until then. */
export function noting(pressed: Pressed[], hands: Hands = byPointer): Hands {
  return async (view, steps) => {
    for (const step of steps) {
      const button = 'press' in step && view.locator('form[data-pays] button').and(view.locator(step.press))
      if (button && (await button.count()) === 1) {
        const share = button.locator('xpath=ancestor::form').locator('input[name="share"]:checked')
        const less = (await button.locator('xpath=ancestor::form').locator('[data-less]:not([hidden])').allInnerTexts()).join(' ')
        pressed.push({ says: await button.innerText(), less, isShared: (await share.count()) === 1 })
      }
      await hands(view, [step])
    }
  }
}

const paiseIn = (text: string): readonly number[] =>
  [...text.matchAll(/₹([\d,]+)\.(\d\d)/g)].map(([, rupees, paise]) => Number(rupees!.replaceAll(',', '')) * 100 + Number(paise))

/** How far a button binds: it names the exact amount, a limit, or, for a consent, nothing. */
export type Bound = 'exact' | 'at most' | 'nothing'

export const OTHERWISE = 'other than the button said:'

/** A button that names an amount takes it, and with a line below it no more. A consent without an amount takes nothing. */
export function assertTaken(
  { says, less, isShared }: Pressed,
  { bankPaise, walletPaise }: Record<'bankPaise' | 'walletPaise', number>,
): Bound {
  const amounts = paiseIn(says)
  const isLimit = less !== ''
  const takenPaise = bankPaise + walletPaise
  const found = `${OTHERWISE} “${says} ${less}”, ${bankPaise} and ${walletPaise} paise were taken`
  assert.ok(amounts.length <= 1, found)
  const [paise = 0] = amounts
  // With a part from the wallet, the button names what the instrument takes. An early press finds it still naming the whole amount: the
  // script sends the form once the button names the part.
  if (isLimit) assert.ok(takenPaise <= paise, found)
  else assert.ok(takenPaise === paise || (isShared && bankPaise === paise), found)
  return isLimit ? 'at most' : amounts.length === 0 ? 'nothing' : 'exact'
}
