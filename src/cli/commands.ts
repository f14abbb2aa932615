// Every command: what it takes, and the file that does it, loaded only when the command runs. test/house/docs.test.ts holds the first
// column of docs/operating/commands.md equal to it.

import { type Command, command } from './command.ts'

const mid = { value: 'MID', about: 'The merchant.', needed: true } as const
const subscription = { value: 'ID', about: 'Its subscriptionId.', needed: true } as const
const number = { value: 'NUMBER', about: '', needed: true } as const
const clientId = { value: 'C11', about: 'The clientId of the key, 1 to 3 letters or digits; C11 by default.' } as const

export const commands: Readonly<Record<string, Command>> = {
  serve: command({
    about: 'Serve every operation over HTTP (npm start).',
    options: {
      port: { value: 'PORT', about: 'The port to listen on, instead of the setting PORT; 0 takes any free one.' },
      host: { value: 'HOST', about: 'The address to listen on, instead of the setting HOST.' },
    },
    run: async (given) => (await import('./serve.ts')).serve(given, commands),
  }),
  migrate: command({
    writes: true,
    about: 'Bring the database to the newest schema, then stop. Every start does this too.',
    options: {},
    run: async () => (await import('./migrate.ts')).migrateCommand(),
  }),
  sign: command({
    about: 'Print the checksum of a body, given as an argument or on standard input.',
    options: { key: { value: 'KEY', about: 'A merchant key of 16, 24 or 32 bytes.', needed: true } },
    argument: 'BODY',
    run: async ({ key }, body) => (await import('./sign.ts')).signCommand(key, body),
  }),
  openapi: command({
    about: 'Print the interface as an OpenAPI document, as docs/openapi.json holds it.',
    options: {},
    run: async () => (await import('./openapi/openapi.ts')).openapi(),
  }),
  'checksum doctor': command({
    about:
      'Say why the checksum of an envelope, body, form, callback or notification does not verify. Exits with 1 and the causes, or with 3 and none.',
    options: {
      key: { value: 'KEY', about: "The merchant's key. With - the command asks for it and does not show it.", needed: true },
      signature: { value: 'S', about: 'The signature, if FILE does not hold it.' },
    },
    argument: 'FILE',
    run: async (given, file) => (await import('./checksum-doctor/doctor.ts')).checksumDoctor(given, file),
  }),
  'merchant add': command({
    writes: true,
    about: 'Add a merchant and print its key, once.',
    options: {
      mid: { ...mid, about: '1 to 20 letters, digits, - or _.' },
      name: { value: 'NAME', about: 'The name that customers see; the mid by default.' },
      mcc: { value: '5999', about: "The merchant's category code, 4 digits." },
      website: { value: 'NAME=URL', about: 'A websiteName and its callbackUrl; DEFAULT by default.', multiple: true },
      'client-id': clientId,
      'callback-fields': { value: 'core', about: "The fields of the browser's form: all, or core for a client that refuses others." },
      'support-contact': {
        value: 'help@shop.example',
        about: 'Where payers ask about money under way: a phone number, an e-mail address or an https address.',
      },
    },
    run: async (given) => (await import('./merchant.ts')).add(given),
  }),
  'merchant list': command({
    about: 'List merchants: mid, name, checksumEnabled, signedModify, callbackFields, status; never their keys.',
    options: {},
    run: async () => (await import('./merchant.ts')).list(),
  }),
  'merchant rotate-key': command({
    writes: true,
    about: 'Make a new key that signs at once; the old one is accepted for another 24 hours. Or go in two steps: --prepare, --activate.',
    options: {
      mid,
      'client-id': clientId,
      prepare: { about: 'Print a key that is accepted and does not sign yet.' },
      activate: { about: 'Sign with the prepared key; the old one is accepted for another 24 hours.' },
      drop: { about: 'End the prepared key.' },
      now: { about: 'End older keys at once, and a prepared one unless it is activated: for a key that leaked.' },
    },
    inPlace: ['mid'],
    run: async (given) => (await import('./merchant.ts')).rotate(given),
  }),
  'merchant show': command({
    about: "Print a merchant's settings, the state of its keys, and who changed what; never keys or secrets.",
    options: { mid },
    inPlace: ['mid'],
    run: async (given) => (await import('./merchant-settings.ts')).show(given),
  }),
  'merchant set': command({
    writes: true,
    about: "Change a merchant's settings, by the names that `merchant show` prints. An empty value removes an optional setting.",
    options: { mid },
    inPlace: ['mid'],
    rest: 'NAME=VALUE',
    run: async (given, _, list) => (await import('./merchant-settings.ts')).set(given, list),
  }),
  'merchant disable': command({
    writes: true,
    about: "Refuse a merchant's new orders and payments; those under way are finished.",
    options: { mid },
    inPlace: ['mid'],
    run: async (given) => (await import('./merchant-settings.ts')).disable(given),
  }),
  'merchant enable': command({
    writes: true,
    about: "Accept a merchant's orders and payments again.",
    options: { mid },
    inPlace: ['mid'],
    run: async (given) => (await import('./merchant-settings.ts')).enable(given),
  }),
  'notification list': command({
    about: 'Print a line for each notification, the newest first: id, status, event, URL, time, attempts and the result of the last.',
    options: {
      mid,
      order: { value: 'ORDER', about: 'Only those of this order.' },
      dead: { about: 'Only those that were given up.' },
      limit: { value: '1000', about: 'The most lines to print.' },
    },
    run: async (given) => (await import('./notification.ts')).list(given),
  }),
  'notification resend': command({
    writes: true,
    about: 'Send one notification again, or all that are dead.',
    options: { mid, id: { value: 'ID', about: 'The notificationId.' }, dead: { about: 'All that were given up.' } },
    run: async (given) => (await import('./notification.ts')).resend(given),
  }),
  'notification start': command({
    writes: true,
    about: 'Start endpoints that answered 410, and send the notifications that were kept for them.',
    options: { mid },
    run: async (given) => (await import('./notification.ts')).start(given),
  }),
  'order show': command({
    about: "Print an order's history, line by line, and what happens next. The service may run meanwhile.",
    options: {
      number: { ...number, about: "The order's id, a payment's txnId, the bank's number (RRN), or a refund's refId or refundId." },
      mid: { value: 'MID', about: 'The merchant, where several have this number.' },
    },
    inPlace: ['number', 'mid'],
    run: async (given) => (await import('./order.ts')).show(given),
  }),
  'order pending': command({
    about: 'List payments and refunds that wait for their bank, the oldest first.',
    options: {
      older: { value: '1h', about: 'Only those that have waited longer, in minutes (30m), hours (1h) or days (3d).' },
      mid: { value: 'MID', about: 'Only those of this merchant.' },
      limit: { value: '100', about: 'The most lines to print.' },
    },
    run: async (given) => (await import('./order.ts')).pending(given),
  }),
  'order ask': command({
    writes: true,
    about: 'Ask the bank now for the result of a payment, and apply its answer. Nothing is sent again.',
    options: {
      number: { ...number, about: "The order's id, or the payment's txnId or bank's number." },
      mid: { value: 'MID', about: 'The merchant, where several have this number.' },
    },
    inPlace: ['number', 'mid'],
    run: async (given) => (await import('./order.ts')).ask(given),
  }),
  'mandate simulate': command({
    about: 'Predict a mandate, event by event, without a store.',
    options: {
      file: {
        value: 'FILE',
        about: 'The JSON of subscription, mcc, outcomes, payer, from and until (docs/operating/commands.md).',
        needed: true,
      },
    },
    run: async (given) => (await import('./mandate.ts')).simulate(given),
  }),
  'mandate show': command({
    about: "Print a mandate's history, event by event. The service may run meanwhile.",
    options: { mid, subscription },
    inPlace: ['mid', 'subscription'],
    run: async (given) => (await import('./mandate.ts')).show(given),
  }),
  'mandate close': command({
    writes: true,
    about: 'End a mandate: nothing more is collected, and its bank is notified.',
    options: { mid, subscription },
    inPlace: ['mid', 'subscription'],
    run: async (given) => (await import('./mandate.ts')).close(given),
  }),
  'operator setup': command({
    writes: true,
    about: 'Let a person into the console, and print the link that sets their password once, within 15 minutes.',
    options: {
      email: { value: 'EMAIL', about: 'Their e-mail address, by which they sign in.', needed: true },
      name: { value: 'NAME', about: 'The name that colleagues see; the first part of the address by default.' },
      role: {
        value: 'ROLE',
        about: 'admin, finance, operations, support, developer or auditor; admin by default.',
        multiple: true,
      },
      mid: { value: 'MID', about: 'A merchant that they see; all by default.', multiple: true },
    },
    run: async (given) => (await import('./operator.ts')).setup(given),
  }),
  'operator reset': command({
    writes: true,
    about: 'Print a link that sets another password for a person; their authenticator app stays.',
    options: {
      email: { value: 'EMAIL', about: 'Their e-mail address.', needed: true },
      authenticator: { about: 'For a lost app too: password, app, recovery codes, sessions and older links end at once.' },
    },
    run: async (given) => (await import('./operator.ts')).reset(given),
  }),
  'operator list': command({
    about: 'List the people who may open the console, with their roles and merchants.',
    options: {},
    run: async () => (await import('./operator.ts')).list(),
  }),
  approve: command({
    writes: true,
    about: 'List what waits for a second person in the console; with ID, approve it or refuse it.',
    options: { id: { value: 'ID', about: 'The request, as the list names it.' }, refuse: { about: 'Refuse it.' } },
    inPlace: ['id'],
    run: async (given) => (await import('./approve.ts')).approve(given),
  }),
  'sandbox reset': command({
    writes: true,
    about: "Reset a sandbox's store: no orders, the clock at real time, the world of a first start.",
    options: {},
    run: async () => (await import('./sandbox.ts')).reset(),
  }),
  verify: command({
    about: 'Check every invariant of a store, in use or not. Exits with 1 when one is broken.',
    options: {},
    run: async () => (await import('./verify.ts')).verifyCommand(),
  }),
  'promo explain': command({
    about: 'Say how each rule of a promotion judges a cart. Exits with 1 when the cart is not given the promotion.',
    options: {
      mid: { ...mid, about: "The promotion's merchant." },
      code: { value: 'CODE', about: 'The promocode.', needed: true },
      cart: { value: 'FILE', about: "The JSON of Apply Promo's body; mid and promocode may be left out.", needed: true },
      on: { value: 'DATE', about: 'The day in India, YYYY-MM-DD; today by default.' },
    },
    run: async (given) => (await import('./promo.ts')).promo(given),
  }),
  listen: command({
    about: "Act as a merchant's server: print each notification and callback, and whether its signature is right.",
    options: {
      port: { value: '9000', about: 'The port to listen on; 0 takes any free one.' },
      key: { value: 'KEY', about: "The merchant's key; the demo merchant's by default." },
      secret: { value: 'whsec_…', about: "The secret of the merchant's notifications; without it the webhook signature is not checked." },
    },
    run: async (given) => (await import('./listen.ts')).listen(given),
  }),
  'acquirer check': command({
    about: 'Check the adapter of a bank or processor against the contract (docs/acquirer.md). Exits with 1 when the adapter breaks it.',
    options: {
      paid: { value: 'MEANS', about: 'Means that pay: upi:NAME@HANDLE, upi (an app), card:NUMBER,CVV,MM/YYYY or bank:CODE.' },
      declined: { value: 'MEANS', about: 'Means that the bank declines.' },
      pending: { value: 'MEANS', about: 'Means that wait for their payer.' },
      otp: { value: 'MEANS', about: 'Means that ask for a one-time password.' },
      'otp-value': { value: 'OTP', about: 'The one-time password of --otp.' },
      url: { value: 'URL', about: "The adapter's URL; MOHUR_ACQUIRER_URL by default." },
      secret: { value: 'SECRET', about: 'The secret shared with the adapter; MOHUR_ACQUIRER_SECRET by default.' },
      mid: { value: 'MID', about: 'The mid in the calls of the check; CHECK by default.' },
      cashfree: {
        about: "Check your account at Cashfree instead, with its test keys. Payments end by Cashfree's simulation, and no MEANS is needed.",
      },
    },
    run: async (given) => (await import('./acquirer-check/acquirer.ts')).acquirer(given),
  }),
}
