// Amounts and times as they are shown, the same in every language: lakhs and Latin digits, the time of India.

const rupeesOf = new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR' })

/** 12345670 is ₹1,23,456.70. */
export const amountOf = (paise: number) => rupeesOf.format(paise / 100)

const clockOf = new Intl.DateTimeFormat('en-IN', { timeZone: 'Asia/Kolkata', hour: 'numeric', minute: '2-digit', hourCycle: 'h12' })
/** 3:42 pm */
export const clockTime = (at: number) => clockOf.format(at)

/** A day or an instant in the words of a language, with Latin digits. */
export const dayOf = (at: number, language: string) =>
  new Intl.DateTimeFormat(`${language}-IN`, {
    timeZone: 'Asia/Kolkata',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    numberingSystem: 'latn',
  }).format(at)
