// From nothing available to an order: check, enquire, accept an offer. With fetch, without packages.
//   BASE=http://localhost:3000 TOKEN=pas_test_… node enquiry.ts [postcode] [enquiry number]
import { setTimeout as sleep } from 'node:timers/promises';

const base = process.env.BASE ?? 'http://localhost:3000';
const token = process.env.TOKEN ?? '';
const [postcode = 'ZZ99 1BB', number = String(Date.now())] = process.argv.slice(2);

interface Product {
  productCode: string;
  price: number;
  currency: string;
  /** Once; null is not stated. */
  setupPrice: number | null;
  /** `firm`, `subjectToSurvey`, `indicative`. */
  basis: string;
}

interface Availability {
  id: string;
  message: string;
  postcode: string;
  availableProducts: Product[];
  reasons: { code: string; detail: string }[];
}

interface Enquiry {
  enquiryId: string;
  state: string;
  offers: { offerId: string; state: string; validUntil: string; product: Product }[];
}

interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  errors?: { pointer: string; detail: string }[];
}

class Problem extends Error {
  readonly body: ProblemBody;

  constructor(body: ProblemBody) {
    super(`${body.title}: ${body.detail}`);
    this.body = body;
  }
}

/** Sends a request, and retries where that is safe and useful. */
async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let response: Response | undefined;
    try {
      response = await fetch(base + path, {
        ...init,
        headers: { Authorization: `Bearer ${token}`, ...init.headers },
        signal: AbortSignal.timeout(15_000),
      });
      const body: unknown = await response.json();
      if (response.ok) return body as T;
      if (!isWorthAnother(response) || attempt === 6) throw new Problem(body as ProblemBody);
    } catch (error) {
      // No response, or a partial one: the request may have arrived.
      if (error instanceof Problem || attempt === 6) throw error;
    }
    const seconds = Number(response?.headers.get('retry-after') ?? 2 ** (attempt - 1));
    console.error(`${response?.status ?? 'no answer'}: again in ${seconds} s`);
    await sleep(seconds * 1_000);
  }
}

function isWorthAnother({ status, headers }: Response): boolean {
  // 409 has Retry-After while the first request with the same key is running.
  return status === 429 || status >= 500 || (status === 409 && headers.has('retry-after'));
}

/** The price, and what it is worth. */
function termsOf({ productCode, price, currency, setupPrice, basis }: Product): string {
  return `${productCode}: ${price} ${currency} a month, set-up ${setupPrice ?? 'not stated'}, basis ${basis}`;
}

/** Prints the problem and its remedy. */
async function explain({ message, body }: Problem): Promise<void> {
  console.error(message);
  for (const { pointer, detail } of body.errors ?? []) console.error(`  ${pointer}: ${detail}`);
  const page = await fetch(body.type, { headers: { Accept: 'application/json' } });
  const { cure } = (await page.json()) as { cure: string };
  console.error(`What to do: ${cure}`);
}

/** A POST with a JSON body. */
function post(body: object, key?: string): RequestInit {
  const headers = {
    'Content-Type': 'application/json',
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}

async function main(): Promise<void> {
  const check = await call<Availability>(
    `/product-availability/postcode/${encodeURIComponent(postcode)}`,
  );
  if (check.availableProducts.length > 0) {
    return console.log(`${check.message} No enquiry is needed.`);
  }
  for (const { detail } of check.reasons) console.log(detail);

  const wanted = { bandwidth: 2, term: 24, description: 'Any access technology.' };
  const request = { postcode: check.postcode, checkId: check.id, wanted, reference: number };
  const received = await call<{ enquiryId: string; message: string }>(
    '/product-availability/enquiry',
    post(request, `enquiry-${number}`),
  );
  console.log(received.message);

  // With a live token, wait for the webhook `enquiry.offered`. For a test token, this plays the staff.
  const { enquiryId } = received;
  if (token.startsWith('pas_test_')) {
    await call(`/product-availability/test/enquiry/${enquiryId}/advance`, post({}));
  }
  const enquiry = await call<Enquiry>(`/product-availability/enquiry/${enquiryId}`);
  console.log(`State: ${enquiry.state}`);
  const open = enquiry.offers.filter(({ state }) => state === 'open');
  for (const { product, validUntil } of open)
    console.log(`${termsOf(product)}, until ${validUntil}`);
  const [cheapest] = open.sort((a, b) => a.product.price - b.product.price);
  if (!cheapest) return;

  // Safe to send again: the same offer becomes one order.
  const { orderId } = await call<{ orderId: string }>(
    `/product-availability/enquiry/${enquiryId}/acceptance`,
    post({ offerId: cheapest.offerId }),
  );
  const order = await call<{ orderReference: string; product: Product }>(
    `/product-availability/order/${orderId}`,
  );
  console.log(`Order ${order.orderReference}: ${termsOf(order.product)}`);
}

try {
  await main();
} catch (error) {
  if (error instanceof Problem) await explain(error);
  else console.error(`No answer from ${base}:`, error);
  process.exitCode = 1;
}
