// Resolves relative imports without the disk. The imports name their file in full, but Node would look up each part of each path. That
// takes a fifth of the processor time of a start (docs/decisions/0037). Node itself resolves packages, and everything that `require` loads.

import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, resolveByNode) {
    const isRelative = specifier.startsWith('./') || specifier.startsWith('../')
    if (!isRelative || context.conditions.includes('require')) return resolveByNode(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, shortCircuit: true }
  },
})
