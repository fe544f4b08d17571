"""Check, order, read: with Python's standard library.

BASE=http://localhost:3000 TOKEN=pas_test_… python3 order.py [postcode] [order number]
"""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import quote

BASE = os.environ.get("BASE", "http://localhost:3000")
TOKEN = os.environ.get("TOKEN", "")


class Problem(Exception):
    def __init__(self, body):
        super().__init__(f"{body['title']}: {body['detail']}")
        self.body = body


def send(url, headers, body=None):
    """Status, headers and body of the response, for any status."""
    request = urllib.request.Request(url, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            return response.status, response.headers, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, json.load(error)


def call(path, body=None, key=None):
    """Sends a request, and retries where that is safe and useful."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    data = None
    if body is not None:
        headers["Content-Type"] = "application/json"
        data = json.dumps(body).encode()
    if key is not None:
        headers["Idempotency-Key"] = key
    for attempt in range(1, 7):
        wait = None
        try:
            status, answered, answer = send(BASE + path, headers, data)
            if status < 400:
                return answer
            wait = answered.get("Retry-After")
            # 409 has Retry-After while the first request with the same key is running.
            again = status == 429 or status >= 500 or (status == 409 and wait)
            if not again or attempt == 6:
                raise Problem(answer)
        except (OSError, http.client.HTTPException, ValueError):
            # No response, or a partial one: the request may have arrived.
            status = "no answer"
            if attempt == 6:
                raise
        seconds = float(wait or 2 ** (attempt - 1))
        print(f"{status}: again in {seconds:g} s", file=sys.stderr)
        time.sleep(seconds)


def terms_of(product):
    """The price, and what it is worth."""
    set_up = product.get("setupPrice")
    return (
        f"{product['productCode']}: {product['price']} {product['currency']} a month, "
        f"set-up {'not stated' if set_up is None else set_up}, basis {product.get('basis')}"
    )


def explain(problem):
    """Prints the problem and its remedy."""
    print(problem, file=sys.stderr)
    for fault in problem.body.get("errors", []):
        print(f"  {fault['pointer']}: {fault['detail']}", file=sys.stderr)
    _, _, page = send(problem.body["type"], {"Accept": "application/json"})
    print(f"What to do: {page['cure']}", file=sys.stderr)


def main(postcode="ZZ99 1AA", number=None):
    number = number or str(int(time.time()))
    check = call(f"/product-availability/postcode/{quote(postcode, safe='')}")
    if not check["availableProducts"]:
        print(f"No products are available at {check['postcode']}.")
        return
    print(check["message"])
    for product in check["availableProducts"]:
        print(terms_of(product))

    # Your system should store key and body before it sends them, so that a retry, even after a
    # restart, sends the same.
    product = check["availableProducts"][0]
    print(f"Ordering {product['productCode']} as number {number}")
    received = call(
        "/product-availability/order",
        {
            "postcode": check["postcode"],
            "productCode": product["productCode"],
            "checkId": check["id"],
            "reference": number,
        },
        key=f"order-{number}",
    )
    print(f"Order {received['orderId']} is received.")

    order = call(f"/product-availability/order/{received['orderId']}")
    print(f"State: {order['state']}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except Problem as problem:
        explain(problem)
        sys.exit(1)
    except OSError as error:
        sys.exit(f"No answer from {BASE}: {error}")
