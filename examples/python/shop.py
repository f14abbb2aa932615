# A shop in Python: one product, the payment page, callback, notification and refund. It needs `cryptography` and nothing else.
#
#   MOHUR_URL=http://127.0.0.1:8080 MID=DEMO0000000000000001 KEY=ABCDEFGHIJKLMNOP PORT=3000 python3 shop.py

import base64, hashlib, hmac, json, os, secrets, sys
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit
from urllib.request import Request, urlopen

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

MOHUR_URL, MID, KEY = (os.environ[name] for name in ("MOHUR_URL", "MID", "KEY"))
PORT = int(os.environ.get("PORT", "3000"))
SHOP_URL = os.environ.get("SHOP_URL", f"http://127.0.0.1:{PORT}")
PRICE = "499.00"
orders = {}  # a shop has a database here: order id -> its state
# ------------------------------------------------------------------------------------------ the checksum, whole

CIPHER = Cipher(algorithms.AES(KEY.encode()), modes.CBC(b"@@@@&&&&####$$$$"))


def hashed(text, salt):
    return hashlib.sha256(f"{text}|{salt}".encode()).hexdigest() + salt


def sign(text):
    padder, encryptor = PKCS7(128).padder(), CIPHER.encryptor()
    plain = hashed(text, base64.b64encode(secrets.token_bytes(3)).decode()).encode()
    return base64.b64encode(encryptor.update(padder.update(plain) + padder.finalize()) + encryptor.finalize()).decode()


def is_signed(text, signature):
    try:
        unpadder, decryptor = PKCS7(128).unpadder(), CIPHER.decryptor()
        padded = decryptor.update(base64.b64decode(signature, validate=True)) + decryptor.finalize()
        plain = (unpadder.update(padded) + unpadder.finalize()).decode()
    except (ValueError, TypeError):
        return False  # malformed, or signed with another key
    return hmac.compare_digest(hashed(text, plain[64:]).encode(), plain.encode())


def is_signed_form(fields):
    """A form is signed over its values: sorted by their names, joined by |, without the checksum itself."""
    values = (fields[name] for name in sorted(fields) if name != "CHECKSUMHASH")
    return is_signed("|".join("" if value.lower() == "null" else value for value in values), fields.get("CHECKSUMHASH", ""))

# ------------------------------------------------------------------------------------------ asking Mohur

def ask(path, body):
    """The text that is signed is the text that is sent. The reply is believed only when Mohur has signed it."""
    text = json.dumps(body)
    data = '{"head":{"signature":%s},"body":%s}' % (json.dumps(sign(text)), text)
    with urlopen(Request(MOHUR_URL + path, data.encode(), {"content-type": "application/json"}), timeout=30) as response:
        reply, hint = response.read().decode(), response.headers.get("mohur-hint", "")  # in a sandbox: why Mohur refused the request
    read = json.loads(reply)
    signed = reply[reply.index('"body":') + len('"body":') : -1]  # the head comes first; the signature covers the bytes of body
    info = read["body"].get("resultInfo", {})
    result = f'{path}: {info.get("resultCode")} {info.get("resultMsg")}; Mohur-Hint: {hint or "none"}'
    if not is_signed(signed, read["head"].get("signature")):
        raise ValueError(f"{result}. The reply cannot be verified: wrong KEY or MID? See docs/checksum.md")
    if hint:
        print(result, file=sys.stderr)
    return read["body"]


def take_over(order_id):
    """Records a payment once, from the callback or the notification, whichever comes first. It asks Mohur, not the browser."""
    status = ask("/v3/order/status", {"mid": MID, "orderId": order_id})
    if status["resultInfo"]["resultStatus"] == "TXN_SUCCESS" and status["payableAmount"] == PRICE:
        orders[order_id].update(paid=True, txn_id=status["txnId"])
    return status["resultInfo"]

# ------------------------------------------------------------------------------------------ pages
def form(action, fields, button):
    inputs = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in fields.items())
    return f'<form method="post" action="{escape(action)}">{inputs}<button>{button}</button></form>'


def buy(_):
    order_id = f"PYTHON_{secrets.token_hex(8)}"
    body = {"requestType": "PAYMENT", "mid": MID, "orderId": order_id, "websiteName": "DEFAULT", "userInfo": {"custId": "CUST_1"}}
    body |= {"txnAmount": {"value": PRICE, "currency": "INR"}, "callbackUrl": f"{SHOP_URL}/callback", "peonUrl": f"{SHOP_URL}/notification"}
    answer = ask(f"/aoa-acquiring-biz/v2/order?mid={MID}&orderId={order_id}", body)
    if "txnToken" not in answer:
        raise ValueError(f'no order: {answer["resultInfo"]["resultCode"]} {answer["resultInfo"]["resultMsg"]}')
    orders[order_id] = {"paid": False, "notified": []}
    fields = {"mid": MID, "orderId": order_id, "txnToken": answer["txnToken"]}
    return form(f"{MOHUR_URL}/theia/api/v1/showPaymentPage?mid={MID}&orderId={order_id}", fields, "Pay")


def callback(fields):
    if is_signed_form(fields) and fields.get("ORDERID") in orders:
        info = take_over(fields["ORDERID"])
        return f'<h1>{escape(info["resultStatus"])}</h1><a href="/order?orderId={fields["ORDERID"]}">Your order</a>'


def notification(fields):
    if is_signed_form(fields):
        if not (order := orders.get(fields["ORDERID"])):
            raise LookupError(f'no order {fields["ORDERID"]}')  # the answer is 500, and the notification comes again
        order["notified"].append(f'{fields["TXNTYPE"]} {fields["STATUS"]}')
        if fields["TXNTYPE"] == "REFUND":
            order["refund"] = fields["STATUS"]
        else:
            take_over(fields["ORDERID"])
        return "ok"


def order_page(query):
    if order := orders.get(query.get("orderId")):
        state = f'refund {order["refund"]}' if "refund" in order else "paid" if order["paid"] else "not paid"
        return f'<h1>{escape(state)}</h1><p>{escape(", ".join(order["notified"]))}</p>{form("/refund", {"orderId": query["orderId"]}, "Refund")}'


def refund(fields):
    """A shop allows this only to its staff. The refId names the refund, so repeated requests give it once."""
    order_id = fields.get("orderId")
    if (order := orders.get(order_id)) and order["paid"]:
        body = {"mid": MID, "txnType": "REFUND", "orderId": order_id, "txnId": order["txn_id"], "refId": f"R_{order_id}", "refundAmount": PRICE}
        info = ask("/refund/apply", body)["resultInfo"]
        order.setdefault("refund", info["resultStatus"])
        return f'<h1>{escape(info["resultStatus"])}</h1><p>{escape(info["resultMsg"])}</p>'


PRODUCT = f'<h1>Filter coffee, 500 g</h1><p>Rs {PRICE}</p>{form("/buy", {}, "Buy")}'
PAGES = {"GET /": lambda _: PRODUCT, "GET /order": order_page, "POST /buy": buy, "POST /callback": callback, "POST /notification": notification, "POST /refund": refund}


class Shop(BaseHTTPRequestHandler):
    def answer(self):
        address, status, page = urlsplit(self.path), 400, None
        try:
            text = self.rfile.read(min(int(self.headers.get("content-length", 0)), 65_536)).decode() if self.command == "POST" else address.query
            page = PAGES.get(f"{self.command} {address.path}", lambda _: None)(dict(parse_qsl(text, keep_blank_values=True)))
        except Exception as error:
            print(error, file=sys.stderr)
            status = 500
        self.send_response(200 if page else status)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write((page or "That cannot be done.").encode())

    do_GET = do_POST = answer


server = ThreadingHTTPServer(("127.0.0.1", PORT), Shop)
print(f"The shop is open at {SHOP_URL}", flush=True)
server.serve_forever()
