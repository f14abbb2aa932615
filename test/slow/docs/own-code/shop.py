# A shop's own code on the published checksum library, as it was at its former gateway. docs/moving.md changes its four constants.
#   python3 shop.py order ORDER | status ORDER | callback < fields.json

import json
import sys
import urllib.request

import PaytmChecksum

HOST = "https://former-gateway.example"
MID = "FORMER00000000000001"
KEY = "FORMER_KEY_16_BY"
WEBSITE = "FORMERSITE"


def ask(path, body):
    signature = PaytmChecksum.generateSignature(json.dumps(body), KEY)
    sent = json.dumps({"body": body, "head": {"signature": signature}}).encode()
    request = urllib.request.Request(HOST + path, sent, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)["body"]


def order(order_id):
    return ask(f"/theia/api/v1/initiateTransaction?mid={MID}&orderId={order_id}", {
        "requestType": "Payment",
        "mid": MID,
        "websiteName": WEBSITE,
        "orderId": order_id,
        "txnAmount": {"value": "499.00", "currency": "INR"},
        "userInfo": {"custId": "CUST_1"},
        "callbackUrl": "http://127.0.0.1:3000/callback",
    })


action = sys.argv[1]
if action == "order":
    print(order(sys.argv[2])["txnToken"])
if action == "status":
    print(ask("/v3/order/status", {"mid": MID, "orderId": sys.argv[2]})["resultInfo"]["resultStatus"])
if action == "callback":
    fields = json.load(sys.stdin)
    checksum = fields.pop("CHECKSUMHASH")
    print(fields["STATUS"] if PaytmChecksum.verifySignature(fields, KEY, checksum) else "not signed")
