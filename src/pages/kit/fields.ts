// The controls of a page's forms. Each is tied to its label, its hint and its fault.

import { type Html, html, type Part } from '../html.ts'

/** The refusal of a typed value. The page shows it once above the choices and once beside its field. */
export interface FieldFault {
  /** The field at fault; absent when the whole form is at fault. */
  field?: string
  panel: string
  message: string
  /** The amount to pay now. The form showed another amount, or a cashback that the payment does not get. */
  paise?: number
  /** The payment does not get the cashback that the form promised. */
  isCashbackGone?: true
  /** Another payer has signed in meanwhile. Nothing of theirs is chosen before they choose it. */
  isOtherPayer?: true
  /** Further faults of the same form. */
  also?: readonly { field: string; message: string }[]
}

export interface FieldOptions {
  name: string
  label: Part
  hint?: Part
  fault: FieldFault | undefined
  /** Tells this field apart from one of the same name in another panel. */
  panel: string
  value?: string | undefined
  type?: 'text' | 'password' | 'tel'
  inputMode?: 'numeric' | 'tel' | 'email' | 'text'
  autoComplete: string
  maxLength: number
  capitals?: boolean
  /**
   * The rule that browsers check without script. The script shows `says` for a value that does not match, and `past` for a month in the
   * past.
   */
  form?: { pattern: string; minLength: number; says: string; past?: string }
  /** The payer types here next. */
  isNext?: boolean
}

const idOf = (panel: string, name: string) => `${panel}-${name}`

const faultOf = (fault: FieldFault | undefined, panel: string, name: string) =>
  fault?.panel !== panel ? undefined : fault.field === name ? fault.message : fault.also?.find(({ field }) => field === name)?.message

/** The page's focus goes to the field at fault, else to the field where the payer types next. */
const isFocused = ({ name, fault, panel, isNext }: Pick<FieldOptions, 'name' | 'fault' | 'panel'> & { isNext?: boolean | undefined }) =>
  fault?.panel === panel ? fault.field === name : isNext

function around(
  { name, label, hint, fault, panel, isNext }: Pick<FieldOptions, 'name' | 'label' | 'hint' | 'fault' | 'panel' | 'isNext'>,
  control: (tied: Html) => Html,
) {
  const id = idOf(panel, name)
  const wrong = faultOf(fault, panel, name)
  const described = [hint !== undefined && `${id}-hint`, wrong !== undefined && `${id}-fault`].filter((each) => each !== false).join(' ')
  const tied = html` id="${id}" name="${name}"${described !== '' && html` aria-describedby="${described}"`}${wrong !== undefined && html` aria-invalid="true"`}${isFocused({ name, fault, panel, isNext }) && html` autofocus`}`
  return html`<div class="field"><label for="${id}">${label}</label>${control(tied)}${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}${wrong !== undefined && html`<p class="fault" id="${id}-fault">${wrong}</p>`}</div>`
}

export const textField = (options: FieldOptions): Html =>
  around(
    options,
    (tied) =>
      html`<input${tied} type="${options.type ?? 'text'}"${options.inputMode && html` inputmode="${options.inputMode}"`} autocomplete="${options.autoComplete}" maxlength="${options.maxLength}" spellcheck="false" autocapitalize="${options.capitals ? 'characters' : 'none'}"${options.form && html` pattern="${options.form.pattern}" minlength="${options.form.minLength}" data-says="${options.form.says}"${options.form.past !== undefined && html` data-past="${options.form.past}"`}`} required${options.value !== undefined && html` value="${options.value}"`}>`,
  )

export const choice = (
  options: Pick<FieldOptions, 'name' | 'label' | 'fault' | 'panel' | 'value'> & {
    none: Part
    of: readonly (readonly [value: string, name: Part, more?: Part])[]
  },
): Html =>
  around(
    options,
    (tied) =>
      html`<select${tied} required><option value="">${options.none}</option>${options.of.map(([value, name]) => html`<option value="${value}"${value === options.value && html` selected`}>${name}</option>`)}</select>`,
  )

export const radios = (
  options: Pick<FieldOptions, 'name' | 'label' | 'fault' | 'panel' | 'value' | 'isNext'> & {
    of: readonly (readonly [value: string, name: Part, more?: Part])[]
  },
): Html => {
  const wrong = faultOf(options.fault, options.panel, options.name)
  const id = idOf(options.panel, options.name)
  return html`<fieldset class="field"${wrong !== undefined && html` aria-describedby="${id}-fault"`}><legend>${options.label}</legend>${options.of.map(
    ([value, name, more], at) =>
      html`<label class="check"><input type="radio" name="${options.name}" value="${value}" required${at === 0 && isFocused(options) && html` autofocus`}${value === options.value && html` checked`}${wrong !== undefined && html` aria-invalid="true"`}><span>${name}${more !== undefined && html`<small>${more}</small>`}</span></label>`,
  )}${wrong !== undefined && html`<p class="fault" id="${id}-fault">${wrong}</p>`}</fieldset>`
}

export const checkbox = (name: string, label: Part, isChecked = false, value = '1'): Html =>
  html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${isChecked && html` checked`}><span>${label}</span></label>`

export const hidden = (name: string, value: string | number): Html => html`<input type="hidden" name="${name}" value="${value}">`

/** A form of hidden fields and a button. `isToShop`: the shop's page may take the fields itself. */
export const hiddenForm = (
  action: string,
  fields: Readonly<Record<string, string>>,
  button: Part,
  { goes = false, isTop = false, isToShop = false }: { goes?: boolean; isTop?: boolean; isToShop?: boolean } = {},
): Html =>
  html`<form method="post" action="${action}"${goes && html` data-goes`}${isToShop && html` data-to-shop`}${isTop && html` target="_top"`}>${Object.entries(fields).map(([name, value]) => hidden(name, value))}<button>${button}</button></form>`
