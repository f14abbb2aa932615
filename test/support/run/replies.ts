// The result code in a reply.

import type { Reply } from './service.ts'

export const codeOf = ({ body: { resultInfo } }: Reply): string => resultInfo.code ?? resultInfo.resultCode
export const codeAndMessage = ({ body: { resultInfo } }: Reply): [string, string] => [resultInfo.resultCode, resultInfo.resultMsg]
