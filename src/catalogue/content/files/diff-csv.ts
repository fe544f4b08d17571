import { withoutFormula } from '../../../platform/kernel/text.js';
import { changeLists } from '../change-lists.js';
import { csvChunks } from '../csv.js';
import type { CatalogueDiff } from '../diff.js';

const DIFF_COLUMNS = [
  'what',
  'change',
  'subject',
  'zone',
  'price_list',
  'before',
  'after',
  'dates',
];

/** Every change as CSV, in chunks, for spreadsheets. */
export function printDiffCsv(diff: CatalogueDiff): Generator<string> {
  return csvChunks(diffRecords(diff));
}

/** Rows that exist as objects at the same time. */
const STEP = 1_000;

function* diffRecords(diff: CatalogueDiff): Generator<readonly (string | number)[]> {
  yield DIFF_COLUMNS;
  for (const { count, slice } of changeLists(diff)) {
    for (let from = 0; from < count; from += STEP) {
      for (const row of slice(from, from + STEP)) {
        const { what, change, subject, zone, priceList, before, after, dates } = row;
        yield [what, change, subject, zone, priceList, before, after, dates].map((cell) =>
          typeof cell === 'string' ? withoutFormula(cell) : cell,
        );
      }
    }
  }
}
