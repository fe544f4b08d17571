// A quote from a spreadsheet (CSV): each site with its product, then the totals.
//   BASE=http://localhost:3000 TOKEN=pas_test_… node quote.ts sites.csv [reference]
import { readFileSync } from 'node:fs';
import { Problem, ProductAvailability } from 'product-availability';

const { BASE: baseUrl = 'http://localhost:3000', TOKEN: token = '' } = process.env;
const [file = 'sites.csv', reference] = process.argv.slice(2);

const client = new ProductAvailability({ baseUrl, token });

try {
  const quote = await client.quoteSpreadsheet(readFileSync(file, 'utf8'), {
    reference,
    bandwidth: 1,
  });
  console.log(`${quote.quoteReference}, valid until ${quote.validUntil}`);
  for (const { lineId, site, postcode, state, product } of quote.lines) {
    const price = product ? `${product.price} ${product.currency} a month` : state;
    console.log(`${lineId} ${site ?? ''} ${postcode}: ${price}`);
  }
  for (const { lines, monthly, currency, basis } of quote.totals) {
    console.log(`${lines} lines, ${monthly} ${currency} a month, ${basis}`);
  }
} catch (error) {
  console.error(error instanceof Problem ? await error.explain() : error);
  process.exitCode = 1;
}
