// From nothing available to an order: check, enquire, accept an offer.
//   BASE=http://localhost:3000 TOKEN=pas_test_… node enquiry.ts [postcode] [enquiry number]
import { Problem, ProductAvailability } from 'product-availability';

const { BASE: baseUrl = 'http://localhost:3000', TOKEN: token = '' } = process.env;
const [postcode = 'ZZ99 1BB', number = String(Date.now())] = process.argv.slice(2);

const client = new ProductAvailability({
  baseUrl,
  token,
  onRetry: (reason, seconds) => console.error(`${String(reason)}: again in ${seconds} s`),
});

interface Terms {
  productCode: string;
  price: number;
  currency: string;
  setupPrice: number | null;
  basis: string;
}

/** The price, and what it is worth. */
function termsOf({ productCode, price, currency, setupPrice, basis }: Terms): string {
  return `${productCode}: ${price} ${currency} a month, set-up ${setupPrice ?? 'not stated'}, basis ${basis}`;
}

async function main(): Promise<void> {
  const check = await client.checkPostcode({ postcode });
  if (check.availableProducts.length > 0) {
    return console.log(`${check.message} No enquiry is needed.`);
  }
  for (const { detail } of check.reasons) console.log(detail);

  const wanted = { bandwidth: 2, term: 24, description: 'Any access technology.' };
  const { enquiryId, message } = await client.placeEnquiry({
    key: `enquiry-${number}`,
    body: { postcode: check.postcode, checkId: check.id, wanted, reference: number },
  });
  console.log(message);

  // With a live token, wait for the webhook `enquiry.offered`. For a test token, this plays the staff.
  if (token.startsWith('pas_test_')) await client.advanceTestEnquiry({ enquiryId, body: {} });
  const enquiry = await client.readEnquiry({ enquiryId });
  console.log(`State: ${enquiry.state}`);
  const open = enquiry.offers.filter(({ state }) => state === 'open');
  for (const { product, validUntil } of open)
    console.log(`${termsOf(product)}, until ${validUntil}`);
  const [cheapest] = open.sort((a, b) => a.product.price - b.product.price);
  if (!cheapest) return;

  // Safe to send again: the same offer becomes one order.
  const { offerId } = cheapest;
  const { orderId } = await client.acceptOffer({ enquiryId, body: { offerId } });
  const order = await client.readOrder({ orderId });
  console.log(`Order ${order.orderReference}: ${termsOf(order.product)}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Problem ? await error.explain() : error);
  process.exitCode = 1;
}
