// Check, order, read: with fetch, without packages.
//   BASE=http://localhost:3000 TOKEN=pas_test_… node order.ts [postcode] [order number]
import { setTimeout as sleep } from 'node:timers/promises';

const base = process.env.BASE ?? 'http://localhost:3000';
const token = process.env.TOKEN ?? '';
const [postcode = 'ZZ99 1AA', number = String(Date.now())] = process.argv.slice(2);

interface Product {
  productCode: string;
  name: string;
  term: number;
  price: number;
  currency: string;
  leadTimeDays: number;
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
}

interface Order {
  orderId: string;
  orderReference: string;
  state: string;
  updatedAt: string;
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

async function main(): Promise<void> {
  const check = await call<Availability>(
    `/product-availability/postcode/${encodeURIComponent(postcode)}`,
  );
  const [product] = check.availableProducts;
  if (!product) return console.log(`No products are available at ${check.postcode}.`);
  console.log(check.message);
  for (const offer of check.availableProducts) console.log(termsOf(offer));

  // Your system should store key and body before it sends them, so that a retry, even after a
  // restart, sends the same.
  console.log(`Ordering ${product.productCode} as number ${number}`);
  const { orderId } = await call<{ orderId: string }>('/product-availability/order', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `order-${number}` },
    body: JSON.stringify({
      postcode: check.postcode,
      productCode: product.productCode,
      checkId: check.id,
      reference: number,
    }),
  });
  console.log(`Order ${orderId} is received.`);

  const order = await call<Order>(`/product-availability/order/${orderId}`);
  console.log(`State: ${order.state}`);
}

try {
  await main();
} catch (error) {
  if (error instanceof Problem) await explain(error);
  else console.error(`No answer from ${base}:`, error);
  process.exitCode = 1;
}
