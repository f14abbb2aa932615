# The unmodified subscription service of a sample backend, and its receiver of webhooks, called as its web application calls them.
import datetime
import json
import os
import sys

import debian  # noqa: F401

step, root, checksum = sys.argv[1:4]
known = json.load(sys.stdin)
os.environ.update(PAYTM_MID=known["mid"], PAYTM_MERCHANT_KEY=known["key"], PAYTM_ENVIRONMENT="staging", PAYTM_CALLBACK_URL="http://shop.example/callback")
sys.path[:0] = [root + "/scripts/backend-python", checksum]
import subscription_service as service
import webhook_handler


def page(name, answers, **more):
    """The client's own page, and what its server answers to the page's requests."""
    loader = "https://" + known["host"] + "/merchantpgpui/checkoutjs/merchants/" + known["mid"] + ".js"
    html = open(root + "/scripts/frontend/" + name, encoding="utf-8").read()
    return {"html": html, "answers": {"/paytm-client-config.json": {"loader_url": loader}, **answers}, **more}

subscription_id = known.get("subscriptionId")
day = datetime.date.fromisoformat(service._today_ist()) + datetime.timedelta(days=2)


def result_of(body):
    info = body["resultInfo"]
    return {"code": info.get("code") or info["resultCode"], "status": info.get("status") or info["resultStatus"]}


if step == "create":
    told = service.create_subscription(
        amount="2.00", renewal_amount="499", cust_id="CUST-7+x", mobile="9999900001", email="asha@example.in", order_id=known["orderId"]
    )
    told.update(page("subscription.html", {"/paytm/create-subscription": dict(told)}, presses=["#subscribeBtn"], until="#payment-result.success", way="consent"))
elif step == "checkStatus":
    told = service.check_subscription_status(subs_id=subscription_id)
elif step == "preNotify":
    told = result_of(service.pre_notify_subscription(subscription_id=subscription_id, amount="499", order_id="NOTICE_PY", scheduled_execution_date=str(day))["raw"])
elif step == "preNotifyStatus":
    body = service.pre_notify_status(subscription_id=subscription_id, order_id="NOTICE_PY")
    told = {**result_of(body), "notice": body["notificationStatus"]}
elif step == "renew":
    told = result_of(service.renew_subscription(subscription_id=subscription_id, amount="499", order_id="RENEWAL_PY")["raw"])
elif step == "renewalStatus":
    body = service.get_order_status(order_id="RENEWAL_PY")
    told = {**result_of(body), "amount": body["txnAmount"]}
elif step == "cancel":
    told = result_of(service.cancel_subscription(subscription_id=subscription_id))
else:
    answers = [webhook_handler.handle_webhook(raw, json.loads(raw)) for raw in known["told"]]
    fresh = [said for code, said in answers if code == 200 and not said.get("dedup")]
    told = {"refused": len([code for code, _ in answers if code != 200]), "seen": len(fresh) == len(known["told"])}
    told["events"] = " ".join(event["payload"]["body"]["txnType"] for event in reversed(webhook_handler.recent_events()))
print(json.dumps(told))
