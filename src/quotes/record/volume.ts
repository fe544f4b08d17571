import type { Catalogue } from '../../catalogue/content/catalogue.js';
import { discounted } from '../../catalogue/content/effective-prices.js';
import type { QuoteLine } from './quote.entity.js';

/** How many lines of a quote have a product of the same service as this one; products without a service are one. */
export type LinesOfService = (service: string | null) => number;

export function linesOfServices(lines: readonly QuoteLine[]): LinesOfService {
  const counts = new Map<string, number>();
  const keyOf = (service: string | null) => service?.toLowerCase() ?? '';
  for (const { offer } of lines) {
    if (!offer) continue;
    const key = keyOf(offer.product.service);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return (service) => counts.get(keyOf(service)) ?? 0;
}

/** Lines with the discount for their number. */
export function withVolume(
  lines: readonly QuoteLine[],
  { volume }: Pick<Catalogue, 'volume'>,
  priceList: string,
): readonly QuoteLine[] {
  const count = linesOfServices(lines);
  return lines.map((line) => {
    if (!line.offer) return line;
    const { product, amountMinor } = line.offer;
    const lineCount = count(product.service);
    const percent = volume.percentFor(priceList, product.productCode, lineCount);
    if (percent === 0) return line;
    const { amountMinor: less, ...cheaper } = discounted({ ...product, amountMinor }, percent);
    const offer = { ...line.offer, product: cheaper, amountMinor: less, discountPercent: percent };
    return { ...line, offer };
  });
}
