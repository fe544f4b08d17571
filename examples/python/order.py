"""Check, order, read.

BASE=http://localhost:3000 TOKEN=pas_test_… python3 order.py [postcode] [order number]
"""

import os
import sys
import time

from product_availability import Problem, ProductAvailability

client = ProductAvailability(
    os.environ.get("BASE", "http://localhost:3000"),
    os.environ.get("TOKEN", ""),
    on_retry=lambda reason, seconds: print(f"{reason}: again in {seconds:g} s", file=sys.stderr),
)


def terms_of(product):
    """The price, and what it is worth."""
    set_up = "not stated" if product["setupPrice"] is None else product["setupPrice"]
    return (
        f"{product['productCode']}: {product['price']} {product['currency']} a month, "
        f"set-up {set_up}, basis {product['basis']}"
    )


def main(postcode="ZZ99 1AA", number=None):
    number = number or str(int(time.time()))
    check = client.check_postcode(postcode)
    if not check["availableProducts"]:
        print(f"No products are available at {check['postcode']}.")
        return
    print(check["message"])
    for product in check["availableProducts"]:
        print(terms_of(product))

    # Each run orders once for its check. Your system makes a key for each order, and stores key and body before it sends them,
    # so that a retry after a restart sends the same.
    product = check["availableProducts"][0]
    print(f"Ordering {product['productCode']} as number {number}")
    body = {
        "postcode": check["postcode"],
        "productCode": product["productCode"],
        "checkId": check["id"],
        "reference": number,
    }
    received = client.place_order(body, key=f"order-{number}-{check['id']}")
    print(f"Order {received['orderId']} is received.")
    order = client.read_order(received["orderId"])
    print(f"State: {order['state']}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except Problem as problem:
        sys.exit(problem.explain())
    except OSError as error:
        sys.exit(f"No answer: {error}")
