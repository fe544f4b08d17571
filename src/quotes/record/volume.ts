import { discounted } from '../../catalogue/content/effective-prices.js';
import type { ShownCatalogue } from '../../catalogue/shown/shown.service.js';
import type { Config } from '../../platform/config/config.js';
import type { QuoteLine } from './quote.entity.js';

interface CountedProduct {
  readonly productCode: string;
  readonly service: string | null;
}

/** How many places have a product of the same service as this one. A product without a service counts by its code. */
export type PlacesOfService = (product: CountedProduct) => number;

/** Counts each place once: a UPRN, or a postcode without one. */
export function placesOfServices(lines: readonly QuoteLine[]): PlacesOfService {
  const places = new Map<string, Set<string>>();
  const keyOf = ({ service, productCode }: CountedProduct) =>
    service === null ? `code ${productCode}` : `service ${service.toLowerCase()}`;
  for (const { offer, uprn, postcode } of lines) {
    if (!offer) continue;
    const key = keyOf(offer.product);
    places.set(key, (places.get(key) ?? new Set()).add(uprn ?? postcode));
  }
  return (product) => places.get(keyOf(product))?.size ?? 0;
}

/** Lines with the discount for their number of places. */
export function withVolume(
  lines: readonly QuoteLine[],
  shown: Pick<ShownCatalogue, 'volumeOf'>,
  priceList: string,
  counts: Config['volumeCounts'],
): readonly QuoteLine[] {
  const placesOf = placesOfServices(lines);
  return lines.map((line) => {
    if (!line.offer) return line;
    const { product, amountMinor } = line.offer;
    const volume = shown.volumeOf(line.offer.catalogueVersion);
    const { percent, from } = volume.discountFor(priceList, product.productCode, placesOf(product));
    if (percent === 0) return line;
    const { amountMinor: less, ...cheaper } = discounted({ ...product, amountMinor }, percent);
    const discount = { discountPercent: percent, discountFrom: counts === 'order' ? from : null };
    return { ...line, offer: { ...line.offer, product: cheaper, amountMinor: less, ...discount } };
  });
}

/** Whether a line's discount needs more places than are ordered together with it. */
export function lacksVolume({ offer }: QuoteLine, placesOf: PlacesOfService): boolean {
  return offer !== null && placesOf(offer.product) < (offer.discountFrom ?? 0);
}
