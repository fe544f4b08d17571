"""From nothing available to an order: check, enquire, accept an offer. With Python's standard library.

BASE=http://localhost:3000 TOKEN=pas_test_… python3 enquiry.py [postcode] [enquiry number]
"""

import os
import sys
import time
from urllib.parse import quote

sys.dont_write_bytecode = True
from order import Problem, call, explain, terms_of  # noqa: E402


def main(postcode="ZZ99 1BB", number=None):
    number = number or str(int(time.time()))
    check = call(f"/product-availability/postcode/{quote(postcode, safe='')}")
    if check["availableProducts"]:
        print(f"{check['message']} No enquiry is needed.")
        return
    for reason in check["reasons"]:
        print(reason["detail"])

    received = call(
        "/product-availability/enquiry",
        {
            "postcode": check["postcode"],
            "checkId": check["id"],
            "wanted": {"bandwidth": 2, "term": 24, "description": "Any access technology."},
            "reference": number,
        },
        key=f"enquiry-{number}",
    )
    print(received["message"])

    # With a live token, wait for the webhook `enquiry.offered`. For a test token, this plays the staff.
    enquiry_id = received["enquiryId"]
    if os.environ.get("TOKEN", "").startswith("pas_test_"):
        call(f"/product-availability/test/enquiry/{enquiry_id}/advance", {})
    enquiry = call(f"/product-availability/enquiry/{enquiry_id}")
    print(f"State: {enquiry['state']}")
    offers = [offer for offer in enquiry["offers"] if offer["state"] == "open"]
    for offer in offers:
        print(f"{terms_of(offer['product'])}, until {offer['validUntil']}")
    if not offers:
        return

    # Safe to send again: the same offer becomes one order.
    cheapest = min(offers, key=lambda offer: offer["product"]["price"])
    accepted = call(
        f"/product-availability/enquiry/{enquiry_id}/acceptance",
        {"offerId": cheapest["offerId"]},
    )
    order = call(f"/product-availability/order/{accepted['orderId']}")
    print(f"Order {order['orderReference']}: {terms_of(order['product'])}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except Problem as problem:
        explain(problem)
        sys.exit(1)
    except OSError as error:
        sys.exit(f"No answer: {error}")
