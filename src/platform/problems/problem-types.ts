export interface ProblemType {
  readonly status: number;
  readonly title: string;
  /** When the service answers this, in one sentence. */
  readonly cause: string;
  /** What the caller should do, in one sentence. */
  readonly cure: string;
  /** An example of what differs from the general explanation. */
  readonly example?: { readonly detail: string; readonly [member: string]: unknown };
}

/**
 * Every problem by its code: the last segment of `type` (RFC 9457 §3.1.1), the `code` in the body and
 * the address of the page under `/problems/`.
 */
export const problemTypes = {
  'malformed-request': {
    status: 400,
    title: 'Malformed request',
    cause:
      'The request is malformed: broken JSON or percent-encoding, more than eight levels of nesting, two Authorization headers, a token outside the Authorization header, or query parameters of an operation that takes none.',
    cure: 'Send a well-formed request; `detail` names the malformed part.',
    example: { detail: 'The body is not well-formed JSON: line 1, column 23.' },
  },
  'invalid-postcode': {
    status: 400,
    title: 'Not a UK postcode',
    cause: 'The text is not a UK postcode.',
    cure: 'Correct the postcode; `suggestion` is the likely one where a look-alike character, such as O for 0, explains the mistake.',
    example: {
      detail:
        'A postcode ends with a digit and two letters (never C, I, K, M, O or V). Did you mean EC2A 2DS?',
      suggestion: 'EC2A 2DS',
    },
  },
  'invalid-uprn': {
    status: 400,
    title: 'Not a UPRN',
    cause: 'The text is not a Unique Property Reference Number of 1 to 12 digits.',
    cure: 'Correct the UPRN, or check the postcode alone.',
  },
  'validation-error': {
    status: 400,
    title: 'The request is not valid',
    cause: 'Fields are missing, unknown, too long, of the wrong type, or otherwise invalid.',
    cure: 'Correct every field listed in `errors`; `pointer` says where it is (RFC 6901).',
    example: {
      detail: 'One field is not valid; see errors.',
      errors: [{ pointer: '/productCode', code: 'required', detail: 'This is required.' }],
    },
  },
  'missing-token': {
    status: 401,
    title: 'No bearer token',
    cause: 'The request has no Authorization header with the scheme Bearer.',
    cure: 'Send the header `Authorization: Bearer <token>`.',
  },
  'invalid-token': {
    status: 401,
    title: 'The bearer token is not valid',
    cause: 'The token is unknown, has expired or was revoked, or its API client is disabled.',
    cure: 'Check that you copied the whole token, or ask the operator for a new one.',
  },
  'missing-session': {
    status: 401,
    title: 'Not signed in',
    cause: 'The page is for staff, and the request has no session, or its session has ended.',
    cure: 'Sign in at `/staff/sign-in`.',
    example: {
      detail: 'You are not signed in, or you were signed out after 30 minutes of inactivity.',
    },
  },
  'insufficient-scope': {
    status: 403,
    title: 'The token does not allow this',
    cause: 'The token is valid but lacks the scope that the operation needs.',
    cure: 'Use a token with the scope named in `WWW-Authenticate`, or ask the operator for one.',
    example: { detail: 'This needs a token with the scope orders:write.' },
  },
  'insufficient-role': {
    status: 403,
    title: 'The page needs another role',
    cause: 'The staff member has signed in, but has a lower role than the page needs.',
    cure: 'Ask an administrator for access; `detail` names the role.',
    example: { detail: 'This page is for administrators.' },
  },
  'cross-site-request': {
    status: 403,
    title: 'The request was sent from another site',
    cause: 'A page of another site sent it, or a form had no `Sec-Fetch-Site` and `Origin`.',
    cure: 'Send a form from its own page, and a message of an agent without `Origin`; if you did, the operator has to set `PUBLIC_URL` to the address in the browser.',
  },
  'not-permitted': {
    status: 403,
    title: 'Not permitted',
    cause: "The caller may call this operation, but is neither this order's owner nor a manager.",
    cure: 'Ask the owner or a manager, as `detail` says.',
    example: { detail: "This move is for the order's owner and managers." },
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    cause: 'There is nothing at this address, or nothing that this token may see.',
    cure: 'Check the address and the identifier in it.',
    example: { detail: 'There is no order with this id.' },
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    cause: 'The address exists but does not take this method.',
    cure: 'Use one of the methods in the `Allow` header.',
    example: { detail: 'This address takes GET, HEAD, OPTIONS, POST.' },
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    cause: 'The headers or the body were not received in time.',
    cure: 'Send the request again, in one piece.',
  },
  'request-in-progress': {
    status: 409,
    title: 'The first request with this key is still running',
    cause: 'Another request with the same Idempotency-Key has not been answered yet.',
    cure: 'Retry the same request after the time in `Retry-After`.',
  },
  'offer-changed': {
    status: 409,
    title: 'The offer has changed since the check',
    cause: 'The price hold of the cited check has ended, and the terms of the offer have changed.',
    cure: 'Show the customer the terms in `current`, then check again and order with the new check id.',
    example: {
      detail: 'Price, lead time, set-up price or basis has changed since the cited check.',
    },
  },
  'order-moved': {
    status: 409,
    title: 'The order has changed',
    cause: 'The `version` of the order has changed, or its `state` does not allow this move.',
    cure: 'Read the order again: compare `state`, `ownerName` and `version`, and decide again.',
    example: {
      detail: 'The order is already rejected and cannot be cancelled.',
      state: 'rejected',
    },
  },
  'charge-answered': {
    status: 409,
    title: 'The charge awaits no answer',
    cause: 'The extra charge was already accepted or rejected, or it has lapsed or was withdrawn.',
    cure: 'Read the order: `charges` says how the charge ended; contact the operator to change it.',
    example: { detail: 'The charge is already rejected.', state: 'rejected' },
  },
  'cancellation-costs-more': {
    status: 409,
    title: 'Cancelling costs more than you accept',
    cause: 'Cancelling costs more than `acceptUpTo`; it may rise with each milestone.',
    cure: 'Send `cancellation.amount` as `acceptUpTo`, or leave it out to ask the operator.',
    example: {
      detail:
        'Cancelling this order costs £250.00 now. Send that as acceptUpTo, or leave it out to ask the operator.',
      cancellation: { amount: 250, currency: 'GBP' },
    },
  },
  'charge-open': {
    status: 409,
    title: 'A charge awaits an answer',
    cause: 'The client has not answered an extra charge, so it has not agreed to the whole price.',
    cure: 'Withdraw each charge of `chargeIds`, or record its answer, and then close the order.',
  },
  'offer-expired': {
    status: 409,
    title: 'The offer has expired',
    cause: 'The last instant of the offer, its `validUntil`, has passed.',
    cure: 'Read the enquiry for other offers, or send a new enquiry.',
  },
  'quote-expired': {
    status: 409,
    title: 'The quote has expired',
    cause:
      'The last instant of the quote, its `validUntil`, has passed, or the operator has withdrawn it: see its `state`.',
    cure: 'Copy the quote: the copy has the same sites at the terms of today.',
  },
  'version-gone': {
    status: 410,
    title: 'The version is gone',
    cause: 'It is too old, or the price list or the network is another one.',
    cure: 'Download the whole coverage again.',
  },
  'offer-withdrawn': {
    status: 409,
    title: 'The offer was withdrawn',
    cause: 'The operator has withdrawn the offer, or has replaced it by another one.',
    cure: 'Read the enquiry: its other `offers` may be open.',
    example: { detail: 'The operator has replaced this offer by another one.' },
  },
  'enquiry-moved': {
    status: 409,
    title: 'The enquiry has changed',
    cause: 'The `state` of the enquiry, or of its offers, does not allow this any more.',
    cure: 'Read the enquiry again: compare `state` and `offers`, and decide again.',
    example: { detail: 'The enquiry is accepted: it has no open offers.', state: 'accepted' },
  },
  'client-changed': {
    status: 409,
    title: 'The API client has changed',
    cause: 'The `version` of the API client has changed since it was read.',
    cure: 'Read the client again, compare it with your change, and send the change with the new `version`.',
    example: { detail: 'A colleague has edited this API client since you read it.', version: 4 },
  },
  'client-name-taken': {
    status: 409,
    title: 'The name is taken',
    cause: 'Another API client has this name.',
    cure: 'Choose another name, or edit that client.',
  },
  'too-many-open': {
    status: 409,
    title: 'Too many open orders and enquiries',
    cause: 'The API client has as many open orders and enquiries as allowed, 5,000 by default.',
    cure: 'Cancel those that you no longer need, or wait until the operator has closed others, and send the request again after a minute.',
    example: {
      detail:
        'You have 5,000 open orders and enquiries. Cancel those that you no longer need, or wait until others are closed, and send the request again after a minute.',
    },
  },
  'not-waiting': {
    status: 409,
    title: 'The delivery does not wait for the client',
    cause: '`answersWaiting` was sent, but the delivery of the order does not wait for its client.',
    cure: 'Send the message without `answersWaiting`, or read the order first: `delivery.waitingFor` says who is waited for.',
  },
  'watch-limit': {
    status: 409,
    title: 'Too many open watches',
    cause: 'The API client has 10,000 open watches, which is the most.',
    cure: 'Delete watches that you no longer need; those that were served or have ended do not count.',
    example: { detail: 'You have 10,000 open watches. Delete some that you no longer need.' },
  },
  'webhooks-off': {
    status: 409,
    title: 'Webhooks are switched off',
    cause: 'The operator has not switched webhooks on.',
    cure: 'Ask the operator for them, or poll your orders with `updatedSince`.',
  },
  'version-state': {
    status: 409,
    title: 'The catalogue version has the wrong state',
    cause: 'The state of the version does not allow this change.',
    cure: 'Read `detail`: it names the state and what you can do instead.',
    example: { detail: 'Version 2 is already active.' },
  },
  'import-running': {
    status: 409,
    title: 'Another import is running',
    cause: 'An instance imports one catalogue at a time.',
    cure: 'Send the files again after the time in `Retry-After`.',
  },
  'guard-rail': {
    status: 409,
    title: 'A guard rail stops the catalogue version',
    cause: 'The version loses or changes more than the settings allow.',
    cure: 'Check the diff; to confirm the change, repeat the request with the reason in `accept`, which the audit trail keeps.',
    example: {
      detail:
        'A guard rail stops version 2. price-moved: 48 prices move by more than 30 %. If this is intended, give a reason: `accept`, or --yes on the command line.',
    },
  },
  'content-too-large': {
    status: 413,
    title: 'The body is too large',
    cause: 'The body, or an uploaded file, has more bytes than the operation takes.',
    cure: 'Shorten the body to what `detail` names; `notes` takes 2,000 characters.',
    example: { detail: 'The body has more than 16 KB.' },
  },
  'uri-too-long': {
    status: 414,
    title: 'The address is too long',
    cause: 'The request target has more than 2,048 characters, more than any address here needs.',
    cure: 'Check how your program builds the address.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is not JSON',
    cause: 'The service does not accept this Content-Type, charset or Content-Encoding.',
    cure: 'Send JSON in UTF-8 with `Content-Type: application/json`.',
    example: { detail: 'Send JSON with Content-Type: application/json.' },
  },
  'catalogue-rejected': {
    status: 422,
    title: 'The catalogue files have faults',
    cause: 'A row is invalid, a file is missing or not UTF-8, or the import took too long.',
    cure: 'Correct every fault in `faults`, each of which says what to write, and send the files again.',
    example: { detail: 'Nothing was imported: 3 faults.' },
  },
  'uprn-not-at-postcode': {
    status: 422,
    title: 'The UPRN is at another postcode',
    cause: 'The operator lists the premises with this UPRN at another postcode.',
    cure: 'Correct the UPRN or the postcode: a mistyped UPRN is usually that of other premises.',
  },
  'unknown-product': {
    status: 422,
    title: 'No such product',
    cause: 'The catalogue has no product with this code.',
    cure: 'Use a `productCode` from a postcode check.',
  },
  'product-not-available': {
    status: 422,
    title: 'The product is not available at this postcode',
    cause: 'The product exists but is not sold at this postcode.',
    cure: 'Order one of the codes in `availableProducts`, or check another postcode.',
    example: {
      detail: 'This product is not sold at ZZ99 1AA; availableProducts lists the codes that are.',
      availableProducts: ['TEST-100M-12', 'TEST-1G-12', 'TEST-1G-36'],
    },
  },
  'interconnect-required': {
    status: 422,
    title: 'The order must name an interconnect',
    cause: 'The product `needsInterconnect`, and `details.interconnect` is missing.',
    cure: 'Name one of the `interconnects` of `GET me` in `details.interconnect`, or ask the operator for one.',
  },
  'unknown-interconnect': {
    status: 422,
    title: 'The interconnect is not known',
    cause: '`details.interconnect` names none of the interconnects of the API client.',
    cure: 'Name one of the `interconnects` of `GET me`.',
  },
  'line-not-orderable': {
    status: 422,
    title: 'Lines of the quote cannot be ordered',
    cause: 'At least one of the lines cannot be ordered or asked for, so none of them was.',
    cure: 'Send the request again without the lines in `lines`; `reason` says what is wrong with each.',
    example: {
      detail: 'One line cannot be ordered; see lines.',
      lines: [{ lineId: '7', reason: 'notPriced' }],
    },
  },
  'unknown-check': {
    status: 422,
    title: 'The cited check does not fit',
    cause: 'You have no check with this `checkId` for this postcode, or it is of other premises.',
    cure: 'Cite the `id` of your own check of this postcode, or of these premises, or omit `checkId`.',
  },
  'extra-charges-excluded': {
    status: 422,
    title: 'The terms of the order exclude extra charges',
    cause: 'The price was promised without extra charges: `extraChargesPossible` is false.',
    cure: 'Deliver at the agreed price; `expedite` is possible if the client asked for it.',
  },
  'unknown-person': {
    status: 422,
    title: 'No such staff member',
    cause: 'No staff member with this id can take orders, or the member is disabled.',
    cure: 'Use an id from `GET /follow-up/people`.',
  },
  'search-too-broad': {
    status: 422,
    title: 'Too many search results to export',
    cause: 'More orders match the words than the search can return.',
    cure: 'Search for more words, or export with filters instead.',
    example: { detail: 'More than 2000 orders match; an export would lack some.' },
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    cause: 'An order with this key exists, with a different body.',
    cure: 'Use a new key for a new order; to retry an order, send the same body, including `checkId`.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    cause: 'The caller has reached a rate limit.',
    cure: 'Wait for the seconds in `Retry-After`; `RateLimit-Policy` states the limit.',
    example: { detail: 'The limit is 600 look-ups a minute.' },
  },
  'header-fields-too-large': {
    status: 431,
    title: 'The headers are too large',
    cause: 'The request headers have more than 16 KB in all.',
    cure: 'Send fewer or shorter headers.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    cause: 'An unexpected error occurred, and the service has logged it.',
    cure: 'Try again; if it happens again, send the operator the request id in `instance`.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    cause: 'The database is unreachable or cannot store, or the service is shutting down.',
    cure: 'Retry after the time in `Retry-After`, with the same Idempotency-Key.',
    example: { detail: 'The database is not available at the moment.' },
  },
} as const satisfies Record<string, ProblemType>;

export type ProblemCode = keyof typeof problemTypes;
