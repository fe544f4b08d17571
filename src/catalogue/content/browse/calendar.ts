import { percentsInWords } from '../change-lists.js';
import { type CatalogueContent } from '../catalogue.js';
import { addDays } from '../../../platform/kernel/time.js';
import { effectiveOf } from '../cost-books.js';
import type { SupplierRow } from '../cost-fields.js';
import { supplierOf } from '../coverage-codec.js';
import type { PriceRow } from '../offer-fields.js';
import { dayInWords, changeDays, isWithin, onDay } from '../dates.js';
import { diffPrices, type PriceSummary, summaryOf } from '../price-changes.js';
import { effectivePrices } from '../effective-prices.js';
import { counted } from '../../../platform/kernel/counts.js';

/** What dates of rows change on one day, compared with the day before. */
export interface CalendarDay {
  /** In London: `2027-01-01`. */
  readonly day: string;
  /** Monthly prices, those of derived lists included. */
  readonly prices: PriceSummary;
  readonly setupPrices: PriceSummary;
  /** Prices with another lead time or basis. */
  readonly otherTerms: number;
  readonly zonesOpened: readonly string[];
  readonly zonesClosed: readonly string[];
}

/** The days after `today` on which something changes. */
export function calendarOf(whole: CatalogueContent, today: string): CalendarDay[] {
  const { suppliers, ...sold } = effectiveOf(whole);
  // Without the ends of cost books, which change nothing but the basis of all their prices.
  const content = { ...sold, suppliers: [] };
  let before = effectivePrices(onDay(content, today));
  let open = openZones(whole, today);
  const dated = new Set(changeDays(content));
  const days = changeDays({ ...content, suppliers }).filter((day) => day > today);
  return days.flatMap((day) => {
    const after = dated.has(day) ? effectivePrices(onDay(content, day)) : before;
    const ended = suppliers.filter(({ validUntil }) => addDays(validUntil, 1) === day);
    const { prices, setupPrices, leadTimes, bases } =
      after === before ? noPrices : diffPrices(before, after);
    const nowOpen = openZones(whole, day);
    const found: CalendarDay = {
      day,
      prices: summaryOf(prices),
      setupPrices: summaryOf(setupPrices),
      otherTerms: leadTimes.length + bases.length + pricesOf(ended, after),
      zonesOpened: nowOpen.filter((zone) => !open.includes(zone)),
      zonesClosed: open.filter((zone) => !nowOpen.includes(zone)),
    };
    [before, open] = [after, nowOpen];
    return changesInWords(found) === '' ? [] : found;
  });
}

const noPrices = diffPrices([], []);

/** How many prices of suppliers become indicative. */
function pricesOf(suppliers: readonly SupplierRow[], prices: readonly PriceRow[]): number {
  if (suppliers.length === 0) return 0;
  const codes = new Set(suppliers.map(({ supplier }) => supplier));
  return prices.filter(
    ({ zone, basis }) => basis !== 'indicative' && codes.has(supplierOf(zone) ?? ''),
  ).length;
}

function openZones({ zones }: CatalogueContent, day: string): string[] {
  return zones.flatMap(({ zone, readyDate, endDate }) =>
    isWithin(day, readyDate, endDate) ? zone : [],
  );
}

/** `62 prices −10.0 %; LONDON-PLANNED starts to sell`. */
export function changesInWords(day: Omit<CalendarDay, 'day'>): string {
  const { prices, setupPrices, otherTerms, zonesOpened, zonesClosed } = day;
  return [
    ...summaryInWords(prices, 'price'),
    ...summaryInWords(setupPrices, 'set-up price'),
    otherTerms > 0 ? `${counted(otherTerms, 'lead time or basis', 'lead times or bases')}` : [],
    zonesOpened.length > 0 ? `${zonesOpened.join(', ')}: sales start` : [],
    zonesClosed.length > 0 ? `${zonesClosed.join(', ')}: sales end` : [],
  ]
    .flat()
    .join('; ');
}

/** `1 January 2027: 62 prices −10.0 %`, a line for each day. */
export function calendarInWords(calendar: readonly CalendarDay[]): string {
  return calendar.map((day) => `${dayInWords(day.day)}: ${changesInWords(day)}\n`).join('');
}

function summaryInWords(summary: PriceSummary, what: string): string[] {
  const { count, added, removed } = summary;
  const changed = count - added - removed;
  const percents = percentsInWords(summary).replaceAll('-', '−');
  return [
    changed > 0 ? [counted(changed, what), percents].filter(Boolean).join(' ') : [],
    added > 0 ? counted(added, `${what} begins`, `${what}s begin`) : [],
    removed > 0 ? counted(removed, `${what} ends`, `${what}s end`) : [],
  ].flat();
}
