// Every command: what it takes, and the file that does it, which is loaded only when it is asked for. test/house/docs.test.ts holds the
// first column of docs/operating/commands.md equal to it.

import { type Command, command } from './command.ts'

const mid = { value: 'MID', about: 'The merchant.', needed: true } as const
const subscription = { value: 'ID', about: 'Its subscriptionId.', needed: true } as const
const number = { value: 'NUMBER', about: '', needed: true } as const
const clientId = { value: 'C11', about: 'Which of its keys, 1 to 3 letters or digits; C11 when left out.' } as const

export const commands: Readonly<Record<string, Command>> = {
  serve: command({
    about: 'Serve every operation over HTTP (npm start).',
    options: {
      port: { value: 'PORT', about: 'The port to listen on, in the place of the setting PORT; 0 takes any free one.' },
      host: { value: 'HOST', about: 'The address to listen on, in the place of the setting HOST.' },
    },
    run: async (given) => (await import('./serve.ts')).serve(given, commands),
  }),
  migrate: command({
    writes: true,
    about: 'Bring the database to the newest schema and stop; every start does it too.',
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
      'Say why a checksum does not verify: of an envelope, body, form, callback or notification; 1 with its causes, 3 when none is found.',
    options: {
      key: { value: 'KEY', about: "The merchant's key; - asks for it and does not show it.", needed: true },
      signature: { value: 'S', about: 'The signature, where FILE does not hold it.' },
    },
    argument: 'FILE',
    run: async (given, file) => (await import('./checksum-doctor/doctor.ts')).checksumDoctor(given, file),
  }),
  'merchant add': command({
    writes: true,
    about: 'Add a merchant and print its key, once.',
    options: {
      mid: { ...mid, about: '1 to 20 letters, digits, - or _.' },
      name: { value: 'NAME', about: 'What customers read; the mid when left out.' },
      mcc: { value: '5999', about: 'Its category, 4 digits.' },
      website: { value: 'NAME=URL', about: 'A websiteName and the callbackUrl it stands for; DEFAULT when none is named.', multiple: true },
      'client-id': clientId,
      'callback-fields': { value: 'core', about: "Which fields the browser's form has: all, or core, as one client checks it." },
      'support-contact': {
        value: 'help@shop.example',
        about: 'Whom payers ask where money may be on its way: a phone number, an e-mail address or an https address.',
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
    about: 'Make a new key that signs at once; the old one is accepted for another 24 hours. Or do it in steps: prepare, activate.',
    options: {
      mid,
      'client-id': clientId,
      prepare: { about: 'Print a key that is accepted and does not sign yet.' },
      activate: { about: 'Sign with the prepared key; the old one is accepted for another 24 hours.' },
      drop: { about: 'End the prepared key.' },
      now: { about: 'Older keys end at once, and a prepared one unless it is activated: somebody else has one of them.' },
    },
    inPlace: ['mid'],
    run: async (given) => (await import('./merchant.ts')).rotate(given),
  }),
  'merchant show': command({
    about: 'Print the settings of a merchant, the places of its keys, and who changed what; never keys or secrets.',
    options: { mid },
    inPlace: ['mid'],
    run: async (given) => (await import('./merchant-settings.ts')).show(given),
  }),
  'merchant set': command({
    writes: true,
    about: 'Change settings of a merchant, by the names that `merchant show` prints; without a value an optional setting is taken away.',
    options: { mid },
    inPlace: ['mid'],
    rest: 'NAME=VALUE',
    run: async (given, _, list) => (await import('./merchant-settings.ts')).set(given, list),
  }),
  'merchant disable': command({
    writes: true,
    about: 'Take no new orders and payments of a merchant; what is under way is finished.',
    options: { mid },
    inPlace: ['mid'],
    run: async (given) => (await import('./merchant-settings.ts')).disable(given),
  }),
  'merchant enable': command({
    writes: true,
    about: 'Take them again.',
    options: { mid },
    inPlace: ['mid'],
    run: async (given) => (await import('./merchant-settings.ts')).enable(given),
  }),
  'notification list': command({
    about: 'A line for each notification, the newest first: id, status, event, URL, when, attempts and what came of the last.',
    options: {
      mid,
      order: { value: 'ORDER', about: 'Of this order only.' },
      dead: { about: 'Only what was given up.' },
      limit: { value: '1000', about: 'So many at most.' },
    },
    run: async (given) => (await import('./notification.ts')).list(given),
  }),
  'notification resend': command({
    writes: true,
    about: 'Send one again, or all that are dead.',
    options: { mid, id: { value: 'ID', about: 'This one.' }, dead: { about: 'All that were given up.' } },
    run: async (given) => (await import('./notification.ts')).resend(given),
  }),
  'notification start': command({
    writes: true,
    about: 'Start endpoints that answered 410, and send what was kept.',
    options: { mid },
    run: async (given) => (await import('./notification.ts')).start(given),
  }),
  'order show': command({
    about: 'Say what has become of an order, line by line, and what happens next; beside the running service.',
    options: {
      number: { ...number, about: "Its id, a payment's txnId, the bank's number (RRN), or a refund's refId or refundId." },
      mid: { value: 'MID', about: 'Of this merchant, where several have it.' },
    },
    inPlace: ['number', 'mid'],
    run: async (given) => (await import('./order.ts')).show(given),
  }),
  'order pending': command({
    about: 'List payments and refunds that wait for their bank, the oldest first.',
    options: {
      older: { value: '1h', about: 'Only those that wait for longer: minutes (30m), hours (1h) or days (3d).' },
      mid: { value: 'MID', about: 'Of this merchant only.' },
      limit: { value: '100', about: 'So many at most.' },
    },
    run: async (given) => (await import('./order.ts')).pending(given),
  }),
  'order ask': command({
    writes: true,
    about: 'Ask the bank now what became of a payment, and take its answer over; nothing is sent again.',
    options: {
      number: { ...number, about: "The order's id, or the payment's txnId or bank's number." },
      mid: { value: 'MID', about: 'Of this merchant, where several have it.' },
    },
    inPlace: ['number', 'mid'],
    run: async (given) => (await import('./order.ts')).ask(given),
  }),
  'mandate simulate': command({
    about: 'Say what would become of a mandate, event by event, without a store.',
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
    about: 'Say what has become of a mandate, event by event, beside the running service.',
    options: { mid, subscription },
    inPlace: ['mid', 'subscription'],
    run: async (given) => (await import('./mandate.ts')).show(given),
  }),
  'mandate close': command({
    writes: true,
    about: 'End a mandate: nothing is collected any more, and its bank is told.',
    options: { mid, subscription },
    inPlace: ['mid', 'subscription'],
    run: async (given) => (await import('./mandate.ts')).close(given),
  }),
  'operator setup': command({
    writes: true,
    about: 'Let a person into the console, and print the link by which they set a password: once, within 15 minutes.',
    options: {
      email: { value: 'EMAIL', about: 'Whose address is how they sign in.', needed: true },
      name: { value: 'NAME', about: 'What colleagues read; the first part of the address when left out.' },
      role: {
        value: 'ROLE',
        about: 'admin, finance, operations, support, developer or auditor; admin when none is named.',
        multiple: true,
      },
      mid: { value: 'MID', about: 'A merchant that they see; all when none is named.', multiple: true },
    },
    run: async (given) => (await import('./operator.ts')).setup(given),
  }),
  'operator reset': command({
    writes: true,
    about: 'Print a link by which a person sets another password; their authenticator app stays.',
    options: {
      email: { value: 'EMAIL', about: 'Whose.', needed: true },
      authenticator: { about: 'The app is lost too: password, app, recovery codes, sessions and older links end at once.' },
    },
    run: async (given) => (await import('./operator.ts')).reset(given),
  }),
  'operator list': command({
    about: 'List the people who may open the console, with their roles and merchants.',
    options: {},
    run: async () => (await import('./operator.ts')).list(),
  }),
  'sandbox reset': command({
    writes: true,
    about: "Put a sandbox's store back to its beginning: orders gone, the clock at the real time, the world as at a first start.",
    options: {},
    run: async () => (await import('./sandbox.ts')).reset(),
  }),
  verify: command({
    about: 'Ask a store, in use or not, whether everything that must always be true of it is; 1 when not.',
    options: {},
    run: async () => (await import('./verify.ts')).verifyCommand(),
  }),
  'promo explain': command({
    about: 'Say what each rule of a promotion makes of a cart; 1 when it is not given.',
    options: {
      mid: { ...mid, about: 'Whose promotion.' },
      code: { value: 'CODE', about: 'Which promotion.', needed: true },
      cart: { value: 'FILE', about: "The JSON of Apply Promo's body; mid and promocode may be left out.", needed: true },
      on: { value: 'DATE', about: 'The day in India, YYYY-MM-DD; today when left out.' },
    },
    run: async (given) => (await import('./promo.ts')).promo(given),
  }),
  listen: command({
    about: "Play a merchant's server: print what notifications and callbacks say and whether their signatures hold.",
    options: {
      port: { value: '9000', about: 'The port to listen on; 0 takes any free one.' },
      key: { value: 'KEY', about: "The merchant's key; the demo merchant's when left out." },
      secret: { value: 'whsec_…', about: 'The secret of its notifications; without one the webhook signature is not looked at.' },
    },
    run: async (given) => (await import('./listen.ts')).listen(given),
  }),
  'acquirer check': command({
    about: 'Hold the adapter of a bank or processor against the contract (docs/acquirer.md); 1 when it breaks it.',
    options: {
      paid: { value: 'MEANS', about: 'What pays: upi:NAME@HANDLE, upi (an app), card:NUMBER,CVV,MM/YYYY or bank:CODE.' },
      declined: { value: 'MEANS', about: 'What is refused.' },
      pending: { value: 'MEANS', about: 'What waits for its payer.' },
      otp: { value: 'MEANS', about: 'What asks for a one-time password.' },
      'otp-value': { value: 'OTP', about: 'That password.' },
      url: { value: 'URL', about: 'The adapter; MOHUR_ACQUIRER_URL when left out.' },
      secret: { value: 'SECRET', about: 'The secret shared with it; MOHUR_ACQUIRER_SECRET when left out.' },
      mid: { value: 'MID', about: 'The merchant that it is told; CHECK when left out.' },
      cashfree: {
        about: "Your account at Cashfree instead, with its test keys: payments end by Cashfree's simulation, and no MEANS is needed.",
      },
    },
    run: async (given) => (await import('./acquirer-check/acquirer.ts')).acquirer(given),
  }),
}
