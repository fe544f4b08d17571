"""Receives webhooks and verifies their signature, with Python's standard library.

SECRET=whsec_… PORT=8080 python3 receive_webhooks.py
"""

import base64
import hashlib
import hmac
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["SECRET"]


def is_genuine(secret, headers, body):
    """Whether the service sent it within the last five minutes. `body` is bytes, as they came."""
    try:
        sent = int(headers["webhook-timestamp"])
    except (KeyError, TypeError, ValueError):
        return False
    if abs(time.time() - sent) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{sent}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # During a secret rotation there are two signatures; one match is enough.
    signatures = (headers["webhook-signature"] or "").encode().split(b" ")
    return any(hmac.compare_digest(one, expected) for one in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        good = is_genuine(SECRET, self.headers, body)
        # Store it now under its webhook-id, which can come again. Process it afterwards.
        print(f"Verified: {body.decode()}" if good else "Refused", flush=True)
        self.send_response(204 if good else 400)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "8080"))
    server = HTTPServer(("localhost", port), Receiver)
    print(f"Listening on port {port}", flush=True)
    server.serve_forever()
