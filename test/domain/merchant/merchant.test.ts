// Decisions about merchants and their keys: docs/decisions/0027, and docs/interface.md section 4.18 for the address that a plugin
// registers.

import { type ChangeMerchant, changeMerchant } from '../../../src/domain/merchant/change-merchant.ts'
import { addMerchant, NEW_KEY, rotateKey } from '../../../src/domain/merchant/keys.ts'
import { activateKey, dropKey, prepareKey } from '../../../src/domain/merchant/prepared-key.ts'
import { recordKeyUse } from '../../../src/domain/merchant/record-key-use.ts'
import { redateKey } from '../../../src/domain/merchant/redate-key.ts'
import { registerNotificationUrl } from '../../../src/domain/merchant/register-notification-url.ts'
import { type Comes, decides } from '../../support/decided/decides.ts'
import { DAY, HOUR, MID, merchant, merchantKey, NOW } from '../../support/decided/rows.ts'

const MINUTE = 60_000
const added = { merchant: merchant().row, clientId: 'C11', fresh: { key: 'fresh' } }

decides(addMerchant, {
  'a merchant comes with a key': {
    given: [],
    when: added,
    comes: {
      reply: 'added',
      changes: [
        ['insert merchants M', { name: 'Shop', status: 'ACTIVE' }],
        ['insert merchantKeys 0', { mid: MID, clientId: 'C11', generation: '0', position: 0, key: 'fresh', ...NEW_KEY }],
      ],
    },
  },
  'a mid that is there is not added again': { given: [merchant()], when: added, comes: 'known' },
})

const change = (settings: ChangeMerchant['settings'], version?: number): ChangeMerchant => ({
  ...{ mid: MID, settings, by: 'command', now: NOW, ...(version !== undefined && { version }) },
})

decides(changeMerchant, {
  'a setting is changed, and the first event of a merchant begins with nothing': {
    given: [merchant()],
    when: change({ feeHundredths: 250 }),
    comes: {
      reply: ['changed', { names: ['feeHundredths'] }],
      changes: [['update merchants M', { feeHundredths: 250 }]],
      events: [['merchant.changed >ACTIVE', { by: 'command', settings: 'feeHundredths', feeHundredths: 250 }]],
    },
  },
  'settings that were made of a row that has changed since are not set': {
    given: [merchant({ version: 2 })],
    when: change({ feeHundredths: 250 }, 1),
    comes: 'stale',
  },
  'settings that were made of this row are set': {
    given: [merchant({ version: 2 })],
    when: change({ feeHundredths: 250 }, 2),
    comes: { reply: 'changed', changes: [['update merchants M', { feeHundredths: 250 }]], events: ['merchant.changed ACTIVE>ACTIVE'] },
  },
  'a merchant is disabled': {
    given: [merchant({ version: 1 })],
    when: change({ status: 'DISABLED' }),
    comes: { reply: 'changed', changes: [['update merchants M', { status: 'DISABLED' }]], events: ['merchant.disabled ACTIVE>DISABLED'] },
  },
  'a disabled merchant is enabled again': {
    given: [merchant({ status: 'DISABLED', version: 2 })],
    when: change({ status: 'ACTIVE' }),
    comes: { reply: 'changed', changes: [['update merchants M', { status: 'ACTIVE' }]], events: ['merchant.enabled DISABLED>ACTIVE'] },
  },
  'a disabled one has its settings changed and stays disabled': {
    given: [merchant({ status: 'DISABLED', version: 2 })],
    when: change({ status: 'DISABLED', name: 'Other', mcc: '5411' }),
    comes: {
      reply: 'changed',
      changes: [['update merchants M', { name: 'Other', mcc: '5411' }]],
      events: [['merchant.changed DISABLED>DISABLED', { settings: 'mcc name' }]],
    },
  },
  'settings that are as wanted are not written': {
    given: [merchant()],
    when: change({ status: 'ACTIVE', websites: { DEFAULT: {} } }),
    comes: 'same',
  },
  'a merchant that is not there is not changed': { given: [], when: change({ feeHundredths: 250 }), comes: 'unknown' },
})

const rotate = (more: { clientId?: string; atOnce?: boolean } = {}) => ({
  ...{ mid: MID, clientId: 'C11', now: NOW, realNow: NOW, fresh: { key: 'fresh' }, ...more },
})
const key = (generation: number, retiresAt: number | null = null) => merchantKey({ generation: String(generation), retiresAt })
const next = (generation: number) =>
  [`insert merchantKeys ${generation}`, { mid: MID, clientId: 'C11', position: 0, key: 'fresh', retiresAt: null }] as const
const retired = (generation: number) => [`update merchantKeys ${generation}`, { retiresAt: NOW + DAY }] as const
const others = (count: number) => Array.from({ length: count }, (_, at) => merchantKey({ clientId: 'OTHER', generation: String(at) }))

/** The change of keys, and the event that names the key by its number. */
const keysChange = (reply: string, type: string) => (number: number, changes: NonNullable<Comes['changes']>) => ({
  reply,
  changes: [...changes, ['update merchants M'] as const],
  events: [[`merchant.${type} >ACTIVE`, { by: 'command', settings: `C11/${number}` }] as const],
})
const rotated = keysChange('rotated', 'key-rotated')
const ended = keysChange('ended', 'keys-ended')
const prepared = (generation: number) => merchantKey({ generation: String(generation), isPrepared: true })

decides(rotateKey, {
  'a new key is good at once, and the key before for another day': {
    given: [merchant(), key(0)],
    when: rotate(),
    comes: rotated(2, [retired(0), next(1)]),
  },
  'where the old key has leaked it is deleted at once': {
    given: [merchant(), key(0)],
    when: rotate({ atOnce: true }),
    comes: ended(2, [['delete merchantKeys 0'], next(1)]),
  },
  'two keys leaked: one is deleted, and the other ends at a time that no clock reaches': {
    given: [merchant(), key(0, NOW + HOUR), key(1)],
    when: rotate({ atOnce: true }),
    comes: ended(3, [['delete merchantKeys 0'], ['update merchantKeys 1', { retiresAt: 0 }], next(2)]),
  },
  'a key whose day is over goes for the new one': {
    given: [merchant(), key(0, NOW), key(1)],
    when: rotate(),
    comes: rotated(3, [['delete merchantKeys 0'], retired(1), next(2)]),
  },
  'a key that ends sooner than in a day keeps its end': {
    given: [merchant(), key(0, NOW + 1), key(1)],
    when: rotate(),
    comes: rotated(3, [retired(1), next(2)]),
  },
  'a key that ends later than in a day ends in a day': {
    given: [merchant(), key(0, NOW + DAY + 1), key(1)],
    when: rotate(),
    comes: rotated(3, [retired(0), retired(1), next(2)]),
  },
  'the eleventh generation follows the tenth': {
    given: [merchant(), key(9, NOW + HOUR), key(10)],
    when: rotate(),
    comes: rotated(12, [retired(10), next(11)]),
  },
  'keys of another clientId stay': {
    given: [merchant(), key(0), ...others(1)],
    when: rotate(),
    comes: rotated(2, [retired(0), next(1)]),
  },
  'while a key is prepared no other is made': { given: [merchant(), key(0), prepared(1)], when: rotate(), comes: 'onePrepared' },
  'where a key has leaked the prepared one ends too': {
    given: [merchant(), key(0), prepared(1)],
    when: rotate({ atOnce: true }),
    comes: ended(3, [['delete merchantKeys 0'], ['update merchantKeys 1', { retiresAt: 0, isPrepared: false }], next(2)]),
  },
  'a merchant that is not there has no key': { given: [key(0)], when: rotate(), comes: 'unknown' },
  'a clientId that is not there has no key': { given: [merchant(), key(0)], when: rotate({ clientId: 'NEW' }), comes: 'unknown' },
  'a hundred keys of a merchant are the most': { given: [merchant(), key(0), ...others(99)], when: rotate(), comes: 'tooMany' },
  'the hundredth key of a merchant is made': {
    given: [merchant(), key(0), ...others(98)],
    when: rotate(),
    comes: rotated(2, [retired(0), next(1)]),
  },
  'where one of the hundred is over the new one takes its place': {
    given: [merchant(), key(0, NOW - 1), key(1), ...others(98)],
    when: rotate(),
    comes: rotated(3, [['delete merchantKeys 0'], retired(1), next(2)]),
  },
})

const steps = (more: { clientId?: string; atOnce?: boolean } = {}) => ({ mid: MID, clientId: 'C11', now: NOW, realNow: NOW, ...more })
const fresh = { key: 'fresh' }
const preparation = keysChange('prepared', 'key-prepared')
const activation = keysChange('activated', 'key-activated')
const drop = keysChange('dropped', 'key-dropped')
const nextPrepared = (generation: number) => [`insert merchantKeys ${generation}`, { ...NEW_KEY, key: 'fresh', isPrepared: true }] as const
const activated = (generation: number) => [`update merchantKeys ${generation}`, { isPrepared: false }] as const

decides(prepareKey, {
  'a prepared key stands beside the one that signs': {
    given: [merchant(), key(0)],
    when: { ...steps(), fresh },
    comes: preparation(2, [nextPrepared(1)]),
  },
  'a key that was dropped goes for it, and its number is not used again': {
    given: [merchant(), key(0), key(1, 0)],
    when: { ...steps(), fresh },
    comes: preparation(3, [['delete merchantKeys 1'], nextPrepared(2)]),
  },
  'one key of a clientId is prepared': { given: [merchant(), key(0), prepared(1)], when: { ...steps(), fresh }, comes: 'alreadyPrepared' },
  'another clientId’s prepared key is its own': {
    given: [merchant(), key(0), merchantKey({ clientId: 'C12', isPrepared: true })],
    when: { ...steps(), fresh },
    comes: preparation(2, [nextPrepared(1)]),
  },
  'a hundred keys are the most, prepared ones too': {
    given: [merchant(), key(0), ...others(99)],
    when: { ...steps(), fresh },
    comes: 'tooMany',
  },
  'a merchant that is not there has none': { given: [key(0)], when: { ...steps(), fresh }, comes: 'unknown' },
  'a clientId that is not there has none': {
    given: [merchant(), key(0)],
    when: { ...steps({ clientId: 'NEW' }), fresh },
    comes: 'unknown',
  },
})

decides(activateKey, {
  'the prepared key signs, and the key before has its day': {
    given: [merchant(), key(0), prepared(1)],
    when: steps(),
    comes: activation(2, [retired(0), activated(1)]),
  },
  'a key that is ending keeps its end': {
    given: [merchant(), key(0, NOW + HOUR), key(1), prepared(2)],
    when: steps(),
    comes: activation(3, [retired(1), activated(2)]),
  },
  'where the old key has leaked it ends at once': {
    given: [merchant(), key(0), prepared(1)],
    when: steps({ atOnce: true }),
    comes: keysChange('ended', 'key-activated')(2, [['update merchantKeys 0', { retiresAt: 0 }], activated(1)]),
  },
  'without a prepared key there is none to activate': { given: [merchant(), key(0)], when: steps(), comes: 'notPrepared' },
  'a merchant that is not there has none': { given: [prepared(0)], when: steps(), comes: 'unknown' },
  'a clientId that is not there has none': { given: [merchant(), key(0)], when: steps({ clientId: 'NEW' }), comes: 'unknown' },
})

decides(dropKey, {
  'a prepared key that is dropped ends, and keeps its number': {
    given: [merchant(), key(0), prepared(1)],
    when: steps(),
    comes: drop(2, [['update merchantKeys 1', { isPrepared: false, retiresAt: 0 }]]),
  },
  'the key that signs is not dropped': { given: [merchant(), key(0)], when: steps(), comes: 'notPrepared' },
  'a merchant that is not there has none': { given: [prepared(0)], when: steps(), comes: 'unknown' },
})

const use = (more: object = {}) => ({
  ...{ mid: MID, clientId: 'C11', generation: '0', key: 'first', seenAt: NOW, wrong: 2, realNow: NOW, ...more },
})
const recorded = (row: Readonly<Record<string, unknown>>) => ({ reply: 'recorded', changes: [['update merchantKeys 0', row]] as const })

decides(recordKeyUse, {
  'what an hour has seen is added': { given: [key(0)], when: use(), comes: recorded({ lastSeenAt: NOW, wrongSignatures: 2 }) },
  'with two processes the later time stands, and the counts add up': {
    given: [merchantKey({ lastSeenAt: NOW + 1, wrongSignatures: 3 })],
    when: use(),
    comes: recorded({ wrongSignatures: 5 }),
  },
  'a time of a clock far ahead gives way': {
    given: [merchantKey({ lastSeenAt: NOW + DAY })],
    when: use({ wrong: 0 }),
    comes: recorded({ lastSeenAt: NOW }),
  },
  'wrong signatures alone leave the time': {
    given: [merchantKey({ lastSeenAt: NOW - DAY })],
    when: use({ seenAt: null }),
    comes: recorded({ wrongSignatures: 2 }),
  },
  'a key that another took the place of is not counted': { given: [merchantKey({ key: 'other' })], when: use(), comes: 'gone' },
  'a key that is not there is not counted': { given: [], when: use(), comes: 'gone' },
})

const redate = { mid: MID, clientId: 'C11', generation: '0', now: NOW }

decides(redateKey, {
  'a key that a clock far ahead has dated has its day from now': {
    given: [key(0, NOW + DAY + MINUTE + 1)],
    when: redate,
    comes: { reply: 'redated', changes: [retired(0)] },
  },
  'a clock that is a minute ahead is not wrong': { given: [key(0, NOW + DAY + MINUTE)], when: redate, comes: 'kept' },
  'a key without an end keeps none': { given: [key(0)], when: redate, comes: 'kept' },
  'a key that is not there is not dated': { given: [], when: redate, comes: 'kept' },
})

const URL = 'https://plugin.example/all'
const register = (url: string | undefined = URL) => ({ mid: MID, url, now: NOW, fresh: { secret: 'fresh' } })
const plugged = (notification: ReturnType<typeof merchant>['row']['notification']) =>
  merchant({ registersNotificationUrl: true, notification })
const notified = (notification: object) => ({
  reply: 'success',
  changes: [['update merchants M', { notification }]] as const,
  events: [['merchant.changed >ACTIVE', { by: 'plugin', settings: 'notification' }]] as const,
})

decides(registerNotificationUrl, {
  'an address that a plugin registers is notified in the classic form, with a new secret': {
    given: [plugged(null)],
    when: register(),
    comes: notified({ url: URL, form: 'classic', secret: 'fresh', isRegistered: true }),
  },
  'a form and a secret that the operator set without an address stay': {
    given: [plugged({ form: 'json', secret: 'known' })],
    when: register(),
    comes: notified({ url: URL, form: 'json', secret: 'known', isRegistered: true }),
  },
  'a plugin’s address is replaced by a plugin': {
    given: [plugged({ url: 'https://plugin.example/old', form: 'classic', secret: 's', isRegistered: true })],
    when: register(),
    comes: notified({ url: URL, form: 'classic', secret: 's', isRegistered: true }),
  },
  'a plugin that registers its address again changes nothing': {
    given: [plugged({ url: URL, form: 'classic', secret: 's', isRegistered: true })],
    when: register(),
    comes: 'success',
  },
  'a plugin’s address is unset by a plugin': {
    given: [plugged({ url: URL, form: 'classic', secret: 's', isRegistered: true })],
    when: { ...register(), url: undefined },
    comes: notified({ form: 'classic', secret: 's', isRegistered: true }),
  },
  'a plugin neither replaces nor unsets the operator’s address': {
    given: [plugged({ url: URL, form: 'json', secret: 's' })],
    when: { ...register(), url: undefined },
    comes: 'alreadySet',
  },
  'no plugin registers an address unless the operator lets it': {
    given: [merchant({ notification: null })],
    when: register(),
    comes: 'notRegistered',
  },
  'a merchant that is not there has no address registered': { given: [], when: register(), comes: 'invalidChecksum' },
})
