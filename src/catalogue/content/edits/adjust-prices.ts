import type { CatalogueContent } from '../catalogue.js';
import { derivedLists, percentOf, priceListFaults } from '../effective-prices.js';
import { decimalsOf, LARGEST_AMOUNT, printAmount } from '../../../platform/kernel/money.js';
import type { PriceRow } from '../offer-fields.js';

/** A change of prices by a percentage. What is null does not restrict it. */
export interface PriceAdjustment {
  /** Added to each price: -12 is 12 % less. Up to three decimals. */
  readonly percent: number;
  readonly priceList: string | null;
  /** The start of the product codes: `ETH-`. */
  readonly product: string | null;
  readonly zone: string | null;
  /** Major units, with up to four decimals; null rounds to the minor unit. */
  readonly roundTo: number | null;
  /** Major units: no adjusted monthly price is lower. */
  readonly floor: number | null;
  /** Whether set-up prices change too. */
  readonly setup: boolean;
}

/** Why prices cannot be adjusted like this, and what to do, in sentences. */
export class AdjustmentRefusal {
  constructor(readonly detail: string) {}
}

/**
 * The content with adjusted rows of prices.csv. Prices of derived lists follow their base, so only the
 * rows that a list states itself are adjusted.
 */
export function adjustPrices(
  content: CatalogueContent,
  adjustment: PriceAdjustment,
): CatalogueContent | AdjustmentRefusal {
  const { priceList, product, zone } = adjustment;
  let matching = 0;
  const prices = content.prices.map((row) => {
    const isMeant =
      (priceList === null || row.priceList === priceList) &&
      (zone === null || row.zone === zone) &&
      (product === null || row.productCode.startsWith(product));
    if (!isMeant) return row;
    matching += 1;
    return adjusted(row, adjustment);
  });
  if (matching === 0) return new AdjustmentRefusal(whyNothing(content, adjustment));
  const tooLarge = prices.find(
    ({ amountMinor, setupMinor }) => Math.max(amountMinor, setupMinor ?? 0) > LARGEST_AMOUNT,
  );
  if (tooLarge) {
    const { productCode, zone: inZone, currency } = tooLarge;
    return new AdjustmentRefusal(
      `The price of ${productCode} in ${inZone} would exceed ${printAmount(LARGEST_AMOUNT, currency)} ${currency}. Choose a lower percentage.`,
    );
  }
  const after = { ...content, prices };
  const [fault] = priceListFaults(after, derivedLists(content.priceLists).keys());
  return fault
    ? new AdjustmentRefusal(`Price list ${fault.priceList}: ${fault.reason} ${fault.suggestion}`)
    : after;
}

function adjusted(row: PriceRow, { percent, roundTo, floor, setup }: PriceAdjustment): PriceRow {
  const { currency, setupMinor } = row;
  const least = Math.round((floor ?? 0) * 10 ** decimalsOf(currency));
  const amount = percentOf(row.amountMinor, percent, roundTo, currency);
  return {
    ...row,
    amountMinor: Math.max(amount, least),
    setupMinor:
      setup && setupMinor !== null ? percentOf(setupMinor, percent, roundTo, currency) : setupMinor,
  };
}

function whyNothing(content: CatalogueContent, { priceList }: PriceAdjustment): string {
  const derived = priceList === null ? undefined : derivedLists(content.priceLists).get(priceList);
  if (derived && !content.prices.some((row) => row.priceList === priceList)) {
    return `The prices of ${priceList} are derived from ${derived.basedOn}. Adjust ${derived.basedOn}, or change the percentage in price_lists.csv.`;
  }
  return 'No price matches. Check the price list, the start of the product codes, and the zone.';
}
