// A certificate for hooks.example, for tests only. Its key is public, so trusting it means trusting every reader of this file.

export const certificate = `-----BEGIN CERTIFICATE-----
MIIBbTCCAROgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1ob29rcy5l
eGFtcGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAYMRYwFAYD
VQQDDA1ob29rcy5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEB7fS
+clNeDIjc7xlGvFYSMJ66Zj0hNc7QqIMecWH6qe3wyQQFBed05HWmIzH4brzvo+4
IQTsiG+PJ3lrrsqr7qNMMEowDwYDVR0TAQH/BAUwAwEB/zAYBgNVHREEETAPgg1o
b29rcy5leGFtcGxlMB0GA1UdDgQWBBTdkLoGEOgRd6ZyZouZyabzQPmbFDAKBggq
hkjOPQQDAgNIADBFAiEAu8yh5X8GKcX2Nn5AWooDnVW/0OezlOLQmTCBS+0vzXUC
IDnXJY0Omxov9wT/qzvEcuetdPhL9cFWRB6t83bnS30k
-----END CERTIFICATE-----`
export const key = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIEdN5FTzkaMjDQzL6jVqm4YFUeqauXZoqM25ygnBf6QLoAoGCCqGSM49
AwEHoUQDQgAEB7fS+clNeDIjc7xlGvFYSMJ66Zj0hNc7QqIMecWH6qe3wyQQFBed
05HWmIzH4brzvo+4IQTsiG+PJ3lrrsqr7g==
-----END EC PRIVATE KEY-----`
