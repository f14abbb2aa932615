#!/bin/sh
# A first order, from its creation to its payment: Create Order, Process Transaction, Order Status.
# Run it beside `npm start`. It needs curl and Node, prints every request (behind >) and reply, and ends with 1 when a step fails.
#
#   examples/first-order.sh
#   MOHUR_URL=http://127.0.0.1:18080 examples/first-order.sh      for a service on another port
set -eu

MOHUR_URL=${MOHUR_URL:-http://127.0.0.1:8080}
MID=${MID:-DEMO0000000000000001}   # the sandbox's demo merchant
KEY=${KEY:-ABCDEFGHIJKLMNOP}       # its key, which is published: for a sandbox only
ORDER=${ORDER:-ORDER_$(date +%s)$$}
PRICE=499.00
MOHUR=$(dirname "$0")/../bin/mohur.mjs

fail() { printf 'FAILED: %s\n' "$1" >&2; exit 1; }
for program in curl node; do command -v $program >/dev/null || fail "this script needs $program"; done

# The checksum of a text. Send exactly the text that you signed.
sign() { node "$MOHUR" sign --key "$KEY" "$1"; }

# Sends a request, prints it with its reply, and keeps the reply in $reply. In a sandbox the header Mohur-Hint says why a request was refused.
post() { # path, request
  printf '> POST %s\n> %s\n' "$MOHUR_URL$1" "$2"
  answered=$(curl -sS -i --max-time 30 -H 'content-type: application/json' "$MOHUR_URL$1" -d "$2") ||
    fail "no reply from $MOHUR_URL. Start the service with 'npm start', or set MOHUR_URL to the address that it prints."
  reply=$(printf '%s\n' "$answered" | tail -n 1)
  hint=$(printf '%s\n' "$answered" | tr -d '\r' | sed -n 's/^[Mm]ohur-[Hh]int: //p')
  printf '%s\n' "$reply"
}
member() { printf '%s\n' "$reply" | sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }
expect() { # member, value
  [ "$(member "$1")" = "$2" ] || fail "$1 is '$(member "$1")' and not '$2': $(member resultMsg) ${hint:-}"
}

echo "1. Create Order. The shop's server signs the body with the merchant's key."
body='{"requestType":"PAYMENT","mid":"'$MID'","orderId":"'$ORDER'","txnAmount":{"value":"'$PRICE'","currency":"INR"},"userInfo":{"custId":"CUST_1"},"websiteName":"DEFAULT"}'
signature=$(sign "$body")
post "/aoa-acquiring-biz/v2/order?mid=$MID&orderId=$ORDER" '{"head":{"signature":"'"$signature"'"},"body":'"$body"'}'
expect resultStatus S
txn_token=$(member txnToken)

echo
echo "2. Process Transaction. The payer pays with a test card. The token of step 1 is the credential, so nothing is signed."
post "/theia/api/v1/processTransaction?mid=$MID&orderId=$ORDER" \
  '{"head":{"txnToken":"'"$txn_token"'"},"body":{"mid":"'$MID'","orderId":"'$ORDER'","paymentMode":"CREDIT_CARD","cardInfo":"|4111111111111111|123|122032"}}'
expect STATUS TXN_SUCCESS

echo
echo "3. Order Status. The shop's server asks before it ships, and compares the amount."
body='{"mid":"'$MID'","orderId":"'$ORDER'"}'
signature=$(sign "$body")
post /v3/order/status '{"head":{"signature":"'"$signature"'"},"body":'"$body"'}'
expect resultStatus TXN_SUCCESS
expect payableAmount $PRICE

echo
echo "PAID: order $ORDER, Rs $PRICE, transaction $(member txnId)."
