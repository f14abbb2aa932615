// A bank or a shop names the fields of its form. A field hides a property or method of the form that has the field's name. So nothing is
// read off a form: attributes and methods come from the prototypes.

export const { append, closest, getAttribute, hasAttribute, matches, querySelectorAll, setAttribute } = Element.prototype

/** @type {<E extends HTMLElement>(kind: new () => E, selector: string, within?: Element) => E[]} */
export const all = (kind, selector, within = document.documentElement) =>
  [...querySelectorAll.call(within, selector)].flatMap((each) => (each instanceof kind ? [each] : []))
/** @type {<E extends HTMLElement>(kind: new () => E, selector: string, within?: Element) => E | undefined} */
export const first = (kind, selector, within) => all(kind, selector, within)[0]
