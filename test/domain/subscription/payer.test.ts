// The payer's page of a mandate and the code that opens it, the tie of a customer to a payer, and a message under way.

import { applyMessageDelivery } from '../../../src/domain/subscription/apply-message-delivery.ts'
import { linkCustomer } from '../../../src/domain/subscription/link-customer.ts'
import type { PayerMessage } from '../../../src/domain/subscription/payer-message.ts'
import { changeMandatePage } from '../../../src/domain/subscription/payer-page/change-mandate-page.ts'
import { keepMandateLink } from '../../../src/domain/subscription/payer-page/keep-mandate-link.ts'
import { openMandatePage } from '../../../src/domain/subscription/payer-page/open-mandate-page.ts'
import { sendMandateCode } from '../../../src/domain/subscription/payer-page/send-mandate-code.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  customer,
  customerLink,
  cycle,
  DAY,
  family,
  firstOrder,
  HOUR,
  LIMITS,
  MID,
  mandateLink,
  mandatePage,
  merchant,
  NOW,
  notice,
  PAYER,
  SUBSCRIPTION,
  sends,
  ssoToken,
  subscription,
} from '../../support/decided/rows.ts'

const MINUTE = 60_000
const wallet = { paymentMode: 'BALANCE', mandate: { instrument: {}, payer: PAYER } } as const
const awaited = (more: Parameters<typeof mandatePage>[0] = {}) => mandatePage({ openedAt: null, until: NOW + 4 * MINUTE, ...more })

const change = (what: { extends: true } | { language: string }) => ({ pageHash: 'P', change: what, now: NOW })

decides(changeMandatePage, {
  'a payer who asks for more time has it': {
    given: [mandatePage()],
    when: change({ extends: true }),
    comes: { reply: 'changed', changes: [['update mandatePages P', { until: NOW + 15 * MINUTE, extensions: 1 }]] },
  },
  'ten times': { given: [mandatePage({ extensions: 10 })], when: change({ extends: true }), comes: 'over' },
  'a language is kept, also before the page is open': {
    given: [awaited()],
    when: change({ language: 'hi' }),
    comes: { reply: 'changed', changes: [['update mandatePages P', { view: { language: 'hi' } }]] },
  },
  'what is not open has no more time': { given: [awaited()], when: change({ extends: true }), comes: 'over' },
  'what is over is changed no more': { given: [mandatePage({ until: NOW })], when: change({ language: 'hi' }), comes: 'over' },
  'nor what is not there': { given: [], when: change({ language: 'hi' }), comes: 'over' },
})

const keep = { linkHash: 'L', mid: MID, subscriptionId: SUBSCRIPTION, now: NOW }

decides(keepMandateLink, {
  'a link is kept once': {
    given: [],
    when: keep,
    comes: { reply: 'kept', changes: [['insert mandateLinks L', { mid: MID, subscriptionId: SUBSCRIPTION }]], events: ['link.kept >KEPT'] },
  },
  'one that is there stays': { given: [mandateLink()], when: keep, comes: 'kept' },
})

const open = (code = '123456', codeHash = 'right') => ({ pageHash: 'P', code, codeHash, now: NOW })

decides(openMandatePage, {
  'the code opens the page for fifteen minutes': {
    given: [awaited()],
    when: open(),
    comes: { reply: 'right', changes: [['update mandatePages P', { openedAt: NOW, until: NOW + 15 * MINUTE, usedAt: NOW }]] },
  },
  'a wrong code spends a try': {
    given: [awaited()],
    when: open('123456', 'wrong'),
    comes: { reply: 'wrong', changes: [['update mandatePages P', { tries: 1 }]] },
  },
  'what is no code spends none': { given: [awaited()], when: open('12345'), comes: 'wrong' },
  'tries have an end': { given: [awaited({ tries: 3 })], when: open(), comes: 'exceeded' },
  'a page that is open is not opened again': { given: [mandatePage()], when: open(), comes: 'used' },
  'a code that is over opens nothing': { given: [awaited({ codeUntil: NOW })], when: open(), comes: 'over' },
  'nor a page that is over': { given: [awaited({ until: NOW })], when: open(), comes: 'over' },
  'nor one that is not there': { given: [], when: open(), comes: 'over' },
})

const send = (by: 'page' | 'link', codeFor: 'open' | `debit:${string}` | `edit:${string}` = 'open', more: object = {}) => ({
  ...{ mid: MID, subscriptionId: SUBSCRIPTION, codeFor, limits: LIMITS, now: NOW },
  by: by === 'page' ? ('page' as const) : { agentHash: 'agent', view: mandatePage().row.view },
  fresh: { pageHash: 'P', otp: '654321', codeHash: 'new', messageId: 'MSG' },
  ...more,
})
const around = [merchant(), firstOrder({ payer: PAYER }), customer()]
const ours = [...around, subscription(wallet)]
const code = { codeHash: 'new', tries: 0, codeUntil: NOW + 5 * MINUTE }
const counted = ['insert mandateCodeSends 9999900001', { sentAt: [NOW] }] as const
const message = ['otp-message.due MSG +0']

decides(sendMandateCode, {
  'a link asks for a new page, which waits for its code': {
    given: ours,
    when: send('link'),
    comes: {
      reply: 'success',
      changes: [['insert mandatePages P', { ...code, openedAt: null, codeFor: 'open', mobile: PAYER.mobile }], counted],
      tasks: message,
    },
  },
  'a page that waits may be sent another code': {
    given: [...ours, awaited({ tries: 2 })],
    when: send('page'),
    comes: { reply: 'success', changes: [['update mandatePages P', { ...code, until: NOW + 5 * MINUTE }], counted], tasks: message },
  },
  'an open page is sent one for a debit that waits': {
    given: [...ours, mandatePage(), notice(), cycle({ authentication: 'ASKED' })],
    when: send('page', 'debit:N'),
    comes: {
      reply: 'success',
      changes: [['update mandatePages P', { codeHash: 'new', codeFor: 'debit:N', codeUntil: NOW + 5 * MINUTE }], counted],
      tasks: message,
    },
  },
  'and for terms that wait': {
    given: [...around, subscription({ ...wallet, edit: { editId: 'E', renewalAmountPaise: 1_00, validUntil: NOW + 1 } }), mandatePage()],
    when: send('page', 'edit:E'),
    comes: {
      reply: 'success',
      changes: [['update mandatePages P', { codeHash: 'new', codeFor: 'edit:E', codeUntil: NOW + 5 * MINUTE }], counted],
      tasks: message,
    },
  },
  'a mandate that is not there has no code': { given: around, when: send('link'), comes: 'gone' },
  'nor has one a month after its end': {
    given: [...around, subscription({ ...wallet, status: 'EXPIRED', subStatus: 'EXPIRED', updatedAt: NOW - 30 * DAY })],
    when: send('link'),
    comes: 'gone',
  },
  'a page of another mandate is sent none': { given: [...ours, awaited({ subscriptionId: 'X' })], when: send('page'), comes: 'gone' },
  'an open page is not opened again': { given: [...ours, mandatePage()], when: send('page'), comes: 'gone' },
  'where no debit waits no code is sent': {
    given: [...ours, mandatePage(), notice(), cycle()],
    when: send('page', 'debit:N'),
    comes: 'nothingWaits',
  },
  'where no terms wait none is': { given: [...ours, mandatePage()], when: send('page', 'edit:E'), comes: 'nothingWaits' },
  'a bank asks its payer itself': {
    given: [...around, subscription({ edit: { editId: 'E', validUntil: NOW + 1 } }), mandatePage()],
    when: send('page', 'edit:E'),
    comes: 'nothingWaits',
  },
  'a number whose owner may have changed is sent none': {
    given: [...ours.filter(({ table }) => table !== 'customers'), customer({ pendingVerificationSince: NOW - 1 })],
    when: send('link'),
    comes: 'blocked',
  },
  'nor ever one for a mandate from before the report of a change of owner': {
    given: [
      ...ours.filter(({ table }) => table !== 'customers'),
      subscription({ ...wallet, consentedAt: NOW - 3 * DAY }),
      customer({ pendingVerificationSince: NOW - 3 * DAY }),
    ],
    when: send('link'),
    comes: 'gone',
  },
  'nor by a page of it that is open': {
    given: [
      ...ours.filter(({ table }) => table !== 'customers'),
      subscription({ ...wallet, consentedAt: NOW - 3 * DAY, edit: { editId: 'E', renewalAmountPaise: 1_00, validUntil: NOW + 1 } }),
      customer({ pendingVerificationSince: NOW - 3 * DAY }),
      mandatePage(),
    ],
    when: send('page', 'edit:E'),
    comes: 'gone',
  },
  'nor is one that was sent five within an hour': {
    given: [...ours, sends('mandateCodeSends', 5, 4, 3, 2, 1)],
    when: send('link'),
    comes: 'sendLimitReached',
  },
  'what was sent a day ago is forgotten': {
    given: [...ours, sends('mandateCodeSends', DAY, HOUR)],
    when: send('link'),
    comes: {
      reply: 'success',
      changes: [
        ['insert mandatePages P', code],
        ['update mandateCodeSends 9999900001', { sentAt: [NOW - HOUR, NOW], lastAt: NOW }],
      ],
      tasks: message,
    },
  },
})

const link = { mid: MID, custId: 'C', ssoTokenHash: 'sso', now: NOW }

decides(linkCustomer, {
  'the first token that comes with a custId says whose it is': {
    given: [ssoToken(), family()],
    when: link,
    comes: { reply: 'success', changes: [['insert customerLinks C', { userId: 'U' }]] },
  },
  'it stays theirs': { given: [ssoToken({ userId: 'X' }), family(), customerLink()], when: link, comes: 'success' },
  'a token of a number whose change of owner was reported since says nothing': {
    given: [ssoToken(), family(), customer({ pendingVerificationSince: NOW - 1 })],
    when: link,
    comes: 'badRequest head.token unknownPayer',
  },
  'a token that was revoked says nothing': {
    given: [ssoToken({ revokedAt: NOW }), family()],
    when: link,
    comes: 'badRequest head.token unknownPayer',
  },
})

const deliver = (delivery: 'delivered' | 'refused' | 'unknown', attempts = 0) => ({
  ...{ messageId: 'MSG', message: { mobile: PAYER.mobile, attempts } as PayerMessage, delivery, now: NOW },
})

decides(applyMessageDelivery, {
  'a message that was taken is sent': { given: [], when: deliver('delivered'), comes: 'sent' },
  'one that was refused is given up': { given: [], when: deliver('refused'), comes: 'givenUp' },
  ...Object.fromEntries(
    ['1m', '5m', '30m', '2h', '6h'].map((after, attempts) => [
      `try ${attempts + 1} without an answer is followed by another after ${after}`,
      {
        given: [],
        when: deliver('unknown', attempts),
        comes: {
          reply: 'waiting',
          tasks: [[`payer-message.due MSG +${after}`, { mobile: PAYER.mobile, attempts: attempts + 1 }]],
        },
      } as const,
    ]),
  ),
  'after six tries it is given up': { given: [], when: deliver('unknown', 5), comes: 'givenUp' },
})
