// What the pages say, in English. Every other language is a catalogue of the same type (messages.ts).

import { termsInEnglish } from '../../../domain/subscription/mandate/agreed-terms.ts'
import type { PaymentModeName } from '../../../interface/payment-modes.ts'
import type { Html, Part } from '../../html.ts'
import { html } from '../../html.ts'
import { mandateEn } from './mandate-en.ts'

type Text = string

export const en = {
  title: (amount: Text, shop: Text): Text => `Pay ${amount} to ${shop}`,
  whatYouPay: 'What you pay',
  order: 'Order',
  toPay: 'To pay',
  paid: 'Paid',
  ofOrder: 'Amount of the order',
  howToPay: 'How do you want to pay?',
  toMend: 'Look at it once more',
  /** `by` is one of `byMode`. */
  priceBy: (by: Text): Text => `By ${by}`,
  byMode: {
    UPI: 'UPI',
    CREDIT_CARD: 'credit card',
    DEBIT_CARD: 'debit card',
    NET_BANKING: 'net banking',
    EMI: 'EMI',
    BALANCE: 'wallet',
    PPBL: 'payments bank',
    SVC_DIGITAL_CREDIT: 'postpaid',
    BANK_MANDATE: 'bank mandate',
  } satisfies Record<PaymentModeName, Text>,
  offer: (code: Part, title: Part): Html => html`<b>${code}</b>: ${title}. It is taken off by itself.`,
  offerLater: (code: Part, title: Part): Html => html`<b>${code}</b>: ${title}. The money comes to your wallet after you have paid.`,
  offerOwed: (code: Part, title: Part): Html => html`<b>${code}</b>: ${title}. The money is kept to your credit after you have paid.`,
  saves: (amount: Text): Text => `saves ${amount}`,
  savesBy: (amount: Text, by: Text): Text => `saves ${amount} by ${by}`,

  modes: {
    upi: { name: 'UPI', about: 'Any UPI app, on this phone or another' },
    card: { name: 'Card', about: 'Credit or debit' },
    saved: { name: 'Your saved cards', about: 'Kept for you by this shop' },
    netBanking: { name: 'Net banking', about: (some: Text, more: number): Text => (more > 0 ? `${some} and ${more} more` : some) },
    wallet: { name: 'Wallet', about: 'Sign in with your mobile number', balance: (amount: Text): Text => `You have ${amount}` },
    emi: { name: 'EMI', about: 'Pay in monthly parts' },
    ppbl: { name: 'Payments bank', about: 'From your payments bank account' },
    postpaid: { aboutMandate: 'Each payment goes on your postpaid bill', name: 'Postpaid', about: 'Buy now, pay next month' },
    mandate: { name: 'Bank account', about: 'Your bank pays by itself, by the terms above' },
  },
  overLimit: (amount: Text): Text => `For payments up to ${amount}`,

  pay: (amount: Text): Text => `Pay ${amount}`,
  pays: {
    atMost: (amount: Text): Text => `at most ${amount}`,
    qr: (amount: Text): Text => `Show QR code for ${amount}`,
    app: (amount: Text): Text => `Choose a UPI app for ${amount}`,
    request: (amount: Text): Text => `Send request for ${amount} to my UPI id`,
    atBank: (bank: Text, amount: Text): Text => `Go to ${bank} and pay ${amount}`,
    yourBank: 'your bank',
  },
  /** What the choice makes of the amount. */
  summary: { discount: 'Discount', wallet: 'From your wallet', now: (by: Text): Text => `Now by ${by}` },
  agree: 'Agree',
  agreeAndPay: (amount: Text): Text => `Agree and pay ${amount}`,

  upiIntro: 'You get a QR code to scan, and buttons for the apps on this phone.',
  upiOr: 'Or type your UPI id',
  upiId: 'UPI id',
  upiIdHint: 'Like name@bank. Your app then asks you to approve.',

  cardNumber: 'Card number',
  expiry: 'Expiry date',
  expiryHint: 'Month and year, like 09/29',
  cvv: 'CVV',
  cvvHint: '3 digits on the back; 4 on the front of American Express',
  keepCard: (shop: Text): Text => `Keep this card with ${shop} for next time`,
  endsIn: (scheme: Text, last: Text): Text => `${scheme} ending in ${last}`,
  expired: 'Expired',
  useWallet: (amount: Text): Text => `Use ${amount} from your wallet first`,

  bank: 'Bank',
  chooseBank: 'Choose your bank',
  toBank: 'You go on at your bank’s own page.',

  emiBank: 'Bank of your card',
  showPlans: 'Show the plans',
  otherBank: 'Another bank',
  plan: 'Plan',
  planOf: (months: number, each: Text): Text => `${months} months, ${each} each`,
  planMore: (rate: Text, total: Text): Text => `${total} in all, ${rate}% a year by reducing balance`,
  planFees: 'Without your bank’s fees and GST.',

  signIn: 'Send me a code',
  signedInAs: (mobile: Text): Text => `Signed in with ${mobile}`,
  mobile: 'Mobile number',
  mobileHint: '10 digits. We send you a code by SMS.',
  code: 'Code',
  codeSentTo: (mobile: Text): Text => `We sent a code to ${mobile}. It is good for two minutes.`,
  confirmCode: 'Go on',
  sendAgain: 'Send a new code',
  otherNumber: 'Or sign in with another number',
  walletEmpty: 'Your wallet is empty. Choose another way.',
  walletShort: (balance: Text): Text =>
    `You have ${balance} in your wallet, which is not enough. Choose another way and use the wallet for a part.`,

  mandate: {
    agreed: 'What you agree to',
    youAgree: 'You agree to',
    youAgreed: 'You have agreed to',
    terms: 'The terms',
    ...termsInEnglish,
    withNow: (terms: Text, now: Text): Text => `${terms}; ${now}.`,
    takenNow: (amount: Text): Text => `${amount} now`,
    nothingTakenNow: 'nothing now',
    fixed: (amount: Text): Text => `${amount} each time`,
    variable: (amount: Text): Text => `at most ${amount} each time`,
    often: 'How often',
    purpose: 'What for',
    amount: 'How much',
    from: 'First day',
    until: 'Last day',
    now: 'Taken now',
    nothingNow: 'Nothing',
    notice:
      'You are told a day before each payment. No PIN is asked for below the limit of your bank. You can stop it at any time: at the shop, in your UPI app or at your bank.',
    holder: 'Name of the account holder',
    account: 'Account number',
    ifsc: 'IFSC of your branch',
    ifscSure: 'The IFSC is right: the branch belongs to this bank',
    ifscHint: '11 letters and digits, like ABCD0123456',
    kind: 'Kind of account',
    savings: 'Savings',
    currentAccount: 'Current',
    how: 'How your bank asks you',
    netBanking: 'Net banking',
    debitCard: 'Debit card',
    testDebit: 'Your bank may take ₹1 or ₹2 to check the account, and gives it back.',
    creditor: (shop: Text): Text => `The mandate is for ${shop}.`,
    utilityCode: (code: Part): Html => html`Your bank calls it by the utility code ${code}.`,
  },

  otp: {
    heading: 'Confirm with your bank’s code',
    about: 'Your bank has sent a code to your phone.',
    label: 'Code of your bank',
    submit: 'Confirm',
    resend: 'Send a new code',
    resent: 'Your bank was asked for a new code.',
  },
  bankPage: {
    heading: 'Go on at your bank',
    about: 'Your bank asks you to approve the payment on its own page. You come back here by yourself.',
    go: 'Go to your bank',
    goTo: (bank: Text): Text => `Go to ${bank}`,
  },
  upiWaiting: {
    heading: 'Pay in your UPI app',
    steps: (shop: Part, amount: Part): Html =>
      html`<li>Open your UPI app.</li><li>Scan the code.</li><li>Check the name <bdi>${shop}</bdi> and ${amount}, and approve.</li>`,
    qrLabel: (amount: Text, shop: Text): Text => `QR code: pay ${amount} to ${shop} by UPI`,
    openApp: 'Open a UPI app',
    openNamed: (app: Text): Text => `Open ${app}`,
    otherPhone: 'Show the QR code for another phone',
    waiting: 'Waiting for your approval.',
  },
  collect: {
    heading: 'Approve it in your UPI app',
    about: (vpa: Part): Html => html`We sent a request to <bdi>${vpa}</bdi>. Open the app and approve it.`,
  },
  waiting: {
    heading: 'Waiting for your bank',
    pending: 'The payment is on its way. You do not have to do anything.',
    unknown: 'Your bank has not answered yet. Do not pay again elsewhere: money may have been taken.',
    anotherIsSafe: '“Pay another way” is safe: it first asks your bank to call this payment back.',
    mandate: 'Your bank is checking the mandate. That may take a few days; the shop is told by itself.',
    goesOn: 'This page goes on by itself.',
    check: 'Check now',
    checked: 'Asked just now: nothing new yet.',
    checkedOften: 'Your bank was asked many times. Wait a minute, then try again.',
    back: (shop: Text): Text => `Back to ${shop} without waiting`,
  },
  another: {
    button: 'Pay another way',
    refused:
      'Your bank cannot call this payment back any more, so it is safer to wait for it. A second payment now could take your money twice.',
  },

  result: {
    paid: (amount: Text): Text => `${amount} paid`,
    agreed: 'You have agreed',
    mandateRefused: 'Your bank has not accepted the mandate',
    mandateRefusedAbout: 'Nothing is debited by it. Please go back to the shop.',
    thanks: (shop: Text): Text => `Thank you. ${shop} knows of it.`,
    failed: 'The payment did not work',
    closed: 'This order is closed',
    closedAbout: 'It cannot be paid any more. Nothing was taken for it.',
    closedInFlight: 'The shop has closed this order while a payment was under way. If money was taken, it comes back by itself.',
    exceeded: 'The payment did not work five times',
    exceededAbout: 'Nothing was taken. Please go back to the shop.',
    goes: 'You are being taken back to the shop.',
    toShop: (shop: Text): Text => `Go on to ${shop}`,
    when: 'When',
    by: 'Paid by',
    txnId: 'Transaction',
    reference: 'Reference of the bank',
    keep: 'Keep or print this page.',
  },

  /** Why an attempt did not work, by the name of its result; each says what became of the money. */
  failed: {
    cancelled: 'The payment was cancelled. Nothing was taken.',
    timedOut: 'The payment was not completed in time. If your bank takes the money all the same, it comes back by itself.',
    declined: 'The bank declined the payment. Nothing was taken. Try again or pay another way.',
    insufficientFunds: 'There is not enough money in the account. Nothing was taken. Try another way.',
    invalidInstrument: 'The bank does not know these details. Nothing was taken. Look at them once more or pay another way.',
    notAuthenticated:
      'The payment was not approved, or the bank’s code was wrong too often. Nothing was taken. Try again or pay another way.',
    returned: 'The payment came too late or for another amount. What was taken comes back by itself.',
    other: 'The payment did not work. Nothing was taken. Try again or pay another way.',
  },
  doubt: {
    within: (days: number): Text =>
      `If money was taken and the payment fails, your bank gives it back within ${days} days. Keep this number:`,
    comesBack: 'If money was taken and the payment fails, it comes back by itself. Keep this number:',
  },
  /** To a payer who has left a QR code or an app's link. */
  leftUnpaid: 'The payment was not made. Nothing was taken: pay another way, or the same way again.',
  /** Where so many were left that no other is begun. */
  codesOver: 'Too many codes of this order were left unpaid.',
  attemptsLeft: (left: number): Text => (left === 1 ? 'You can try once more.' : `You can try ${left} more times.`),

  /** What is wrong with what was typed. */
  fault: {
    cardNumber: 'This number has a slip in it. Look at it once more.',
    cardUnknown: 'This card cannot be used here. Try another card or way.',
    expiry: 'Write month and year as on the card, like 09/29.',
    expiryPast: 'This card has expired. Use another card.',
    cvv: 'Write the 3 or 4 digits of the CVV.',
    upiId: 'A UPI id looks like name@bank. Look at it once more.',
    bank: 'Choose a bank.',
    plan: 'Choose a plan that fits the card and the amount.',
    emiCard: (bank: Text): Text => `This card has no EMI of ${bank}. Use a card of that bank, or choose another bank.`,
    mobile: 'Write the 10 digits of your mobile number.',
    code: 'This code is not right. Look at it once more.',
    codeExpired: 'This code’s time is over. Ask for a new one.',
    codeTries: 'The code was wrong too often. Ask for a new one.',
    codeSends: 'No more codes can be sent for this order. Pay another way.',
    signInLater: 'Signing in does not work at the moment. Pay another way or try later.',
    wallet: 'Sign in again to pay from your wallet.',
    account: 'Write the account number: 6 to 20 digits.',
    ifsc: 'An IFSC has 11 letters and digits, like ABCD0123456.',
    ifscSure: 'This IFSC is not of the bank that you chose. Correct it, or tick that it is right.',
    holder: 'Write the name that the account is in.',
    amount: (amount: Text): Text => `What is to be paid has changed: it is ${amount} now. Nothing was taken.`,
    offer: 'The offer is not for this way to pay. Choose another card or way.',
    overLimit: 'The amount is too large for this way to pay.',
    mode: 'This order cannot be paid that way. Choose another.',
    other: 'That did not work. Nothing was taken. Please try once more.',
    again: 'For your safety, card number and CVV are never kept: type them again.',
  },

  time: {
    left: (until: Part): Html => html`Open until ${until}`,
    counts: (clock: Part): Html => html`${clock} left`,
    more: 'More time',
    soon: 'This page closes soon.',
  },
  cancel: {
    link: (shop: Text): Text => `Cancel and go back to ${shop}`,
    heading: 'Cancel the payment?',
    about: 'The order is then closed and cannot be paid any more.',
    nothingTaken: 'Nothing was taken.',
    yes: 'Yes, cancel',
    no: 'No, go on paying',
  },
  closing: {
    heading: 'Close while the payment is under way?',
    about: 'Your bank may still take the money. The shop learns how it ends.',
    no: 'Stay here',
    yes: 'Close',
  },
  busy: 'Please wait …',
  offline: 'This device is not connected. The page goes on when it is.',
  language: 'Language',
  setLanguage: 'Set',

  payer: mandateEn,

  errorField: (field: Html): Html => html`For the shop: the field ${field} is missing or wrong.`,
  errorHints: {
    subscribe: 'For the shop: a form begins no subscription. Begin it by Initiate Subscription, and open its page with the token.',
  },
  toShopSite: 'To the shop',
  toPage: 'Back to the page',
  onward: 'Go on',
  toFullPage: 'Open the payment page',
  noWays: 'The shop offers no way to pay this order here. Go back to the shop.',
  appCallback: {
    title: 'Back to the app',
    about: 'The app that brought you here reads from this page how the payment ended. You can close it.',
  },

  errors: {
    taken: {
      title: 'This order exists already',
      about: 'The shop has used its number before. Go back to the shop and begin again. Nothing was taken.',
    },
    wrong: {
      title: 'This page cannot be opened',
      about: 'Something is missing in the address or the form that brought you here. Nothing was taken.',
    },
    unknown: { title: 'There is no such page', about: 'The address is not right, or the page is gone. Nothing was taken by opening it.' },
    over: {
      title: 'The time of this page is over',
      about: 'For your safety it is open for a short time only. Go back to the shop, and see how your order stands before you pay again.',
    },
    busy: { title: 'Too many requests', about: 'Please wait a minute and try again.' },
    form: { title: 'This form cannot be read', about: 'It has too many fields, a field twice, or is too long. Nothing was taken.' },
    method: {
      title: 'This address takes a form',
      about: 'A shop sends its payers here by a form with the method POST. Go back to the shop and begin again. Nothing was taken.',
    },
    system: {
      title: 'Something went wrong on our side',
      about: 'Please try again. If you were paying, look at your order at the shop before you pay again.',
    },
    framed: { title: 'This shop’s page may not show the payment here', about: 'The shop has to name its site first.' },
  },
}
