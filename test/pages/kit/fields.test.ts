// A refused choice: a screen reader reads the message beside the choice, and marks each button as wrong.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { radios } from '../../../src/pages/kit/fields.ts'

const shown = (panel: string) => {
  const fault = { field: 'plan', panel: 'emi', message: 'Choose a plan' }
  const { text } = radios({
    name: 'plan',
    label: 'Plan',
    fault,
    panel,
    value: '3',
    of: [
      ['3', 'Three'],
      ['6', 'Six'],
    ],
  })
  const count = (part: string) => text.split(part).length - 1
  return [count('aria-invalid="true"'), count('aria-describedby'), count('Choose a plan'), count(' checked')]
}

test('each button of a refused choice says that it is wrong, and the choice says why', () => {
  assert.deepEqual(shown('emi'), [2, 1, 1, 1])
})

test('a choice of another panel says nothing of it', () => {
  assert.deepEqual(shown('card'), [0, 0, 0, 1])
})
