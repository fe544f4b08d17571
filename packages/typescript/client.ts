import { Operations, type QuoteView, type WebhookMessage } from './operations.js';
import type { Problem as ProblemFields, ValidationErrorProblem } from './schema.js';

export type * from './operations.js';

export type ProblemBody = ProblemFields & Partial<Pick<ValidationErrorProblem, 'errors'>>;

/** The service refused the request. Branch on `body.code`, show the message. */
export class Problem extends Error {
  constructor(readonly body: ProblemBody) {
    super(`${body.title}: ${body.detail}`);
  }

  /** The message, each faulty field, and the remedy, if the service answers and knows one. */
  async explain(): Promise<string> {
    const faults = (this.body.errors ?? []).map(({ pointer, detail }) => `  ${pointer}: ${detail}`);
    const init = { headers: { Accept: 'application/json' }, signal: AbortSignal.timeout(15_000) };
    const page = await fetch(this.body.type, init)
      .then((response) => response.json() as Promise<{ cure?: string }>)
      .catch(() => undefined);
    const remedy = page?.cure ? [`What to do: ${page.cure}`] : [];
    return [this.message, ...faults, ...remedy].join('\n');
  }
}

export interface Options {
  /** Such as `https://api.example.net`. */
  readonly baseUrl: string;
  readonly token: string;
  /** Of each request; 6 by default. */
  readonly attempts?: number;
  /** Milliseconds for each attempt; 15,000 by default. */
  readonly timeout?: number;
  /** Learns of each retry: the status, or what broke the connection, and the seconds until then. */
  readonly onRetry?: (reason: number | Error, seconds: number) => void;
}

/** How an operation is sent, from the description. */
export interface Route {
  readonly method: string;
  readonly path: string;
  /** It takes an `Idempotency-Key`. */
  readonly keyed?: true;
  /** A second request would have another effect, so it is not sent again when an answer is lost. */
  readonly once?: true;
  /** Names of headers, by the names of their parameters here. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The client: a method for each operation of the description, and for quotes of spreadsheets. */
export class ProductAvailability extends Operations {
  constructor(private readonly options: Options) {
    super();
  }

  /**
   * Quotes the sites of a spreadsheet (CSV), and returns the quote with all its lines. Its columns are `site`,
   * `postcode`, `uprn`, `bandwidth`, `term`, `service` and `notes`; only `postcode` is needed.
   * @param defaults what rows leave out, a reference and the customer
   */
  async quoteSpreadsheet(
    csv: string | Uint8Array,
    defaults: Omit<Parameters<Operations['makeQuoteFromCsv']>[0], 'body'> = {},
  ): Promise<QuoteView> {
    const { quoteId } = await this.makeQuoteFromCsv({ ...defaults, body: csv });
    const quote = await this.readQuote({ quoteId });
    for (let cursor = quote.nextCursor; cursor !== null;) {
      const page = await this.readQuote({ quoteId, cursor });
      quote.lines.push(...page.lines);
      cursor = page.nextCursor;
    }
    return { ...quote, nextCursor: null };
  }

  protected override send<T>(route: Route, asked: object): Promise<T> {
    return this.retried(route, asked, (response) => response.json() as Promise<T>);
  }

  protected override request(route: Route, asked: object): Promise<Response> {
    return this.retried(route, asked, (response) => Promise.resolve(response));
  }

  private async retried<T>(
    route: Route,
    asked: object,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { attempts = 6, timeout = 15_000, onRetry } = this.options;
    const [url, init] = this.requestOf(route, asked as Readonly<Record<string, unknown>>);
    for (let attempt = 1; ; attempt += 1) {
      let wait: string | null = null;
      let reason: number | Error;
      const abort = new AbortController();
      const late = new DOMException('There was no complete answer in time.', 'TimeoutError');
      const timer = setTimeout(() => abort.abort(late), timeout);
      try {
        const response = await fetch(url, { ...init, signal: abort.signal });
        const { status, headers } = response;
        if (status < 400) return await read(response);
        wait = headers.get('retry-after');
        // 409 has Retry-After while the first request with the same key is running.
        const again = status === 429 || status === 503 || (status === 409 && wait !== null);
        const isWorthAnother = again || (status >= 500 && !route.once);
        if (!isWorthAnother || attempt >= attempts) throw new Problem(await problemIn(response));
        await response.body?.cancel();
        reason = status;
      } catch (error) {
        // No answer, or a part of one: the request may have arrived.
        if (error instanceof Problem || route.once || attempt >= attempts) throw error;
        reason = error as Error;
      } finally {
        // What the caller reads itself, such as a large file, may take longer.
        clearTimeout(timer);
      }
      // A proxy may send a date.
      const seconds = /^\d+$/.test(wait ?? '') ? Number(wait) : 2 ** (attempt - 1);
      onRetry?.(reason, seconds);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }

  private requestOf(route: Route, asked: Readonly<Record<string, unknown>>): [string, RequestInit] {
    const { body, key, accept, ...parameters } = asked;
    const headers: Record<string, string> = { Authorization: `Bearer ${this.options.token}` };
    const query = new URLSearchParams();
    let path = route.path;
    for (const [name, value] of Object.entries(parameters)) {
      if (value === undefined) continue;
      const text = String(value);
      const header = route.headers?.[name];
      if (header !== undefined) headers[header] = text;
      else if (!path.includes(`{${name}}`)) query.set(name, text);
      else path = path.replace(`{${name}}`, () => encodeURIComponent(text));
    }
    if (accept !== undefined) headers.Accept = String(accept);
    // A retry has the same key, so that there is one order, even if answers are lost.
    if (route.keyed)
      headers['Idempotency-Key'] = key === undefined ? crypto.randomUUID() : String(key);
    const url = `${this.options.baseUrl.replace(/\/+$/, '')}${path}${query.size > 0 ? `?${query}` : ''}`;
    if (body === undefined) return [url, { method: route.method, headers }];
    const isSheet = typeof body === 'string' || body instanceof Uint8Array;
    headers['Content-Type'] = isSheet ? 'text/csv' : 'application/json';
    const sent = isSheet ? (body as BodyInit) : JSON.stringify(body);
    return [url, { method: route.method, headers, body: sent }];
  }
}

/** A proxy on the way answers without a problem of the service. */
async function problemIn(response: Response): Promise<ProblemBody> {
  const { status, statusText } = response;
  const body: unknown = await response.json().catch(() => undefined);
  const title = statusText || 'No answer of the service';
  const problem = { type: 'about:blank', title, status, detail: `Status ${status}.`, instance: '' };
  return { ...problem, code: 'unknown', ...(body as object) };
}

/** Every row of a list, page by page: `every((cursor) => client.listOrders({ cursor }))`. */
export async function* every<T>(
  read: (cursor?: string) => Promise<{ items: readonly T[]; nextCursor: string | null }>,
): AsyncGenerator<T, void> {
  let page = await read();
  yield* page.items;
  while (page.nextCursor !== null) {
    page = await read(page.nextCursor);
    yield* page.items;
  }
}

/**
 * The message, if the service sent it within the last five minutes; otherwise undefined: answer 400.
 * @param body the text as it came
 */
export async function verifyWebhook(
  secret: string,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  body: string,
): Promise<WebhookMessage | undefined> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(
      headers instanceof Headers ? headers.get(`webhook-${name}`) : headers[`webhook-${name}`],
    ),
  );
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= 300)) return undefined;
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = bytesOf(secret.replace('whsec_', ''));
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  // While a secret is rotated there are two signatures; one match is enough. `verify` takes constant time.
  for (const [, base64 = ''] of signatures!.matchAll(/(?:^| )v1,([A-Za-z0-9+/]{43}=)(?= |$)/g)) {
    const isGenuine = await crypto.subtle.verify('HMAC', key, bytesOf(base64), signed);
    if (isGenuine) return JSON.parse(body) as WebhookMessage;
  }
  return undefined;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
