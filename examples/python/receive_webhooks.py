"""Receives webhooks and verifies their signature.

SECRET=whsec_… PORT=8080 python3 receive_webhooks.py
"""

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from product_availability import verify_webhook

SECRET = os.environ["SECRET"]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        message = verify_webhook(SECRET, self.headers, body)
        # Store it now under its webhook-id, which can come again. Process it afterwards.
        print(f"Verified: {json.dumps(message)}" if message else "Refused", flush=True)
        self.send_response(204 if message else 400)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "8080"))
    server = HTTPServer(("localhost", port), Receiver)
    print(f"Listening on port {port}", flush=True)
    server.serve_forever()
