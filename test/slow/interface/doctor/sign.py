# Signs as Python kits do, correctly and in every wrong way that Python makes easy. Prints a line of JSON for each, for languages.test.ts.

import base64, hashlib, html, json, os, sys
from urllib.parse import quote, urlencode

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../support/checksum"))
sys.dont_write_bytecode = True
import PaytmChecksum


def sign(params, key=None):
    return PaytmChecksum.generateSignature(params, KEY if key is None else key)


KEY = "AB&DEFGHIJ#LMN<P"
OTHER = "ABCDEFGHIJKLMNOP"
LONG = "ABCDEFGHIJKLMN&P#STUVWXY"  # of 24 bytes: Python takes no key of another length
BODY = {
    "requestType": "Payment", "mid": "DEMO000000000001", "orderId": "ORDER_1", "txnAmount": {"value": "499.00", "currency": "INR"},
    "userInfo": {"custId": "C1", "firstName": None}, "callbackUrl": "https://shop.example/back", "extendInfo": {"comments": "Chai ₹"},
}


def plain(value, **more):
    return json.dumps(value, **{"ensure_ascii": False, "separators": (",", ":"), **more})


def line(causes, file, key=None):
    print(json.dumps({"causes": causes, "file": file, "key": KEY if key is None else key}))


def envelope(causes, signature, body=None, key=None):
    line(causes, '{"head":{"signature":%s},"body":%s}' % (json.dumps(signature), SENT if body is None else body), key)


def fields(causes, signature, form):
    line(causes, urlencode({**form, **({} if signature is None else {"CHECKSUMHASH": signature})}))


def with_plus(text):
    while True:
        made = sign(text)
        if "+" in made and "/" in made:
            return made


SENT = plain(BODY)
FLOAT = {**BODY, "txnAmount": {"value": 499.0, "currency": "INR"}}
LEFT = {name: value for name, value in BODY.items() if name != "callbackUrl"}
FORM = {"MID": "DEMO000000000001", "ORDERID": "ORDER_1", "TXNAMOUNT": "499.00", "CALLBACK_URL": "https://shop.example/back", "EMAIL": ""}
CALLBACK = {**FORM, "STATUS": "TXN_SUCCESS", "BANKTXNID": "", "RESPMSG": "Txn Success "}

envelope([], sign(SENT))
envelope([], sign(json.dumps(BODY)), json.dumps(BODY))
envelope(["form"], with_plus(SENT).replace("+", " "))
envelope(["form"], quote(sign(SENT), safe=""))
envelope(["form"], base64.encodebytes(base64.b64decode(sign(SENT))).decode())
envelope(["form"], base64.urlsafe_b64encode(base64.b64decode(with_plus(SENT))).decode())
envelope(["form"], base64.b64decode(sign(SENT)).hex())
envelope(["form"], hashlib.sha256(SENT.encode()).hexdigest())
envelope(["key-length"], sign(SENT, BODY["mid"]))
envelope(["key-length"], sign(SENT, (KEY[:9]).ljust(16, "\0")), key=KEY[:9])
envelope(["key-length"], sign(SENT, (KEY[:9]).ljust(16, "0")), key=KEY[:9])
envelope(["key-hash"], sign(SENT, LONG.split("#")[0]), key=LONG)
envelope(["key-quotes"], sign(SENT), key=f'"{KEY}"')
envelope(["key-quotes"], sign(SENT), key=f"{KEY}\n")
envelope(["key-quotes"], sign(SENT), key=f" {KEY} ")
envelope(["key-entity"], sign(SENT), key=html.escape(KEY))
envelope(["key-entity"], sign(SENT), key=quote(KEY))
envelope(["key-other"], sign(SENT, OTHER))
envelope(["spaces"], sign(json.dumps(BODY, ensure_ascii=False)))
envelope(["spaces"], sign(json.dumps(BODY, ensure_ascii=False, indent=4)))
envelope(["spaces"], sign(SENT), json.dumps(BODY, ensure_ascii=False))
envelope(["newline"], sign(SENT + "\n"))
envelope(["newline"], sign(json.dumps(BODY, ensure_ascii=False, indent=2)), json.dumps(BODY, ensure_ascii=False, indent=2).replace("\n", "\r\n"))
envelope(["order"], sign(plain(BODY, sort_keys=True)))
envelope(["escapes"], sign(plain(BODY, ensure_ascii=True)))
envelope(["numbers"], sign(plain(FLOAT)))
envelope(["numbers"], sign(plain(FLOAT)), plain(FLOAT).replace("499.0", "499"))
envelope(["nulls"], sign(plain({**BODY, "userInfo": {"custId": "C1"}})))
envelope(["envelope"], sign(plain({"head": {}, "body": BODY})))
envelope(["envelope"], sign(plain({"head": {"signature": None}, "body": BODY})))
CLOSE = {"mid": "M1", "orderId": "ORDER_1", "requestType": "CLOSE"}
envelope(["map"], sign(CLOSE), plain(CLOSE))
envelope(["twice"], sign(json.dumps(SENT, ensure_ascii=False)))
envelope(["twice"], sign(json.dumps(SENT)))
envelope(["changed"], sign(plain(LEFT)))
REPLY = plain({"mid": "M1", "resultInfo": {"resultStatus": "S"}})
envelope(["ours"], sign(REPLY), REPLY)
line(["absent"], '{"head":{},"body":%s}' % SENT)
fields([], sign(CALLBACK), CALLBACK)
fields(["with-hash"], sign({**FORM, "CHECKSUMHASH": ""}), FORM)
fields(["json"], sign(json.dumps(FORM)), FORM)
fields(["json"], sign(urlencode(FORM)), FORM)
fields(["trimmed"], sign(CALLBACK), {name: value.strip() for name, value in CALLBACK.items()})
fields(["trimmed"], sign(CALLBACK), {name: value for name, value in CALLBACK.items() if value})
fields(["absent"], None, CALLBACK)

envelope(["spaces", "escapes"], sign(json.dumps(BODY)))
envelope(["spaces", "order"], sign(json.dumps(BODY, ensure_ascii=False, sort_keys=True)))
envelope(["spaces", "numbers"], sign(json.dumps(FLOAT, ensure_ascii=False)))
envelope(["spaces", "envelope"], sign(json.dumps({"head": {}, "body": BODY}, ensure_ascii=False)))
envelope(["spaces", "changed"], sign(json.dumps(LEFT, ensure_ascii=False)))
envelope(["spaces", "newline"], sign(json.dumps(BODY, ensure_ascii=False) + "\n"))
envelope(["key-other", "spaces"], sign(json.dumps(BODY, ensure_ascii=False), OTHER))
envelope(["key-quotes", "spaces"], sign(json.dumps(BODY, ensure_ascii=False)), key=f"{KEY}\n")
envelope(["key-hash", "order"], sign(plain(BODY, sort_keys=True), LONG.split("#")[0]), key=LONG)
envelope(["form", "spaces"], quote(sign(json.dumps(BODY, ensure_ascii=False)), safe=""))
envelope(["spaces", "order", "escapes"], sign(json.dumps(BODY, sort_keys=True)))
