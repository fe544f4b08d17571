import type { Catalogue } from '../catalogue.js';
import { STANDARD } from '../cells.js';
import { BEGINNING } from '../dates.js';
import type { Offer } from '../offer-fields.js';
import type { PriceListRow } from '../price-list-fields.js';

/** Asks for the time before the first change of a zone. */
export const FROM_THE_START = 'start';

/** What an address asks for. What a version does not have counts as not asked for. */
export interface PriceQuestion {
  readonly zone: string;
  readonly priceList: string;
  /** A day in London on which the zone changes, or `FROM_THE_START`; otherwise today. */
  readonly day: string;
}

/** Its day is `BEGINNING` before the first change. */
export interface PricesOfZone extends PriceQuestion {
  /** The days on which the zone changes, ascending. */
  readonly changeDays: readonly string[];
  readonly offers: readonly Offer[];
  /** The rule of a list that is calculated from another; null for any other list. */
  readonly rule: PriceListRow | null;
  /** `standard 465.00 − 12 %` for a calculated price; otherwise the list that states it. */
  readonly originOf: (offer: Offer) => string;
}

/** What clients on one list get in one zone; null for a version without prices. */
export function pricesOfZone(
  catalogue: Catalogue,
  asked: PriceQuestion,
  today: string,
): PricesOfZone | null {
  const { zones, priceLists } = priceChoices(catalogue);
  const zone = zones.includes(asked.zone) ? asked.zone : zones[0];
  if (zone === undefined) return null;
  const priceList = priceLists.includes(asked.priceList) ? asked.priceList : STANDARD;
  const changeDays = catalogue.changeDaysOf(zone);
  const { readyDate } = catalogue.zoneRow(zone) ?? {};
  const first = readyDate && readyDate > today ? readyDate : today;
  const current = changeDays.findLast((day) => day <= first) ?? BEGINNING;
  const chosen = changeDays.find((day) => day === asked.day) ?? current;
  const day = asked.day === FROM_THE_START ? BEGINNING : chosen;
  const later = changeDays.filter((change) => change > day);
  const prices = catalogue.pricesIn(zone, day);
  return {
    zone,
    priceList,
    day,
    changeDays,
    offers: catalogue.offersThrough([day, ...later], priceList, zone),
    rule: catalogue.content.priceLists.find((row) => row.priceList === priceList) ?? null,
    originOf: ({ productCode }) => {
      const price = prices.ofList(priceList).get(productCode)!;
      // The rule of the list has its rounding.
      const [derivation] = prices.derivationOf(price)?.split(', ') ?? [];
      return derivation ?? `price of ${price.priceList}`;
    },
  };
}

/** The zones with prices, and all price lists, with `standard` first. */
export function priceChoices({ content }: Catalogue) {
  const zones = [...new Set(content.prices.map(({ zone }) => zone))].sort();
  const named = [...content.prices, ...content.priceLists].map(({ priceList }) => priceList);
  const others = [...new Set(named)].filter((list) => list !== STANDARD).sort();
  return { zones, priceLists: [STANDARD, ...others] };
}
