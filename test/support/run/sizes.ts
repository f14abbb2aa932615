// How large the searches of the tests are. What a small one finds it finds on every change; `MOHUR_LONG=1` runs all of them whole.

/** `short` as a rule, `long` where the long form is asked for. */
export const sized = (short: number, long: number) => (process.env['MOHUR_LONG'] === '1' ? long : short)
