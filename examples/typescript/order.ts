// Check, order, read. The head of docs/packages says how to install the package.
//   BASE=http://localhost:3000 TOKEN=pas_test_… node order.ts [postcode] [order number]
import { Problem, ProductAvailability, type ProductOffer } from 'product-availability';

const { BASE: baseUrl = 'http://localhost:3000', TOKEN: token = '' } = process.env;
const [postcode = 'ZZ99 1AA', number = String(Date.now())] = process.argv.slice(2);

const client = new ProductAvailability({
  baseUrl,
  token,
  onRetry: (reason, seconds) => console.error(`${String(reason)}: again in ${seconds} s`),
});

/** The price, and what it is worth. */
function termsOf({ productCode, price, currency, setupPrice, basis }: ProductOffer): string {
  return `${productCode}: ${price} ${currency} a month, set-up ${setupPrice ?? 'not stated'}, basis ${basis}`;
}

async function main(): Promise<void> {
  const check = await client.checkPostcode({ postcode });
  const [product] = check.availableProducts;
  if (!product) return console.log(`No products are available at ${check.postcode}.`);
  console.log(check.message);
  for (const offer of check.availableProducts) console.log(termsOf(offer));

  // Each run orders once for its check. Your system makes a key for each order, and stores key and body before it sends them,
  // so that a retry after a restart sends the same.
  console.log(`Ordering ${product.productCode} as number ${number}`);
  const { orderId } = await client.placeOrder({
    key: `order-${number}-${check.id}`,
    body: {
      postcode: check.postcode,
      productCode: product.productCode,
      checkId: check.id,
      reference: number,
    },
  });
  console.log(`Order ${orderId} is received.`);
  const order = await client.readOrder({ orderId });
  console.log(`State: ${order.state}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Problem ? await error.explain() : error);
  process.exitCode = 1;
}
