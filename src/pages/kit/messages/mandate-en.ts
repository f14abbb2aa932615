// What a payer's page of his mandate says, in English: a part of the catalogue (en.ts).

type Text = string

export const mandateEn = {
  title: (shop: Text): Text => `Your mandate for ${shop}`,
  side: 'The next debit',
  mandate: 'Mandate',
  next: 'Next debit',
  onDay: (day: Text): Text => `On ${day}`,
  underWay: 'It is being made now.',
  approved: 'You have approved it.',
  none: 'None',
  whenAsked: (amount: Text): Text => `At most ${amount}, when the shop asks. You are told a day before.`,
  noneWhilePaused: 'Nothing is debited while it is paused.',
  noneAnyMore: 'Nothing is debited any more.',

  link: {
    about: (shop: Text): Text =>
      `You have allowed ${shop} to debit you. To see what you agreed to, to pause it or to stop it, ask for a code.`,
    send: 'Send me a code',
    sendAbout: 'It comes by SMS, to the mobile number of the mandate.',
    cannot: 'Codes cannot be sent at the moment. You can stop the mandate at the shop, in your UPI app or at your bank.',
  },
  code: {
    heading: 'Type the code',
    about: 'We have sent it by SMS, to the mobile number of the mandate. Nobody from the shop or the bank asks you for it.',
    open: 'Open my mandate',
    sent: 'A new code is on its way.',
  },
  over: {
    title: 'The time of this page is over',
    about: 'For your safety it is open for a short time only. Open the link in your message again. What you have done here stands.',
  },

  /** By where the mandate stands. */
  state: {
    active: 'This mandate is active.',
    starts: (day: Text): Text => `Your bank has taken it over. It begins on ${day}.`,
    atBank: 'Your bank is checking it.',
    pausedHere: 'You have paused it.',
    pausedAtBank: 'You have paused it at your bank or in your UPI app. Resume it there.',
    pausedByShop: 'The shop has paused it.',
    stopped: 'You have stopped it.',
    cancelled: 'The shop has ended it.',
    expired: 'It has ended with its last day.',
    ended: 'It has ended.',
  },

  debit: {
    heading: (amount: Text): Text => `Approve ${amount}?`,
    about: (shop: Text, day: Text): Text =>
      `${shop} wants to debit this on ${day}. It is more than may be taken without your own word: unless you approve it, nothing is taken.`,
    declined: 'You have declined it. Until its day is over you may still approve it.',
    atBank: (amount: Text, day: Text): Text =>
      `${amount} on ${day} needs your approval. It cannot be given here: your bank or your UPI app asks you for it. Unless you approve it there, nothing is taken.`,
  },
  edit: {
    heading: 'Other terms?',
    about: (shop: Text): Text => `${shop} asks you to agree to these terms. Unless you approve them, the old ones stay.`,
    becomes: (before: Text, after: Text): Text => `${after} (until now ${before})`,
    stays: (value: Text): Text => `${value}, as it is`,
    answerUntil: 'Answer until',
    atBank: (shop: Text): Text =>
      `${shop} has asked you to agree to other terms. That cannot be done here: your bank or your UPI app asks you for it. Unless you approve them there, the old ones stay.`,
  },
  approve: 'Approve with a code',
  decline: 'Decline',
  codeFor: 'We have sent a code for just this by SMS. It says what it is for.',
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
  first: 'with your consent',
  status: { COLLECTED: 'taken', SKIPPED: 'skipped', MISSED: 'not taken', FAILED: 'did not work, not taken' },
  givenBack: (amount: Text): Text => `${amount} given back`,
  complain: 'Something wrong? Complain here',

  acts: 'What you can do',
  pause: 'Pause it',
  pauseAbout: 'While it is paused nothing is debited, also not later for that time.',
  resume: 'Resume it',
  skip: 'Skip the next debit',
  stop: 'Stop it',
  stopAtBank: 'You can stop it in your UPI app or at your bank, too.',
  ask: {
    stop: {
      heading: 'Stop the mandate?',
      about: (shop: Text): Text =>
        `${shop} cannot debit you any more, and the bank is told. It cannot be taken back: you would have to agree anew. What you owe the shop stays between you.`,
      yes: 'Yes, stop it',
    },
    skip: {
      heading: 'Skip the next debit?',
      about: (day: Text): Text => `The debit of ${day} is then not made, also not later. The mandate goes on after it.`,
      yes: 'Yes, skip it',
    },
    no: 'No, leave it as it is',
  },
  said: {
    approved: 'Approved.',
    declined: 'Declined.',
    paused: 'Paused. Nothing is debited until you resume it.',
    resumed: 'Resumed.',
    skipped: 'Skipped. This debit is not made.',
    stopped: 'Stopped. Nothing is debited any more.',
    sent: 'A code is on its way.',
    changed: 'That is not possible any more. This is how things stand.',
    stale: 'This page was out of date, so nothing more was done. This is how things stand.',
  },
  fault: {
    sends: 'No more codes can be sent to this number now. Try again in an hour, or tomorrow.',
    blocked: 'Codes cannot be sent to this number at the moment. Try later, or go to your bank.',
  },
}
