// The sizes of the tests' searches. A small search runs on every change; `MOHUR_LONG=1` runs all of them whole.

export const sized = (short: number, long: number) => (process.env['MOHUR_LONG'] === '1' ? long : short)
