// Which payment modes an order may be paid by: docs/interface.md section 2, PaymentMode.

import type { PaymentModeFilters } from '../tables.ts'

/** What is left of one mode; an absent list leaves everything. */
export interface ModeLimits {
  channels?: ReadonlySet<string>
  banks?: ReadonlySet<string>
  tenures?: ReadonlySet<number>
  without: { channels: ReadonlySet<string>; banks: ReadonlySet<string>; tenures: ReadonlySet<number> }
}

/**
 * The merchant's modes, narrowed to the enabled ones and without the disabled ones. A disabled element that names
 * channels, banks or tenures takes away only those; one that names none takes away the whole mode.
 */
export function availableModes(merchantModes: readonly string[], { enable, disable }: PaymentModeFilters): Map<string, ModeLimits> {
  const modes = new Map<string, ModeLimits>()
  for (const mode of merchantModes) {
    const enabled = enable?.filter((element) => element.mode === mode)
    if (enabled?.length === 0 && enable?.some((element) => element.mode !== undefined)) continue
    const disabled = disable?.filter((element) => element.mode === mode) ?? []
    if (disabled.some((element) => !element.channels && !element.banks && !element.tenures)) continue
    modes.set(mode, {
      ...union('channels', enabled),
      ...union('banks', enabled),
      ...union('tenures', enabled),
      without: {
        channels: new Set(disabled.flatMap((element) => element.channels ?? [])),
        banks: new Set(disabled.flatMap((element) => element.banks ?? [])),
        tenures: new Set(disabled.flatMap((element) => element.tenures ?? [])),
      },
    })
  }
  return modes
}

/** EMI and debit cards together are how a Debit Card EMI is offered: docs/interface.md section 2, UserInfo. */
export function offersDebitCardEmi(merchantModes: readonly string[], filters: PaymentModeFilters): boolean {
  const modes = availableModes(merchantModes, filters)
  return modes.has('EMI') && modes.has('DEBIT_CARD')
}

type Element = NonNullable<PaymentModeFilters['enable']>[number]

/** The listed values of all elements for one mode; an element without a list enables everything. */
function union(list: 'channels' | 'banks' | 'tenures', elements: readonly Element[] | undefined): Partial<ModeLimits> {
  if (!elements || elements.length === 0 || elements.some((element) => !element[list])) return {}
  return { [list]: new Set<string | number>(elements.flatMap((element): readonly (string | number)[] => element[list] ?? [])) }
}
