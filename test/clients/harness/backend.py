# The unmodified service of a sample backend, called as its web application calls it.
import json
import os
import sys

import debian  # noqa: F401

step, root, checksum = sys.argv[1:4]
known = json.load(sys.stdin)
os.environ.update(PAYTM_MID=known["mid"], PAYTM_MERCHANT_KEY=known["key"], PAYTM_ENVIRONMENT="staging", PAYTM_CALLBACK_URL="http://shop.example/callback")
sys.path[:0] = [root + "/scripts/backend-python", checksum]
import paytm_service


def page(name, answers, **more):
    """The client's own page, and what its server answers to the page's requests."""
    loader = "https://" + known["host"] + "/merchantpgpui/checkoutjs/merchants/" + known["mid"] + ".js"
    html = open(root + "/scripts/frontend/" + name, encoding="utf-8").read()
    return {"html": html, "answers": {"/paytm-client-config.json": {"loader_url": loader}, **answers}, **more}


if step == "create":
    told = paytm_service.initiate_transaction("499.5", "CUST-7+x", "http://shop.example", mobile="+91 99999 00001", email="asha@example.in", order_id="BACKEND1")
    told.update(page("checkout.html", {"/paytm/create-order": dict(told)}, presses=["#payBtn"]))
elif step == "status":
    told = json.loads(paytm_service.fetch_order_status(known["orderId"]))["body"]["resultInfo"]
else:
    told = {"verified": paytm_service.verify_callback_checksum(known["fields"])}
print(json.dumps(told))
