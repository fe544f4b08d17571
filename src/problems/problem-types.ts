interface ProblemType {
  readonly status: number;
  readonly title: string;
  /** What makes the service answer this, in a sentence. */
  readonly cause: string;
  /** What the caller does about it, in a sentence. */
  readonly cure: string;
}

/**
 * Every problem that the service can answer, by its code: the last segment of `type` (RFC 9457
 * §3.1.1), the `code` of the body and the address of the page under `/problems/`.
 */
export const problemTypes = {
  'malformed-request': {
    status: 400,
    title: 'Malformed request',
    cause:
      'The request cannot be read: broken JSON, broken percent-encoding, more than eight levels of nesting, two Authorization headers, or a token outside the Authorization header.',
    cure: 'Send one well-formed request; `detail` names the part that could not be read.',
  },
  'invalid-postcode': {
    status: 400,
    title: 'Not a UK postcode',
    cause: 'The text in the path is not a UK postcode.',
    cure: 'Correct the postcode. Where one look-alike character explains the mistake, `suggestion` holds the postcode that was probably meant.',
  },
  'validation-error': {
    status: 400,
    title: 'The request is not valid',
    cause:
      'One or more fields are missing, of the wrong type, too long, unknown, or not what the field takes.',
    cure: 'Correct every field listed in `errors`; `pointer` says where it is (RFC 6901).',
  },
  'missing-token': {
    status: 401,
    title: 'No bearer token',
    cause: 'The request has no Authorization header with the scheme Bearer.',
    cure: 'Send `Authorization: Bearer <token>`.',
  },
  'invalid-token': {
    status: 401,
    title: 'The bearer token is not valid',
    cause: 'The token is unknown, has expired or was revoked, or its owner is disabled.',
    cure: 'Check for a copying mistake; otherwise ask the operator for a new token.',
  },
  'missing-session': {
    status: 401,
    title: 'Not signed in',
    cause:
      'A page for staff was asked for without a session, or the session has expired or was ended.',
    cure: 'Sign in at `/staff/sign-in`.',
  },
  'insufficient-scope': {
    status: 403,
    title: 'The token does not allow this',
    cause: 'The token is valid but lacks the scope that the operation needs.',
    cure: 'Use a token with the scope named in `WWW-Authenticate`, or ask the operator for one.',
  },
  'insufficient-role': {
    status: 403,
    title: 'The page is for another role',
    cause: 'The member of staff has signed in, but has a lower role than the page asks for.',
    cure: 'Ask somebody with the role that `detail` names.',
  },
  'cross-site-request': {
    status: 403,
    title: 'The form was sent from another site',
    cause:
      'A change to a page for staff came from another site, or from a program that tells neither `Sec-Fetch-Site` nor `Origin`.',
    cure: 'Send the form from the page itself. If it was sent from there, `PUBLIC_URL` is not the address in the browser.',
  },
  'not-permitted': {
    status: 403,
    title: 'This is for somebody else to do',
    cause: "The caller may call this operation, but is neither this order's owner nor a manager.",
    cure: 'Ask the owner or a manager, as `detail` says.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    cause: 'There is nothing at this address, or nothing that this token may see.',
    cure: 'Check the address and the identifier in it.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    cause: 'The address exists but does not take this method.',
    cure: 'Use one of the methods in the `Allow` header.',
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
    cure: 'Send the same request again after the time in `Retry-After`.',
  },
  'offer-changed': {
    status: 409,
    title: 'The offer has changed since the check',
    cause:
      'The cited check is older than the price-hold time, and price or lead time have changed since.',
    cure: 'Show the client the terms in `current`; check the postcode again and order with the new check id.',
  },
  'order-moved': {
    status: 409,
    title: 'Somebody else was first',
    cause:
      'The order has moved on since the caller saw it: its `version` is another one now, or its `state` does not allow this move.',
    cure: 'Look at `state`, `ownerName` and `version`, read the order again, and decide anew.',
  },
  'webhooks-off': {
    status: 409,
    title: 'Webhooks are switched off',
    cause: 'The operator of this service has not switched webhooks on.',
    cure: 'Ask the operator for them, or list your orders with `updatedSince` from time to time.',
  },
  'version-state': {
    status: 409,
    title: 'The catalogue version is in another state',
    cause:
      'The version cannot be activated, scheduled, withdrawn or rolled back to from the state that it is in, or at that instant.',
    cure: 'Read `detail`: it says which state it is in and what can be done instead.',
  },
  'guard-rail': {
    status: 409,
    title: 'A guard rail stops the catalogue version',
    cause:
      'The version loses coverage, moves a price, loses a product or leaves a zone without prices beyond what the settings allow.',
    cure: 'Look at the diff. If the change is meant, send the same request with `accept`, a word that says why; it is kept in the audit trail.',
  },
  'content-too-large': {
    status: 413,
    title: 'The body is too large',
    cause: 'The body has more than 16 KB, or an uploaded catalogue more than the operator allows.',
    cure: 'Shorten it; `notes` takes 2,000 characters.',
  },
  'uri-too-long': {
    status: 414,
    title: 'The address is too long',
    cause: 'The request target has more than 2,048 characters: no address of this service has.',
    cure: 'Check how the address was built.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is not JSON',
    cause: 'The body was sent with a Content-Type, charset or Content-Encoding that is not taken.',
    cure: 'Send JSON in UTF-8 with `Content-Type: application/json`.',
  },
  'catalogue-rejected': {
    status: 422,
    title: 'The catalogue files have faults',
    cause:
      'A row of the files cannot be used, or a file is missing or not UTF-8. Nothing was changed.',
    cure: 'Mend every fault in `faults`, each of which says what to write instead, and send the files again.',
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
  },
  'unknown-check': {
    status: 422,
    title: 'The cited check does not fit',
    cause:
      'The `checkId` is unknown, belongs to another API client, or was made for another postcode.',
    cure: 'Cite the `id` of your own check of the same postcode, or leave `checkId` out.',
  },
  'unknown-person': {
    status: 422,
    title: 'No such staff member',
    cause: 'There is no staff member with this id who could take an order, or it is disabled.',
    cure: 'Use an id from `GET /follow-up/people`.',
  },
  'search-too-broad': {
    status: 422,
    title: 'The search finds too much to export',
    cause:
      'More orders match the words than a search looks at, so that the export would lack some.',
    cure: 'Search for more words, or export by filters instead.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    cause: 'An order with this key exists, and its body was different.',
    cure: 'Use a new key for a new order. To repeat an old one, send its body as it was, with the same `checkId`.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    cause: 'The caller has used up its requests for the moment.',
    cure: 'Wait for the seconds in `Retry-After`; `RateLimit-Policy` states the limit.',
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
    cause: 'The service made a mistake. It has been logged.',
    cure: 'Try again; if it stays, tell the operator the request id in `instance`.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    cause: 'The database cannot be reached or cannot store, or the service is shutting down.',
    cure: 'Send the same request again after the time in `Retry-After`, with the same Idempotency-Key.',
  },
} as const satisfies Record<string, ProblemType>;

export type ProblemCode = keyof typeof problemTypes;
