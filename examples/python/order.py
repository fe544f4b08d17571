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
    """Status, headers and body of the answer, whatever the status is."""
    request = urllib.request.Request(url, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            return response.status, response.headers, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, json.load(error)


def call(path, body=None, key=None):
    """Sends a request, again where that is safe and of use."""
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
            # 409 has Retry-After where the first request with the same key is still running.
            again = status == 429 or status >= 500 or (status == 409 and wait)
            if not again or attempt == 6:
                raise Problem(answer)
        except (OSError, http.client.HTTPException, ValueError):
            # No answer, or only half of one: nobody knows whether the request arrived.
            status = "no answer"
            if attempt == 6:
                raise
        seconds = float(wait or 2 ** (attempt - 1))
        print(f"{status}: again in {seconds:g} s", file=sys.stderr)
        time.sleep(seconds)


def explain(problem):
    """Tells what went wrong, and what to do about it."""
    print(problem, file=sys.stderr)
    for fault in problem.body.get("errors", []):
        print(f"  {fault['pointer']}: {fault['detail']}", file=sys.stderr)
    _, _, page = send(problem.body["type"], {"Accept": "application/json"})
    print(f"What to do: {page['cure']}", file=sys.stderr)


def main(postcode="ZZ99 1AA", number=None):
    number = number or str(int(time.time()))
    check = call(f"/product-availability/postcode/{quote(postcode, safe='')}")
    if not check["availableProducts"]:
        print(f"Nothing is sold at {check['postcode']}.")
        return
    print(check["message"])

    # Your system stores key and body before it sends them: a retry, also after a restart, sends
    # both as they were.
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
