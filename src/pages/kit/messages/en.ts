// The texts of the pages, in English. Every other language is a catalogue of the same type (messages.ts).

import { termsInEnglish } from '../../../domain/subscription/mandate/agreed-terms.ts'
import type { PaymentModeName } from '../../../interface/payment-modes.ts'
import type { Html, Part } from '../../html.ts'
import { html } from '../../html.ts'
import { errorsEn } from './errors-en.ts'
import { mandateEn } from './mandate-en.ts'
import { stepsEn } from './steps-en.ts'

type Text = string

export const en = {
  title: (amount: Text, shop: Text): Text => `Pay ${amount} to ${shop}`,
  whatYouPay: 'What you pay',
  order: 'Order',
  toPay: 'To pay',
  paid: 'Paid',
  ofOrder: 'Amount of the order',
  howToPay: 'How do you want to pay?',
  toMend: 'Please check what you entered',
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
  offer: (code: Part, title: Part): Html => html`<b>${code}</b>: ${title}. Applied automatically.`,
  /** `by`: the kind of card that the offer is for. Undefined: every kind. The script hides the sentence once the card is known. */
  offerByCard: (code: Part, title: Part, by?: Text): Html =>
    html`<b>${code}</b>: ${title}. <span data-until-card>Taken off once you enter a ${by ?? 'card'}.</span>`,
  offerLater: (code: Part, title: Part): Html => html`<b>${code}</b>: ${title}. The money comes to your wallet after you pay.`,
  offerOwed: (code: Part, title: Part): Html => html`<b>${code}</b>: ${title}. The money is credited to you after you pay.`,
  saves: (amount: Text): Text => `saves ${amount}`,
  savesBy: (amount: Text, by: Text): Text => `saves ${amount} by ${by}`,

  modes: {
    upi: { name: 'UPI', about: 'Any UPI app, or scan a QR code' },
    card: { name: 'Card', about: 'Credit or debit' },
    saved: { name: 'Your saved cards', about: 'Saved with this shop' },
    netBanking: { name: 'Net banking', about: (some: Text, more: number): Text => (more > 0 ? `${some} and ${more} more` : some) },
    wallet: { name: 'Wallet', about: 'Sign in with your mobile number', balance: (amount: Text): Text => `You have ${amount}` },
    emi: { name: 'EMI', about: 'Pay in monthly instalments' },
    ppbl: { name: 'Payments bank', about: 'From your payments bank account' },
    postpaid: { aboutMandate: 'Each payment goes on your postpaid bill', name: 'Postpaid', about: 'Buy now, pay next month' },
    mandate: { name: 'Bank account', about: 'Your bank pays automatically, on the terms above' },
  },
  overLimit: (amount: Text): Text => `For payments up to ${amount}`,

  pay: (amount: Text): Text => `Pay ${amount}`,
  pays: {
    qr: (amount: Text): Text => `Show QR code for ${amount}`,
    app: (amount: Text): Text => `Choose a UPI app for ${amount}`,
    request: (amount: Text): Text => `Send request for ${amount} to my UPI ID`,
    atBank: (bank: Text, amount: Text): Text => `Go to ${bank} and pay ${amount}`,
    yourBank: 'your bank',
    /** Below a button: less than its amount may be taken. */
    less: {
      card: 'Less, if an offer fits your card.',
      bank: 'Less, if an offer fits your bank.',
      wallet: 'Less, if your wallet pays a part.',
      offerOrWallet: 'Less, if an offer fits or your wallet pays a part.',
    },
  },
  /** The lines from the order's amount to the amount that is paid now. */
  summary: { discount: 'Discount', wallet: 'From your wallet', now: (by: Text): Text => `Now by ${by}` },
  agree: 'Agree',
  agreeAndPay: (amount: Text): Text => `Agree and pay ${amount}`,

  upiIntro: 'Scan a QR code with any UPI app.',
  upiPhoneIntro: 'Open a UPI app on this phone, or scan a QR code with another device.',
  upiOr: 'Or enter your UPI ID',
  upiId: 'UPI ID',
  upiIdHint: 'Like name@bank. You approve the request in your app.',

  cardNumber: 'Card number',
  expiry: 'Expiry date',
  expiryHint: 'MM/YY, like 09/29',
  cvv: 'CVV',
  cvvHint: '3 digits on the back; 4 on the front of Amex',
  keepCard: (shop: Text): Text => `Save this card with ${shop} for next time`,
  endsIn: (scheme: Text, last: Text): Text => `${scheme} ending in ${last}`,
  expired: 'Expired',
  removeCard: {
    button: (card: Text): Text => `Remove ${card}`,
    heading: 'Remove this card?',
    about: (card: Text, shop: Text): Text => `${shop} will no longer keep ${card}. To pay with it again, enter its number.`,
    yes: 'Yes, remove it',
    no: 'No, keep it',
    done: 'The card was removed.',
  },
  useWallet: (amount: Text): Text => `Use ${amount} from your wallet first`,

  bank: 'Bank',
  chooseBank: 'Choose your bank',
  toBank: 'You continue on your bank’s own page.',

  emiBank: 'Your card’s bank',
  showPlans: 'Show plans',
  otherBank: 'Another bank',
  plan: 'Plan',
  emiPlan: (months: number, each: Text): Text => `${months} months, ${each} a month`,
  planMore: (rate: Text, total: Text): Text => `${total} in all, ${rate}% a year by reducing balance`,
  planFees: 'Without your bank’s fees and GST.',

  signIn: 'Send OTP',
  signedInAs: (mobile: Text): Text => `Signed in with ${mobile}`,
  mobile: 'Mobile number',
  mobileHint: '10 digits. We send an OTP by SMS.',
  code: 'OTP',
  codeSentTo: (mobile: Text): Text => `We sent an OTP to ${mobile}. It is valid for two minutes.`,
  confirmCode: 'Continue',
  sendAgain: 'Send a new OTP',
  otherNumber: 'Or sign in with another number',
  walletEmpty: 'Your wallet is empty. Choose another way.',
  walletShort: (balance: Text): Text =>
    `You have ${balance} in your wallet, which is not enough. Choose another way and pay a part from the wallet.`,
  walletTooSmall: (balance: Text): Text => `You have ${balance} in your wallet, which is not enough. Choose another way.`,

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
      'You are notified a day before each payment. Below your bank’s limit no PIN is needed. You can stop it at any time: at the shop, in your UPI app or at your bank.',
    holder: 'Account holder’s name',
    account: 'Account number',
    ifsc: 'IFSC of your branch',
    ifscSure: 'The IFSC is right: the branch belongs to this bank',
    ifscHint: '11 letters and digits, like ABCD0123456',
    kind: 'Account type',
    savings: 'Savings',
    currentAccount: 'Current',
    how: 'Approve with',
    netBanking: 'Net banking',
    debitCard: 'Debit card',
    testDebit: 'Your bank may take ₹1 or ₹2 to check the account, and returns it.',
    creditor: (shop: Text): Text => `The mandate is for ${shop}.`,
    utilityCode: (code: Part): Html => html`Your bank knows it by the utility code ${code}.`,
  },

  ...stepsEn,

  result: {
    paid: (amount: Text): Text => `${amount} paid`,
    agreed: 'Your mandate is set up',
    mandateRefused: 'Your bank has not accepted the mandate',
    mandateRefusedAbout: 'Nothing will be debited. Please go back to the shop.',
    mandateOver: 'This mandate can no longer begin',
    mandateOverAbout: 'Its last day has passed. Please go back to the shop.',
    thanks: (shop: Text): Text => `Thank you. ${shop} has been notified.`,
    closed: 'This order is closed',
    closedAbout: 'It can no longer be paid. Nothing was taken for it.',
    closedInFlight: 'The shop closed this order while a payment was under way. If money was taken, it is returned automatically.',
    exceeded: 'The payment failed five times',
    exceededAbout: 'Nothing was taken. Please go back to the shop.',
    goes: 'Taking you back to the shop …',
    toShop: (shop: Text): Text => `Continue to ${shop}`,
    when: 'When',
    by: 'Paid by',
    txnId: 'Transaction ID',
    reference: 'Bank reference',
    keep: 'Save or print this page.',
  },

  doubt: {
    within: (days: number): Text => `If money was taken and the payment fails, your bank returns it within ${days} days. Keep this number:`,
    comesBack: 'If money was taken and the payment fails, it is returned automatically. Keep this number:',
    ask: (shop: Text, contact: Part): Html => html`Questions? Ask ${shop}: ${contact}`,
  },
  /** The payer left so many codes unpaid that no other may begin. */
  codesOver: 'Too many codes of this order were left unpaid.',
  attemptsLeft: (left: number): Text => (left === 1 ? 'You can try once more.' : `You can try ${left} more times.`),

  /** The faults of typed values. */
  fault: {
    cardNumber: 'This card number is not right. Please check it.',
    cardUnknown: 'This card cannot be used here. Use another card, or pay another way.',
    expiry: 'Enter month and year as on the card, like 09/29.',
    expiryPast: 'This card has expired. Use another card.',
    cvv: 'Enter the 3 or 4 digits of the CVV.',
    upiId: 'A UPI ID looks like name@bank. Please check it.',
    upiHandle: (handle: Text): Text => `We know no UPI app with @${handle}. Check the part behind @.`,
    bank: 'Choose a bank.',
    plan: 'Choose a plan that fits the card and the amount.',
    emiCard: (bank: Text): Text => `This card has no EMI with ${bank}. Use a card of that bank, or choose another bank.`,
    mobile: 'Enter the 10 digits of your mobile number.',
    mobileNeeded:
      'This way to pay needs an Indian mobile number, and the order has none. Sign in with yours if you can here, or pay another way.',
    code: 'This OTP is not right. Please check it.',
    codeExpired: 'This OTP has expired. Ask for a new one.',
    codeTries: 'The OTP was wrong too often. Ask for a new one.',
    codeSends: 'No more OTPs can be sent for this order. Pay another way.',
    signInLater: 'Signing in is not possible right now. Pay another way, or try later.',
    wallet: 'Sign in again to pay from your wallet.',
    share: 'Your wallet cannot pay a part of this. Pay without it, or another way.',
    account: 'Enter the account number: 6 to 20 digits.',
    ifsc: 'An IFSC has 11 letters and digits, like ABCD0123456.',
    ifscSure: 'This IFSC does not belong to the bank you chose. Correct it, or tick that it is right.',
    holder: 'Enter the account holder’s name.',
    amount: (before: Text, now: Text): Text => `The amount to pay is ${now} now. It was ${before}. Nothing was taken.`,
    offer: 'The offer does not apply here. Choose another card, or pay another way.',
    cashback: 'This payment does not get the cashback that was shown. Nothing was taken.',
    overLimit: 'The amount is too large for this way to pay.',
    mode: 'This order cannot be paid that way. Choose another.',
    other: 'That did not work. Nothing was taken. Please try again.',
    again: 'For your safety, card number and CVV are never kept: enter them again.',
  },

  time: {
    left: (until: Part): Html => html`Open until ${until}`,
    counts: (minutes: Part, seconds: Part): Html => html`(${minutes} min ${seconds} s left)`,
    more: 'More time',
    soon: 'This page closes soon.',
  },
  cancel: {
    link: (shop: Text): Text => `Cancel and go back to ${shop}`,
    heading: 'Cancel the payment?',
    about: 'The order will be closed and can no longer be paid.',
    nothingTaken: 'Nothing was taken.',
    yes: 'Yes, cancel',
    no: 'No, continue paying',
  },
  closePage: 'Close payment',
  closing: {
    heading: 'Close while the payment is under way?',
    no: 'Stay here',
    yes: 'Close',
  },
  busy: 'Please wait …',
  offline: {
    press: 'You are offline. Press the button again once you are online.',
    asks: 'You are offline. This page checks again by itself once you are online.',
    backPress: 'You are online. Press the button again.',
    backAsks: 'You are online.',
  },
  language: 'Language',
  setLanguage: 'Change',

  payer: mandateEn,

  toShopSite: 'Go to the shop',
  toPage: 'Back to the page',
  onward: 'Continue',
  toFullPage: 'Open the payment page',
  noWays: 'The shop offers no way to pay this order here. Go back to the shop.',
  appCallback: {
    title: 'Back to the app',
    about: 'The app that brought you here reads the result of the payment from this page. You can close it.',
  },

  ...errorsEn,
}
