// Members without a value are not there: docs/interface.md section 4.

type Present<T> = { [N in keyof T as undefined extends T[N] ? never : N]: T[N] } & {
  [N in keyof T as undefined extends T[N] ? N : never]?: Exclude<T[N], undefined>
}

/** The members that have a value, in their order. */
export function present(members: Readonly<Record<string, string | undefined>>): Record<string, string>
export function present<T extends object>(members: T): Present<T>
export function present(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
