"""From nothing available to an order: check, enquire, accept an offer.

BASE=http://localhost:3000 TOKEN=pas_test_… python3 enquiry.py [postcode] [enquiry number]
"""

import sys
import time

from product_availability import Problem

sys.dont_write_bytecode = True
from order import client, terms_of  # noqa: E402


def main(postcode="ZZ99 1BB", number=None):
    number = number or str(int(time.time()))
    check = client.check_postcode(postcode)
    if check["availableProducts"]:
        print(f"{check['message']} No enquiry is needed.")
        return
    for reason in check["reasons"]:
        print(reason["detail"])

    body = {
        "postcode": check["postcode"],
        "checkId": check["id"],
        "wanted": {"bandwidth": 2, "term": 24, "description": "Any access technology."},
        "reference": number,
    }
    received = client.place_enquiry(body, key=f"enquiry-{number}")
    print(received["message"])

    # With a live token, wait for the webhook `enquiry.offered`. For a test token, this plays the staff.
    enquiry_id = received["enquiryId"]
    if client.token.startswith("pas_test_"):
        client.advance_test_enquiry(enquiry_id, {})
    enquiry = client.read_enquiry(enquiry_id)
    print(f"State: {enquiry['state']}")
    offers = [offer for offer in enquiry["offers"] if offer["state"] == "open"]
    for offer in offers:
        print(f"{terms_of(offer['product'])}, until {offer['validUntil']}")
    if not offers:
        return

    # Safe to send again: the same offer becomes one order.
    cheapest = min(offers, key=lambda offer: offer["product"]["price"])
    accepted = client.accept_offer(enquiry_id, {"offerId": cheapest["offerId"]})
    order = client.read_order(accepted["orderId"])
    print(f"Order {order['orderReference']}: {terms_of(order['product'])}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except Problem as problem:
        sys.exit(problem.explain())
    except OSError as error:
        sys.exit(f"No answer: {error}")
