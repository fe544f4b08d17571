// Check, order, read: with types generated from the OpenAPI document.
//   npm install openapi-fetch && npm install -D openapi-typescript typescript
//   npx openapi-typescript $BASE/openapi.json -o schema.d.ts
//   BASE=http://localhost:3000 TOKEN=pas_test_… node order.ts [postcode] [order number]
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

const base = process.env.BASE ?? 'http://localhost:3000';
const token = process.env.TOKEN ?? '';
const [postcode = 'ZZ99 1AA', number = String(Date.now())] = process.argv.slice(2);

type ProblemBody =
  components['schemas']['Problem'] | components['schemas']['ValidationErrorProblem'];

class Problem extends Error {
  readonly body: ProblemBody;

  constructor(body: ProblemBody) {
    super(`${body.title}: ${body.detail}`);
    this.body = body;
  }
}

/** Sends a request, and retries where that is safe and useful. */
async function patientFetch(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    let response: Response | undefined;
    try {
      // A request can be sent only once, so each attempt sends a copy.
      response = await fetch(request.clone(), { signal: AbortSignal.timeout(15_000) });
      const { status, headers } = response;
      const again =
        status === 429 || status >= 500 || (status === 409 && headers.has('retry-after'));
      if (!again || attempt === 6) return response;
    } catch (error) {
      if (attempt === 6) throw error;
    }
    const seconds = Number(response?.headers.get('retry-after') ?? 2 ** (attempt - 1));
    console.error(`${response?.status ?? 'no answer'}: again in ${seconds} s`);
    await sleep(seconds * 1_000);
  }
}

const client = createClient<paths>({
  baseUrl: base,
  fetch: patientFetch,
  headers: { Authorization: `Bearer ${token}` },
});

/** Returns the response, or throws its problem. */
function answerOf<T>({ data, error }: { data?: T; error?: ProblemBody }): T {
  if (data === undefined) throw new Problem(error!);
  return data;
}

/** The price, and what it is worth. */
function termsOf(product: components['schemas']['ProductOffer']): string {
  const { productCode, price, currency, setupPrice, basis } = product;
  return `${productCode}: ${price} ${currency} a month, set-up ${setupPrice ?? 'not stated'}, basis ${basis}`;
}

async function main(): Promise<void> {
  const check = answerOf(
    await client.GET('/product-availability/postcode/{postcode}', {
      params: { path: { postcode } },
    }),
  );
  const [product] = check.availableProducts;
  if (!product) return console.log(`No products are available at ${check.postcode}.`);
  console.log(check.message);
  for (const offer of check.availableProducts) console.log(termsOf(offer));

  // Your system should store key and body before it sends them, so that a retry, even after a
  // restart, sends the same.
  console.log(`Ordering ${product.productCode} as number ${number}`);
  const { orderId } = answerOf(
    await client.POST('/product-availability/order', {
      params: { header: { 'Idempotency-Key': `order-${number}` } },
      body: {
        postcode: check.postcode,
        productCode: product.productCode,
        checkId: check.id,
        reference: number,
      },
    }),
  );
  console.log(`Order ${orderId} is received.`);

  const order = answerOf(
    await client.GET('/product-availability/order/{orderId}', { params: { path: { orderId } } }),
  );
  console.log(`State: ${order.state}`);
}

/** Prints the problem and its remedy. */
async function explain({ message, body }: Problem): Promise<void> {
  console.error(message);
  const errors = 'errors' in body ? body.errors : [];
  for (const { pointer, detail } of errors) console.error(`  ${pointer}: ${detail}`);
  const page = await fetch(body.type, { headers: { Accept: 'application/json' } });
  const { cure } = (await page.json()) as { cure: string };
  console.error(`What to do: ${cure}`);
}

try {
  await main();
} catch (error) {
  if (error instanceof Problem) await explain(error);
  else console.error(`No answer from ${base}:`, error);
  process.exitCode = 1;
}
