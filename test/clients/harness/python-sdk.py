# A merchant's own server, which calls the unmodified Python SDK.
import json
import sys

import debian  # noqa: F401

step, root = sys.argv[1:3]
known = json.load(sys.stdin)
sys.path.insert(0, root)
from paytmpg import (EChannelId, EnumCurrency, LibraryConstants, MerchantProperty, Money, Payment, PaymentDetailsBuilder,
                     PaymentStatusDetailBuilder, Refund, RefundDetailBuilder, RefundStatusDetailBuilder, UserInfo)

MerchantProperty.initialize(LibraryConstants.STAGING_ENVIRONMENT, known["mid"], known["key"], "C11", "DEFAULT")


def said(response):
    body = response.get_response_object().get_body()
    info = body.get_result_info()
    return body, {"status": info.get_result_status(), "code": info.get_result_code(), "message": str(info.get_result_msg())}


if step == "create":
    user = UserInfo()
    user.set_cust_id("PYTHON_1")
    body, told = said(Payment.createTxnToken(PaymentDetailsBuilder(EChannelId.WEB, "PYTHONSDK1", Money(EnumCurrency.INR, "499.50"), user).build()))
    told.update(orderId="PYTHONSDK1", txnToken=body.get_txn_token())
elif step == "status":
    body, told = said(Payment.getPaymentStatus(PaymentStatusDetailBuilder(known["orderId"]).build()))
elif step == "refund":
    body, told = said(Refund.doRefund(RefundDetailBuilder(known["orderId"], "PYSDK1", known["txnId"], "REFUND", "10.00").build()))
else:
    body, told = said(Refund.getRefundStatus(RefundStatusDetailBuilder().set_order_id(known["orderId"]).set_ref_id("PYSDK1").build()))
print(json.dumps(told))
