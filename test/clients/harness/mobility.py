# The unmodified calls of a ticket backend, each as its own modules make it. This file plays the backend's own packages around them:
# the settings, the log and the repetition. It also plays the module of an order, which the repository has moved away.
import json
import logging
import sys
import types

step, root = sys.argv[1:3]
known = json.load(sys.stdin)
sys.path[:0] = [root]


def played(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


played("retry", retry=lambda *_given, **_named: lambda function: function)
played("paytmchecksum", PaytmChecksum=None)
settings = dict(PAYTM_BASE_URL="https://" + known["host"], PAYTM_MERCHANT_ID=known["mid"], PAYTM_MERCHANT_KEY=known["key"], PAYTM_WEBSITENAME="DEFAULT")
played("modules.env_main", **settings)
played("modules.logger_main", logger=logging.getLogger("played"))
played("modules.time_helpers", get_current_time_as_str_hhmmss=lambda: "100000")
played("modules.pg.paytm" + ".initiate_transaction_api", initiate_transaction_api=None)

of_order = dict(transaction_token=known["txnToken"], order_id=known["orderId"])
if step == "balance":
    from modules.pg.paytm.fetch_balance_info_api import fetch_balance_info_api

    body = fetch_balance_info_api(**of_order)["body"]
    told = {"code": body["resultInfo"]["resultCode"], "balance": body["balanceInfo"]["value"]}
elif step == "options":
    from modules.pg.paytm.fetch_payment_options_api import fetch_payment_options_api

    body = fetch_payment_options_api(**of_order)["body"]
    told = {"code": body["resultInfo"]["resultCode"], "modes": " ".join(mode["paymentMode"] for mode in body["merchantPayOption"]["paymentModes"])}
print(json.dumps(told))
