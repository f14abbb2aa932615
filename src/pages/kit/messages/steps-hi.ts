// भुगतान के इंतज़ार और असफलता का हिन्दी पाठ। The texts about an attempt that waits or has failed, in Hindi.

import type { WayToPay } from '../../../interface/payment-modes.ts'
import { html } from '../../html.ts'
import type { PayingBy, stepsEn } from './steps-en.ts'

/** `party` before a verb, `partyOf` before ने, के and से, `own` of the payer's doing; `app` to open, `inApp` to approve in. */
interface Words {
  party: string
  partyOf: string
  own: string
  the: string
  app: string
  inApp: string
  short: string
  unknown: string
}

const ofBank = {
  party: 'आपका बैंक',
  partyOf: 'आपके बैंक',
  own: 'अपने बैंक',
  the: 'बैंक',
  app: 'अपने बैंक का ऐप',
  inApp: 'अपने बैंक के ऐप',
  short: 'खाते में पर्याप्त पैसे नहीं हैं।',
  unknown: 'बैंक ने यह खाता नहीं पहचाना।',
}
const ofCard = { ...ofBank, short: 'कार्ड में पर्याप्त पैसे या लिमिट नहीं है।', unknown: 'बैंक ने यह कार्ड नहीं पहचाना।' }
const words: Readonly<Record<WayToPay, Words>> = {
  upi: { ...ofBank, app: 'अपना UPI ऐप', inApp: 'अपने UPI ऐप', unknown: 'बैंक ने यह UPI खाता नहीं पहचाना।' },
  card: ofCard,
  emi: ofCard,
  bank: ofBank,
  ppbl: ofBank,
  mandate: ofBank,
  postpaid: {
    party: 'आपका पोस्टपेड प्रदाता',
    partyOf: 'आपके पोस्टपेड प्रदाता',
    own: 'अपने पोस्टपेड प्रदाता',
    the: 'पोस्टपेड प्रदाता',
    app: 'अपने पोस्टपेड प्रदाता का ऐप',
    inApp: 'अपने पोस्टपेड प्रदाता के ऐप',
    short: 'आपकी पोस्टपेड लिमिट पर्याप्त नहीं है।',
    unknown: 'पोस्टपेड प्रदाता ने यह खाता नहीं पहचाना।',
  },
  wallet: {
    party: 'आपका वॉलेट प्रदाता',
    partyOf: 'आपके वॉलेट प्रदाता',
    own: 'अपने वॉलेट प्रदाता',
    the: 'वॉलेट प्रदाता',
    app: 'अपने वॉलेट का ऐप',
    inApp: 'अपने वॉलेट के ऐप',
    short: 'वॉलेट में पर्याप्त पैसे नहीं हैं।',
    unknown: 'वॉलेट प्रदाता ने यह वॉलेट नहीं पहचाना।',
  },
}

const party = ({ way }: PayingBy) => words[way].party
const partyOf = ({ way }: PayingBy) => words[way].partyOf
const it = ({ isConsent }: PayingBy) => (isConsent ? 'ऑटोपे' : 'भुगतान')
const NOTHING_TAKEN = 'आपके पैसे नहीं कटे हैं'
const otherWay = ({ isConsent }: PayingBy) => (isConsent ? 'दूसरा तरीका चुनें।' : 'दूसरे तरीके से भुगतान करें।')
const again = (of: PayingBy) => `${NOTHING_TAKEN}। फिर कोशिश करें या ${otherWay(of)}`

export const stepsHi: typeof stepsEn = {
  otp: {
    heading: ({ way }) => `${words[way].own} का OTP डालें`,
    about: (of) => `${partyOf(of)} ने आपके फ़ोन पर OTP भेजा है।`,
    label: 'OTP',
    submit: 'पुष्टि करें',
    submitAndPay: (amount) => `पुष्टि करें और ${amount} का भुगतान करें`,
    resend: 'नया OTP भेजें',
    resent: (of) => `${partyOf(of)} से नया OTP माँगा गया है।`,
  },
  bankPage: {
    heading: ({ way }) => `${words[way].own} के पेज पर जाएँ`,
    about: (of) => `${party(of)} अपने पेज पर ${it(of)} की मंज़ूरी माँगेगा। फिर आप अपने आप यहाँ लौट आएँगे।`,
    go: ({ way }) => `${words[way].the} के पेज पर जाएँ`,
    goTo: (bank) => `${bank} पर जाएँ`,
  },
  upiWaiting: {
    heading: ({ isConsent }) => (isConsent ? 'अपने UPI ऐप में ऑटोपे को मंज़ूरी दें' : 'अपने UPI ऐप में भुगतान करें'),
    steps: ({ isConsent }, payee, amount) =>
      html`<li>अपना UPI ऐप खोलें।</li><li>कोड स्कैन करें।</li><li>नाम <bdi>${payee}</bdi> और ${isConsent ? 'शर्तें' : amount} जाँचें, और मंज़ूर करें।</li>`,
    qrLabel: ({ isConsent }, amount, payee) =>
      isConsent ? `QR कोड: UPI से ${payee} के ऑटोपे को मंज़ूरी दें` : `QR कोड: UPI से ${payee} को ${amount} का भुगतान करें`,
    openApp: 'UPI ऐप खोलें',
    openOther: 'दूसरा UPI ऐप',
    otherDevice: 'दूसरे डिवाइस पर: QR कोड दिखाएँ',
    waiting: 'आपकी मंज़ूरी का इंतज़ार है।',
  },
  collect: {
    heading: ({ way }) => `${words[way].inApp} में मंज़ूरी दें`,
    about: (of) =>
      of.way === 'upi'
        ? `अपना UPI ऐप खोलें और ${it(of)} को मंज़ूरी दें।`
        : `${partyOf(of)} को आपकी मंज़ूरी चाहिए। ${words[of.way].app} खोलें और ${it(of)} को मंज़ूरी दें।`,
    sentTo: (vpa) => html`हमने <bdi>${vpa}</bdi> को अनुरोध भेजा है। ऐप खोलें और मंज़ूरी दें।`,
  },
  waiting: {
    heading: (of) => `${partyOf(of)} के जवाब का इंतज़ार है`,
    pending: ({ way, isConsent }) => {
      if (way === 'mandate' && isConsent) return 'आपका बैंक ऑटोपे जाँच रहा है। इसमें कुछ दिन लग सकते हैं; दुकान को सूचना मिल जाएगी।'
      return `आपका ${isConsent ? 'ऑटोपे सेट' : 'भुगतान'} हो रहा है। आपको कुछ नहीं करना है।`
    },
    unknown: (of) =>
      of.isConsent
        ? `${partyOf(of)} ने अभी जवाब नहीं दिया है। कहीं और दोबारा सहमति न दें: हो सकता है ऑटोपे सेट हो गया हो।`
        : `${partyOf(of)} ने अभी जवाब नहीं दिया है। कहीं और दोबारा भुगतान न करें: हो सकता है पैसे कट गए हों।`,
    anotherIsSafe: (of) => `“दूसरे तरीके से भुगतान करें” सुरक्षित है: पहले ${partyOf(of)} से यह भुगतान रद्द करने को कहा जाता है।`,
    goesOn: 'यह पेज अपने आप अपडेट होता है।',
    check: 'अभी जाँचें',
    checkPaid: ({ isConsent }) => `${isConsent ? 'मंज़ूरी दे दी' : 'भुगतान कर दिया'}: अभी जाँचें`,
    checked: 'अभी जाँचा: अब तक कोई जवाब नहीं आया।',
    checkedOften: (of) => `${partyOf(of)} से कई बार पूछा जा चुका है। एक मिनट रुककर फिर कोशिश करें।`,
    back: (shop) => `इंतज़ार किए बिना ${shop} पर लौटें`,
  },
  another: {
    button: ({ isConsent }) => (isConsent ? 'दूसरा तरीका चुनें' : 'दूसरे तरीके से भुगतान करें'),
    refused: (of) =>
      of.isConsent
        ? `${party(of)} यह ऑटोपे अब रद्द नहीं कर सकता। कहीं और फिर से सहमति देने पर दो ऑटोपे बन सकते हैं।`
        : `${party(of)} यह भुगतान अब रद्द नहीं कर सकता। अभी दूसरा भुगतान करने से पैसे दो बार कट सकते हैं।`,
    wait: 'यहाँ इंतज़ार करें, “अभी जाँचें” दबाएँ, या चले जाएँ: दुकान को नतीजे की सूचना मिल जाएगी।',
    complete: 'इसे यहीं पूरा करें, “अभी जाँचें” दबाएँ, या चले जाएँ: दुकान को नतीजे की सूचना मिल जाएगी।',
    lost: (of) => `${partyOf(of)} ने नहीं बताया कि यह ${it(of)} रद्द हुआ या नहीं। उससे फिर पूछा जा रहा है: थोड़ा रुकें, फिर “अभी जाँचें” दबाएँ।`,
  },

  notThrough: ({ isConsent }) => (isConsent ? 'ऑटोपे सेट नहीं हो पाया' : 'भुगतान नहीं हो पाया'),
  failed: {
    cancelled: (of) => `${it(of)} रद्द हुआ। ${NOTHING_TAKEN}।`,
    timedOut: (of) =>
      of.isConsent
        ? `ऑटोपे को समय पर मंज़ूरी नहीं मिली। अगर ${party(of)} फिर भी इसे सेट कर दे, तो यह अपने आप वापस ले लिया जाएगा।`
        : `भुगतान समय पर पूरा नहीं हुआ। अगर फिर भी ${party(of)} पैसे काट ले, तो वे अपने आप लौट आएँगे।`,
    declined: (of) => `${words[of.way].the} ने ${it(of)} अस्वीकार कर दिया। ${again(of)}`,
    insufficientFunds: ({ way }) => `${words[way].short} ${NOTHING_TAKEN}। दूसरा तरीका आज़माएँ।`,
    invalidInstrument: (of) => `${words[of.way].unknown} ${NOTHING_TAKEN}। इसे जाँचें, या ${otherWay(of)}`,
    notAuthenticated: (of) =>
      of.way === 'upi'
        ? `UPI ऐप में ${it(of)} को मंज़ूरी नहीं मिली। ${again(of)}`
        : `${it(of)} मंज़ूर नहीं हुआ, या ${words[of.way].the} का OTP कई बार ग़लत था। ${again(of)}`,
    returned: ({ isConsent }) =>
      isConsent
        ? `मंज़ूरी बहुत देर से मिली। ${NOTHING_TAKEN}, और ऑटोपे अपने आप वापस ले लिया जाएगा।`
        : 'भुगतान बहुत देर से या दूसरी रकम का आया। जो पैसे कटे वे अपने आप लौट आएँगे।',
    other: (of) => `${it(of)} ${of.isConsent ? 'सेट ' : ''}नहीं हो पाया। ${again(of)}`,
  },
  leftUnpaid: ({ isConsent }) =>
    isConsent
      ? `ऑटोपे को मंज़ूरी नहीं मिली। ${NOTHING_TAKEN}: दूसरा तरीका चुनें, या इसी से दोबारा सहमति दें।`
      : `भुगतान नहीं हुआ। ${NOTHING_TAKEN}: दूसरे तरीके से, या इसी से दोबारा भुगतान करें।`,
  mayStill: (of) => `${party(of)} अब भी ${of.isConsent ? 'ऑटोपे सेट कर' : 'पैसे ले'} सकता है। दुकान को नतीजे की सूचना मिल जाएगी।`,
}
