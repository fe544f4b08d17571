import { addressIn, mayCall, type UrlRules } from '../config/addresses.js';
import { lookupBy, names, type ResolveName } from '../kernel/name-resolver.js';
import { sendRequest } from '../kernel/outgoing-request.js';

/** Milliseconds for name resolution, connection, TLS, request and response together. */
const DEADLINE = 15_000;
/** Bytes of a response that are read. Their content is ignored. */
const LARGEST_ANSWER = 64 * 1_024;

export interface WebhookRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly rules: UrlRules;
  readonly signal: AbortSignal;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

interface WebhookRequestOptions {
  readonly resolve?: ResolveName;
  /** A private certificate authority, for tests. */
  readonly ca?: string;
  readonly deadline?: number;
}

export class AddressRefused extends Error {
  constructor() {
    super('The host resolves to an address that is not on the public internet.');
  }
}

/**
 * Posts to a webhook. Connects only to an address that it has checked (no DNS rebinding), and follows
 * no redirects.
 * @throws {AddressRefused | Error} also if there is no complete response in time
 */
export async function postWebhook(
  { url, headers, body, rules, signal }: WebhookRequest,
  { resolve = names.resolve, ca, deadline = DEADLINE }: WebhookRequestOptions = {},
): Promise<WebhookAnswer> {
  const literal = addressIn(url);
  if (literal !== undefined && !mayCall(literal, rules.networks)) throw new AddressRefused();
  const timeUp = AbortSignal.timeout(deadline);
  try {
    const answer = await sendRequest(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.any([signal, timeUp]),
      mostRead: LARGEST_ANSWER,
      lookup: lookupBy(resolve, (addresses) => {
        const allowed = addresses.every(({ address }) => mayCall(address, rules.networks));
        if (!allowed || addresses.length === 0) throw new AddressRefused();
      }),
      ...(ca !== undefined && { ca }),
    });
    return { status: answer.status, retryAfter: answer.headers['retry-after'] };
  } catch (error) {
    if (timeUp.aborted && !signal.aborted) {
      throw new Error(`No complete response within ${deadline / 1_000} seconds.`, { cause: error });
    }
    throw error;
  }
}
