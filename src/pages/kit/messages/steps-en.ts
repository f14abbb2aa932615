// The texts about an attempt that waits or has failed, in English: a part of the catalogue (en.ts). Every text knows the way to pay.

import type { WayToPay } from '../../../interface/payment-modes.ts'
import { type Html, html, type Part } from '../../html.ts'

type Text = string

/** The facts of an attempt that its texts need. `isConsent`: the attempt takes no money, and its payer only agrees to a mandate. */
export interface PayingBy {
  way: WayToPay
  isConsent: boolean
}
type Of<Said = Text> = (of: PayingBy) => Said

/**
 * The words of a way to pay: the deciding party, the app in which the payer approves, and two texts. `short` is about too little money,
 * `unknown` about an unknown account.
 */
interface Words {
  party: Text
  the: Text
  app: Text
  short: Text
  unknown: Text
}

const ofBank = {
  party: 'your bank',
  the: 'the bank',
  app: 'your bank’s app',
  short: 'There is not enough money in the account.',
  unknown: 'The bank does not know this account.',
}
const ofCard = { ...ofBank, short: 'There is not enough money or credit on the card.', unknown: 'The bank does not know this card.' }
const words: Readonly<Record<WayToPay, Words>> = {
  upi: { ...ofBank, app: 'your UPI app', unknown: 'The bank does not know this UPI account.' },
  card: ofCard,
  emi: ofCard,
  bank: ofBank,
  ppbl: ofBank,
  mandate: ofBank,
  postpaid: {
    party: 'your postpaid provider',
    the: 'the postpaid provider',
    app: 'the app of your postpaid provider',
    short: 'Your postpaid limit is not enough.',
    unknown: 'The postpaid provider does not know this account.',
  },
  wallet: {
    party: 'your wallet provider',
    the: 'the wallet provider',
    app: 'your wallet’s app',
    short: 'There is not enough money in the wallet.',
    unknown: 'The wallet provider does not know this wallet.',
  },
}

const party = ({ way }: PayingBy) => words[way].party
const capital = (text: Text) => text.charAt(0).toUpperCase() + text.slice(1)
const theParty = (of: PayingBy) => capital(party(of))
/** The noun for the attempt: a mandate or a payment. */
const it = ({ isConsent }: PayingBy) => (isConsent ? 'mandate' : 'payment')
const again = ({ isConsent }: PayingBy) => `Nothing was taken. Try again or ${isConsent ? 'choose' : 'pay'} another way.`

export const stepsEn = {
  otp: {
    heading: (of: PayingBy): Text => `Enter the OTP from ${party(of)}`,
    about: (of: PayingBy): Text => `${theParty(of)} has sent an OTP to your phone.`,
    label: 'OTP',
    submit: 'Confirm',
    submitAndPay: (amount: Text): Text => `Confirm and pay ${amount}`,
    resend: 'Send a new OTP',
    resent: (of: PayingBy): Text => `${theParty(of)} was asked for a new OTP.`,
  },
  bankPage: {
    heading: (of: PayingBy): Text => `Continue at ${party(of)}`,
    about: (of: PayingBy): Text =>
      `${theParty(of)} asks you to approve the ${it(of)} on its own page. Then you come back here automatically.`,
    go: (of: PayingBy): Text => `Go to ${party(of)}`,
    goTo: (bank: Text): Text => `Go to ${bank}`,
  },
  upiWaiting: {
    heading: ({ isConsent }: PayingBy): Text => (isConsent ? 'Approve the mandate in your UPI app' : 'Pay in your UPI app'),
    steps: ({ isConsent }: PayingBy, payee: Part, amount: Part): Html =>
      html`<li>Open your UPI app.</li><li>Scan the code.</li><li>Check the name <bdi>${payee}</bdi> and ${isConsent ? 'the terms' : amount}, and approve.</li>`,
    qrLabel: ({ isConsent }: PayingBy, amount: Text, payee: Text): Text =>
      isConsent ? `QR code: approve the mandate for ${payee} by UPI` : `QR code: pay ${amount} to ${payee} by UPI`,
    openApp: 'Open a UPI app',
    openOther: 'Another UPI app',
    otherDevice: 'On another device: show the QR code',
    waiting: 'Waiting for your approval.',
  },
  collect: {
    heading: ({ way }: PayingBy): Text => `Approve it in ${words[way].app}`,
    about: (of: PayingBy): Text =>
      of.way === 'upi'
        ? `Open your UPI app and approve the ${it(of)}.`
        : `${theParty(of)} asks for your approval. Open ${words[of.way].app} and approve the ${it(of)}.`,
    sentTo: (vpa: Part): Html => html`We sent a request to <bdi>${vpa}</bdi>. Open the app and approve it.`,
  },
  waiting: {
    heading: (of: PayingBy): Text => `Waiting for ${party(of)}`,
    pending: ({ way, isConsent }: PayingBy): Text => {
      if (way === 'mandate' && isConsent) return 'Your bank is checking the mandate. That may take a few days; the shop is notified.'
      return `Your ${isConsent ? 'mandate is being set up' : 'payment is being processed'}. You do not have to do anything.`
    },
    unknown: (of: PayingBy): Text =>
      of.isConsent
        ? `${theParty(of)} has not answered yet. Do not agree again elsewhere: the mandate may have been set up.`
        : `${theParty(of)} has not answered yet. Do not pay again elsewhere: money may have been taken.`,
    anotherIsSafe: (of: PayingBy): Text => `“Pay another way” is safe: it first asks ${party(of)} to cancel this payment.`,
    goesOn: 'This page updates by itself.',
    check: 'Check now',
    /** After the payer has been in an app. */
    checkPaid: ({ isConsent }: PayingBy): Text => `I have ${isConsent ? 'approved' : 'paid'}: check now`,
    checked: 'Checked just now: nothing new yet.',
    checkedOften: (of: PayingBy): Text => `${theParty(of)} was asked many times. Wait a minute, then try again.`,
    back: (shop: Text): Text => `Back to ${shop} without waiting`,
  },
  another: {
    button: ({ isConsent }: PayingBy): Text => (isConsent ? 'Choose another way' : 'Pay another way'),
    /** The bank refused to cancel. Then `wait` says what to do, or `complete` when the payer has a step left. */
    refused: (of: PayingBy): Text =>
      of.isConsent
        ? `${theParty(of)} can no longer cancel this mandate. If you agreed again elsewhere, there could be two.`
        : `${theParty(of)} can no longer cancel this payment. A second payment now could take your money twice.`,
    wait: 'You can wait here, check now, or leave: the shop is notified of the result.',
    complete: 'You can complete it here, check now, or leave: the shop is notified of the result.',
    /** The bank's answer to the cancel was lost. */
    lost: (of: PayingBy): Text =>
      `${theParty(of)} has not said whether it cancelled this ${it(of)}. It is being asked again: wait a moment, then check now.`,
  },

  /** The title of a page that says why an attempt failed. */
  notThrough: ({ isConsent }: PayingBy): Text => (isConsent ? 'The mandate was not set up' : 'The payment did not go through'),
  /** Why an attempt failed, by the name of its result. Each text says what became of the money. */
  failed: {
    cancelled: (of: PayingBy): Text => `The ${it(of)} was cancelled. Nothing was taken.`,
    timedOut: (of: PayingBy): Text =>
      of.isConsent
        ? `The mandate was not approved in time. If ${party(of)} sets it up all the same, it is withdrawn automatically.`
        : `The payment was not completed in time. If ${party(of)} takes the money all the same, it is returned automatically.`,
    declined: (of: PayingBy): Text => `${capital(words[of.way].the)} declined the ${it(of)}. ${again(of)}`,
    insufficientFunds: ({ way }: PayingBy): Text => `${words[way].short} Nothing was taken. Try another way.`,
    invalidInstrument: (of: PayingBy): Text =>
      `${words[of.way].unknown} Nothing was taken. Check it, or ${of.isConsent ? 'choose' : 'pay'} another way.`,
    notAuthenticated: (of: PayingBy): Text =>
      of.way === 'upi'
        ? `The ${it(of)} was not approved in the UPI app. ${again(of)}`
        : `The ${it(of)} was not approved, or ${words[of.way].the}’s OTP was wrong too often. ${again(of)}`,
    returned: ({ isConsent }: PayingBy): Text =>
      isConsent
        ? 'The approval came too late. Nothing was taken, and the mandate is withdrawn automatically.'
        : 'The payment came too late or for another amount. What was taken is returned automatically.',
    other: (of: PayingBy): Text =>
      of.isConsent ? `The mandate was not set up. ${again(of)}` : `The payment did not go through. ${again(of)}`,
  } satisfies Record<string, Of>,
  /** To a payer who has left a QR code or an app's link. */
  leftUnpaid: ({ isConsent }: PayingBy): Text =>
    isConsent
      ? 'The mandate was not approved. Nothing was taken: choose another way, or the same way again.'
      : 'The payment was not made. Nothing was taken: pay another way, or the same way again.',
  /** What the bank may still do after the page is closed. */
  mayStill: (of: PayingBy): Text =>
    `${theParty(of)} may still ${of.isConsent ? 'set up the mandate' : 'take the money'}. The shop is notified of the result.`,
}
