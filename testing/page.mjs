// Reads the forms of Mohur's own pages, which quote every attribute and write special characters as numbers.

const unescaped = (text) => text.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)))

const attributesOf = (tag) =>
  Object.fromEntries([...tag.matchAll(/\s([a-z-]+)(?:="([^"]*)")?/g)].map(([, name, value = '']) => [name, unescaped(value)]))

function formsOf(html) {
  return [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, tag, inner]) => {
    const inputs = [...inner.matchAll(/<input([^>]*)>/g)].map(([, input]) => attributesOf(input))
    const sent = inputs.filter(({ type, name, checked }) => name !== undefined && (type === 'hidden' || checked !== undefined))
    return { ...attributesOf(tag), fields: Object.fromEntries(sent.map(({ name, value = '' }) => [name, value])) }
  })
}

/** The form of a way to pay, by its hidden fields. Only some ways have a `by`. */
export const formOf = (html, { mode, by }) =>
  formsOf(html).find(({ action = '', fields }) => action.endsWith('/pay') && fields.mode === mode && fields.by === by)

/** The signed form that takes the browser back to the shop. */
export function callbackIn(html) {
  const form = formsOf(html).find((each) => each['data-to-shop'] !== undefined)
  return form && { url: form.action, fields: form.fields }
}
