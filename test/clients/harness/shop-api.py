# The unmodified payment views of a shop's backend, called as its router calls them. This file plays its framework, tables and settings.
import json
import sys
import types

import debian  # noqa: F401

step, root, checksum = sys.argv[1:4]
known = json.load(sys.stdin)
sys.path[:0] = [checksum]


class Anything:
    """A row, a table or a package of which nothing matters here."""

    price, name, city, phone, username = "499.50", "Shirt", "Pune", "9999900001", "asha"

    def __getattr__(self, _name):
        return Anything()

    def __call__(self, *_given, **_named):
        return Anything()


def played(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


class Answer:
    def __init__(self, data, status=200):
        self.data, self.status = data, status


tables = dict(userDB=Anything(), product=Anything(), Orders_Id=Anything())
settings = dict(PAYTM_MERCHANT_ID=known["mid"], PAYTM_MERCHANT_KEY=known["key"], PAYTM_WEBSITE="WEBSTAGING", SHIPROCKETID="", SHIPROCKETPASSWD="")
for name in ["razorpay", "pycountry", "django", "rest_framework"]:
    played(name, status=Anything(), __path__=[])
for name in ["django.shortcuts", "django.http"]:
    played(name, redirect=Anything(), render=Anything(), HttpResponse=Anything(), JsonResponse=Anything())
played("rest_framework.decorators", api_view=lambda _methods: lambda view: view)
played("rest_framework.response", Response=Answer)
played("negbuy", settings=types.SimpleNamespace(**settings))
played("shop", __path__=[root])
played("shop.models", **tables)
played("shop.serializers")
from shop import payments  # noqa: E402


def asked(view, data=None):
    request = types.SimpleNamespace(method="POST", data=data or {}, headers={"User-id": "CUST_7"})
    answer = view(request)
    assert answer.status == 200, answer.data
    return answer.data


payments.order_id, payments.txnToken = known["orderId"], known.get("txnToken", "")
if step == "create":
    body = asked(payments.InitiateTransactionAPI, {"product_id": 1})["body"]
    told = {"txnToken": body["txnToken"], "orderId": str(payments.order_id)}
elif step == "banks":
    banks = asked(payments.FetchNBpaymentAPI)["data"]
    told = {"banks": len(banks), "first": banks[0]["channelCode"] + " " + banks[0]["channelName"]}
elif step == "options":
    options = asked(payments.FetchPaymentOptionsAPI)["BankDetails"]["body"]
    told = {"modes": len(options["merchantPayOption"]["paymentModes"])}
else:
    told = {"valid": asked(payments.UPIPayment, {"vpa": "asha@upi"})["body"]["valid"]}
print(json.dumps(told))
