// Every operation on one page. The first path is the interface's own; the others are spellings that clients in use send.

export interface OperationLine {
  method: 'POST'
  paths: readonly string[]
  credential: string
  section: string
  file: string
}

export const operations = {
  createOrder: {
    method: 'POST',
    paths: ['/aoa-acquiring-biz/v2/order', '/theia/api/v1/initiateTransaction', '/order/initiate'],
    credential: 'head.signature',
    section: '4.5',
    file: 'order/create-order.ts',
  },
  modifyOrder: {
    method: 'POST',
    paths: ['/aoa-acquiring-biz/v2/modifyOrder', '/theia/api/v1/updateTransactionDetail'],
    credential: 'head.token (TXN_TOKEN), head.signature',
    section: '4.3',
    file: 'order/modify-order.ts',
  },
} as const satisfies Record<string, OperationLine>
