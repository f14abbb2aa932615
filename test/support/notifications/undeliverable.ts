// Addresses of notifications in production: a world file, `mohur merchant set` and Register Notification URL take and refuse the same ones.

export const UNDELIVERABLE = [
  ...['http://shop.example/notify', 'https://shop.example:8080/notify', 'https://127.0.0.1/notify', 'https://10.1.2.3/notify'],
  ...['https://169.254.169.254/', 'https://[::1]/', 'https://[fd00::1]/notify', 'https://localhost/notify', 'https://0x7f.1/notify'],
] as const
export const DELIVERABLE = ['https://shop.example:8443/notify', 'https://8.8.8.8/notify'] as const
