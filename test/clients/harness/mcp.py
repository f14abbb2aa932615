# The unmodified services of a server for assistants, called as its tools call them.
import json
import os
import sys

import debian  # noqa: F401

step, root, checksum = sys.argv[1:4]
known = json.load(sys.stdin)
os.environ.update(PAYTM_MID=known["mid"], PAYTM_KEY_SECRET=known["key"])
sys.path[:0] = [root, checksum]
from services.order_list_service import OrderListService
from services.refund_service import RefundService
from utils.system_utils import DateService

period = [DateService.get_date_by_time_range("1"), DateService.get_current_date()]
refunds = RefundService(known["key"], known["mid"])
if step == "orders":
    text = OrderListService(known["key"], known["mid"]).fetch_order_list(*period)
elif step == "refund":
    text = refunds.initiate_refund(known["orderId"], "MCP1", known["txnId"], 10.0)
elif step == "refundStatus":
    text = refunds.check_refund_status(known["orderId"], "MCP1")
else:
    text = refunds.fetch_refund_list(*period)
print(json.dumps({"text": text}))
