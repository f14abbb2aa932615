// The texts of a payer's mandate page, in English: a part of the catalogue (en.ts).

import { elsewhereInEnglish } from '../../../domain/subscription/mandate/agreed-terms.ts'
import type { WayToPay } from '../../../interface/payment-modes.ts'

type Text = string
/** The ways whose mandate a bank or provider holds. */
type ElsewhereWay = Exclude<WayToPay, 'wallet'>

export const mandateEn = {
  title: (shop: Text): Text => `Your mandate for ${shop}`,
  side: 'The next debit',
  mandate: 'Mandate',
  next: 'Next debit',
  onDay: (day: Text): Text => `On ${day}`,
  underWay: 'It is under way.',
  approved: 'You have approved it.',
  none: 'None',
  whenAsked: (amount: Text): Text => `At most ${amount}, when the shop asks. You are notified a day before.`,
  noneWhilePaused: 'Nothing is debited while it is paused.',
  noneAnyMore: 'Nothing more will be debited.',

  link: {
    about: (shop: Text): Text => `You have allowed ${shop} to debit you. To see, pause or stop what you agreed to, ask for an OTP.`,
    send: 'Send OTP',
    sendAbout: 'It comes by SMS to the mobile number of the mandate.',
    cannot: 'OTPs cannot be sent right now. You can stop the mandate at the shop, in your UPI app or at your bank.',
  },
  code: {
    heading: 'Enter the OTP',
    about: 'We have sent it by SMS to the mobile number of the mandate. Nobody from the shop or the bank will ask you for it.',
    open: 'Open my mandate',
    sent: 'A new OTP is on its way.',
  },
  over: {
    title: 'This page has expired',
    about: 'For your safety it stays open for a short time only. Open the link in your message again. What you did here is saved.',
  },

  /** By the mandate's state. */
  state: {
    active: 'This mandate is active.',
    starts: (day: Text): Text => `Your bank has accepted it. It begins on ${day}.`,
    atBank: 'Your bank is checking it.',
    pausedHere: 'You have paused it.',
    pausedElsewhere: (way: ElsewhereWay): Text => `You have paused it ${elsewhereInEnglish[way].at}. Resume it there.`,
    pausedByShop: 'The shop has paused it.',
    stopped: 'You have stopped it.',
    cancelled: 'The shop has ended it.',
    expired: 'It ended on its last day.',
    ended: 'It has ended.',
  },

  debit: {
    heading: (amount: Text): Text => `Approve ${amount}?`,
    about: (shop: Text, day: Text): Text =>
      `${shop} wants to debit this amount on ${day}. So large a debit needs your approval. Without it nothing is taken.`,
    declined: 'You have declined it. You can still approve it until the end of that day.',
    elsewhere: (way: ElsewhereWay, amount: Text, day: Text): Text =>
      `The debit of ${amount} on ${day} needs your approval. You cannot give it here: ${elsewhereInEnglish[way].who} asks you. Unless you approve there, nothing is taken.`,
  },
  edit: {
    heading: 'Agree to new terms?',
    about: (shop: Text): Text => `${shop} asks you to agree to these terms. Unless you approve them, the old terms stay.`,
    becomes: 'becomes',
    stays: (value: Text): Text => `${value}, unchanged`,
    answerUntil: 'Answer until',
    elsewhere: (way: ElsewhereWay, shop: Text): Text =>
      `${shop} asks you to agree to new terms. You cannot do so here: ${elsewhereInEnglish[way].who} asks you. Unless you approve there, the old terms stay.`,
  },
  approve: 'Approve with an OTP',
  decline: 'Decline',
  codeFor: 'We have sent an OTP by SMS, for this approval alone. The message names it.',
  approveAmount: (amount: Text): Text => `Approve ${amount}`,
  approveTerms: 'Approve these terms',

  terms: 'What you have agreed to',
  paidBy: 'Paid by',
  endingIn: (kind: Text, last: Text): Text => `${kind} ending in ${last}`,
  since: 'Agreed on',
  reference: 'Reference',

  debits: 'What was debited',
  noDebits: 'Nothing yet.',
  leftOut: 'What was not debited',
  leftOutAhead: 'What will not be debited',
  first: 'when you agreed',
  status: { COLLECTED: 'taken', SKIPPED: 'skipped', MISSED: 'not taken', FAILED: 'failed, not taken' },
  statusAhead: { SKIPPED: 'skipped', MISSED: 'will not be taken' },
  givenBack: (amount: Text): Text => `${amount} refunded`,
  complain: 'Something wrong? Complain here',

  acts: 'What you can do',
  pause: 'Pause the mandate',
  pauseAbout: 'While it is paused nothing is debited, and nothing for that time is taken later.',
  resume: 'Resume the mandate',
  skip: 'Skip the next debit',
  stop: 'Stop the mandate',
  stopElsewhere: (way: ElsewhereWay): Text => `You can stop it ${elsewhereInEnglish[way].at}, too.`,
  ask: {
    stop: {
      heading: 'Stop the mandate?',
      about: (shop: Text, way: WayToPay): Text =>
        `${shop} can no longer debit you${way === 'wallet' ? '' : `, and ${elsewhereInEnglish[way].party} is notified`}. This cannot be undone: you would have to agree again. It does not cancel what you owe the shop.`,
      yes: 'Yes, stop it',
    },
    skip: {
      heading: 'Skip the next debit?',
      about: (day: Text): Text => `The debit of ${day} will not be made, now or later. The mandate continues after it.`,
      yes: 'Yes, skip it',
    },
    no: 'No, keep it as it is',
  },
  said: {
    approved: {
      debit: (amount: Text, day: Text): Text => `You have approved ${amount} on ${day}.`,
      terms: 'You have approved the new terms.',
    },
    declined: {
      debit: (amount: Text, day: Text): Text => `You have declined ${amount} on ${day}.`,
      terms: 'You have declined the new terms. The old ones stay.',
    },
    paused: 'Paused. Nothing is debited until you resume it.',
    resumed: 'Resumed.',
    skipped: 'Skipped. This debit will not be made.',
    stopped: 'Stopped. Nothing more will be debited.',
    sent: 'An OTP is on its way.',
    changed: 'That is no longer possible. Below is the current state.',
    stale: 'This page was out of date, so nothing more was changed. Below is the current state.',
  },
  fault: {
    sends: 'No more OTPs can be sent to this number now. Try again in an hour, or tomorrow.',
    blocked: 'OTPs cannot be sent to this number right now. Try later, or ask the shop.',
    gone: 'We send no OTP for this mandate any more. Ask the shop.',
  },
}
