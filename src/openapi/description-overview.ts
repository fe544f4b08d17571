import { sandboxTable } from '../kernel/sandbox-postcodes.js';

/** What an integrator reads first, as Markdown. */
export const overview = `Which connectivity products can be supplied at a UK postcode, and order requests for them.

## The first order

1. Ask the operator for a token with the scopes \`availability:read\`, \`orders:write\` and \`orders:read\`, and send it with each request: \`Authorization: Bearer <token>\`.
2. Check a postcode: \`GET /product-availability/postcode/EC2A%202BS\`. The answer lists what is sold there.
3. Order one of the products: \`POST /product-availability/order\` with its \`productCode\` and the \`postcode\`. Cite the check's \`id\` as \`checkId\` to be held to its terms, and send an \`Idempotency-Key\`, so that a retry cannot order twice.
4. The answer is 201 with an \`orderId\`: the order request is stored, and a person of the operator's sales staff will make contact. \`GET /product-availability/order/{orderId}\` says what has become of it.

## Units

Bandwidths are in Gbit/s, terms in months, lead times in calendar days. A price is for a month, in units of its currency (pounds, not pence), excluding VAT. Points in time are RFC 3339 in UTC.

## Problems

Every failure is \`application/problem+json\` (RFC 9457). Decide by \`code\`; \`type\` leads to a page that says why it happens and what to do. An address takes OPTIONS and, with GET, HEAD besides the methods below. Besides what the operations list, any address can answer 405 \`method-not-allowed\` with \`Allow\`, 408 \`request-timeout\` and 431 \`header-fields-too-large\`. A client should treat a code that it does not know by its status.

## Retries

After 429 and 503, and after 409 \`request-in-progress\`, wait for the seconds in \`Retry-After\` and send the same request again. Look-ups can always be repeated; an order only with its \`Idempotency-Key\`.

## Limits

Each API client has a number of look-ups and a number of orders a minute; \`RateLimit-Policy\` tells how many and \`RateLimit\` what is left; \`GET /product-availability/me\` tells all of it and takes nothing. A body has at most 16 KB. \`POST /product-availability/postcodes\` checks up to 100 postcodes at once and counts as that many look-ups.

## Sandbox

A test token, \`pas_test_…\`, calls the same operations, and nothing of it is real: its orders are shown to no member of the staff, no e-mail is sent, and after 30 days its checks and orders are gone. It sees its own tests only, and a live token never sees them: to each the other's are 404. An \`Idempotency-Key\` and the limits count for each of the two by themselves. Your webhook is told of test orders too, with \`"test": true\` in \`data\`. Ordinary postcodes are answered as they are live; and these exist for test tokens alone, to live ones they are 400 \`invalid-postcode\`:

${sandboxTable}

There, the product \`TEST-100G-60\` exists and is sold nowhere. \`POST /product-availability/test/order/{orderId}/advance\` does what the staff would do: it moves a test order on, to \`inProgress\`, then to \`accepted\`, or with \`{"to": "rejected"}\` to an end of your choice.

## What stays

Fields, values of \`code\` and operations are added, never renamed or taken away without notice by the headers \`Deprecation\` and \`Sunset\`. Ignore the fields that you do not know. A client made for version 0.2.0 can also be sent \`bandwidthCapactity\`, misspelt as it was there: ask the operator.`;

/** What the author of a staff integration reads first, as Markdown. */
export const staffOverview = `For integrations of the operator's own staff: order requests and their follow-up, reports, and the versions of the catalogue. The operations of API clients are in a separate document, \`/openapi.json\`. It explains values, problems and retries, which work the same here.

## Access

The operator issues a token to a staff member: \`npm run cli -- tokens issue --staff <email>\`. The token has scopes such as \`follow-up:read\`, \`reports:read\` or \`catalogue:write\`. The audit names its owner for everything that is done with it. A token of an API client opens none of these operations.

## Moves

Each change of an order is a move, with its own operation. A move carries the \`version\` of the order that the caller last saw. Where the order has changed since, the answer is 409 \`order-moved\` with what happened, and nothing has changed.

## What stays

Fields, values of \`code\` and operations are added, never renamed or taken away without notice by the headers \`Deprecation\` and \`Sunset\`. Ignore the fields that you do not know.`;
