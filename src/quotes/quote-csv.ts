import { csvLine } from '../platform/kernel/text.js';
import { groupsOf } from '../platform/kernel/turns.js';
import type { QuoteLineView, QuoteView } from './record/quotes.dto.js';

type QuoteCell = string | number | null | undefined;

/** The columns of a quote as CSV. Prices exclude VAT, in units of the currency. */
const columns: readonly (readonly [name: string, cell: (line: QuoteLineView) => QuoteCell])[] = [
  ['line', ({ lineId }) => lineId],
  ['site', ({ site }) => site],
  ['postcode', ({ postcode }) => postcode],
  ['uprn', ({ uprn }) => uprn],
  ['wanted_bandwidth', ({ wanted }) => wanted?.bandwidth],
  ['wanted_term', ({ wanted }) => wanted?.term],
  ['wanted_service', ({ wanted }) => wanted?.service],
  ['state', ({ state }) => state],
  ['product', ({ product }) => product?.productCode],
  ['name', ({ product }) => product?.name],
  ['bandwidth', ({ product }) => product?.bandwidthProvisioned],
  ['term', ({ product }) => product?.term],
  ['price', ({ product }) => product?.price],
  ['discount_percent', ({ discountPercent }) => discountPercent],
  ['setup_price', ({ product }) => product?.setupPrice],
  ['total_contract_value', ({ totalContractValue }) => totalContractValue],
  ['currency', ({ product }) => product?.currency],
  ['basis', ({ product }) => product?.basis],
  ['lead_time_days', ({ product }) => product?.leadTimeDays],
  ['held', ({ product, held }) => product && (held ? 'yes' : 'no')],
  ['distance_metres', ({ nearest }) => nearest?.distanceMetres],
  ['constraints', ({ constraints }) => constraints.map(({ code }) => code).join(' ')],
  ['reasons', ({ reasons }) => reasons.map(({ detail }) => detail).join(' ')],
  ['problem', ({ problem }) => problem?.detail],
  ['same_as', ({ sameAs }) => sameAs],
  [
    'alternatives',
    ({ alternatives }) => alternatives.map(({ productCode }) => productCode).join(' '),
  ],
  ['enquiry', ({ enquiryId }) => enquiryId],
  ['order', ({ orderId }) => orderId],
  ['notes', ({ notes }) => notes],
];

/** The names of the columns of a quote as CSV. */
export const quoteColumns: readonly string[] = columns.map(([name]) => name);

/** Lines that are printed in one turn of the event loop. */
const SLICE = 100;

/** A header, and one row for each line. */
export function* quoteCsv({ lines }: Pick<QuoteView, 'lines'>): Generator<string> {
  yield csvLine(quoteColumns);
  for (const group of groupsOf(lines, SLICE)) {
    yield group.map((line) => csvLine(columns.map(([, cell]) => cell(line)))).join('');
  }
}
