// Members without a value count as absent: docs/interface.md section 4.

type DefinedMembers<T> = { [N in keyof T as undefined extends T[N] ? never : N]: T[N] } & {
  [N in keyof T as undefined extends T[N] ? N : never]?: Exclude<T[N], undefined>
}

export function definedMembers(members: Readonly<Record<string, string | undefined>>): Record<string, string>
export function definedMembers<T extends object>(members: T): DefinedMembers<T>
export function definedMembers(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
