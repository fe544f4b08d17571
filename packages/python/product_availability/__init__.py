"""A client of the Product Availability Service, with Python's standard library alone."""

from __future__ import annotations

import base64
import gzip
import hashlib
import hmac
import http.client
import json
import time
import urllib.error
import urllib.request
import uuid
from typing import Any, Callable, Iterator, Mapping, Optional, TypeVar, Union, cast
from urllib.parse import quote, urlencode

from .operations import Operations
from .types import QuoteView, WebhookMessage

Answer = http.client.HTTPResponse
OnRetry = Callable[[Union[int, Exception], float], None]


class Problem(Exception):
    """The service refused the request. Branch on `code`, show the message."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        super().__init__(f"{body['title']}: {body['detail']}")
        self.body = body
        self.code: str = body["code"]
        self.status: int = body["status"]

    def explain(self) -> str:
        """The message, each faulty field, and the remedy, if the service answers and knows one."""
        faults = [f"  {one['pointer']}: {one['detail']}" for one in self.body.get("errors", [])]
        lines = [str(self), *faults]
        page = str(self.body["type"])
        if page.startswith(("http:", "https:")):
            asked = urllib.request.Request(page, headers={"Accept": "application/json"})
            try:
                with urllib.request.urlopen(asked, timeout=15) as answer:
                    lines.append(f"What to do: {json.load(answer)['cure']}")
            except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
                pass
        return "\n".join(lines)


class ProductAvailability(Operations):
    """The client: a method for each operation of the description, and for quotes of spreadsheets."""

    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        attempts: int = 6,
        timeout: float = 15,
        on_retry: Optional[OnRetry] = None,
    ) -> None:
        """`timeout` is in seconds, for each attempt. `on_retry` gets the status, or what broke the
        connection, and the seconds until the next attempt."""
        self.base_url = base_url.rstrip("/")
        self.token = token
        self.attempts = attempts
        self.timeout = timeout
        self.on_retry = on_retry

    def quote_spreadsheet(self, csv: Union[str, bytes], **defaults: Any) -> QuoteView:
        """Quotes the sites of a spreadsheet (CSV), and returns the quote with all its lines.

        Its columns are `site`, `postcode`, `uprn`, `bandwidth`, `term`, `service` and `notes`; only
        `postcode` is needed. `defaults` are those of `make_quote`: what rows leave out, a reference,
        the customer, and a key.
        """
        quote_id = self.make_quote_from_csv(csv, **defaults)["quoteId"]
        whole = page = self.read_quote(quote_id)
        while page["nextCursor"] is not None:
            page = self.read_quote(quote_id, cursor=page["nextCursor"])
            whole["lines"].extend(page["lines"])
        whole["nextCursor"] = None
        return whole

    def _send(self, method: str, path: str, **asked: Any) -> Any:
        headers = {"Accept-Encoding": "gzip", **asked.pop("headers", {})}
        return self._retried(method, path, _json_of, headers=headers, **asked)

    def _request(self, method: str, path: str, **asked: Any) -> Answer:
        return cast(Answer, self._retried(method, path, lambda answer: answer, **asked))

    def _retried(
        self,
        method: str,
        path: str,
        read: Callable[[Answer], Any],
        *,
        query: Mapping[str, Any] = {},
        headers: Mapping[str, Any] = {},
        body: Any = None,
        keyed: bool = False,
        key: Optional[str] = None,
        once: bool = False,
    ) -> Any:
        sent = {name: str(value) for name, value in headers.items() if value is not None}
        sent["Authorization"] = f"Bearer {self.token}"
        if keyed:
            # A retry has the same key, so that there is one order, whatever is lost.
            sent["Idempotency-Key"] = key or str(uuid.uuid4())
        data = None
        if body is not None:
            is_sheet = isinstance(body, (str, bytes))
            sent["Content-Type"] = "text/csv" if is_sheet else "application/json"
            text = body if is_sheet else json.dumps(body)
            data = text if isinstance(text, bytes) else text.encode()
        chosen = urlencode({name: value for name, value in query.items() if value is not None})
        url = f"{self.base_url}{path}{'?' if chosen else ''}{chosen}"
        for attempt in range(1, self.attempts + 1):
            wait: Optional[str] = None
            reason: Union[int, Exception]
            try:
                request = urllib.request.Request(url, data, sent, method=method)
                return read(urllib.request.urlopen(request, timeout=self.timeout))
            except urllib.error.HTTPError as error:
                if error.code < 400:
                    return error
                with error:
                    reason, wait = error.code, error.headers.get("Retry-After")
                    # 409 has Retry-After while the first request with the same key is running.
                    again = reason in (429, 503) or (reason == 409 and wait is not None)
                    if not (again or (reason >= 500 and not once)) or attempt == self.attempts:
                        raise Problem(_problem_in(error)) from None
            except (OSError, http.client.HTTPException, ValueError) as error:
                # No answer, or a part of one: the request may have arrived.
                if once or attempt == self.attempts:
                    raise
                reason = error
            # A proxy may send a date.
            seconds = float(wait if wait and wait.isdecimal() else 2 ** (attempt - 1))
            if self.on_retry:
                self.on_retry(reason, seconds)
            time.sleep(seconds)


def _json_of(answer: Any) -> Any:
    is_gzip = answer.headers.get("Content-Encoding") == "gzip"
    return json.loads(gzip.decompress(answer.read()) if is_gzip else answer.read())


def _problem_in(error: urllib.error.HTTPError) -> Mapping[str, Any]:
    """A proxy on the way answers without a problem of the service."""
    detail = f"Status {error.code}."
    problem = {"type": "about:blank", "title": error.reason, "detail": detail, "code": "unknown"}
    try:
        return {**problem, "status": error.code, **_json_of(error)}
    except (OSError, http.client.HTTPException, ValueError, TypeError):
        return {**problem, "status": error.code}


def every(read: Callable[..., Any], *asked: Any, **named: Any) -> Iterator[Any]:
    """Every row of a list, page by page: `every(client.list_orders, updated_since=…)`."""
    page = read(*asked, **named)
    yield from page["items"]
    while page["nextCursor"] is not None:
        page = read(*asked, **named, cursor=page["nextCursor"])
        yield from page["items"]


def verify_webhook(
    secret: str, headers: Mapping[str, str], body: bytes
) -> Optional[WebhookMessage]:
    """The message, if the service sent it within the last five minutes; otherwise None: answer 400.

    `headers` are case-insensitive, as of `http.server`, or in lower case; `body` has the bytes as they came.
    """
    sent = headers.get("webhook-timestamp") or ""
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return None
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id')}.{sent}.".encode() + body
    digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # While a secret is rotated there are two signatures; one match is enough.
    signatures = (headers.get("webhook-signature") or "").encode().split(b" ")
    if any(hmac.compare_digest(one, b"v1," + digest) for one in signatures):
        return cast(WebhookMessage, json.loads(body))
    return None
