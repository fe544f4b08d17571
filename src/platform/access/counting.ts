import { isZip } from '../tables/bytes-to-text.js';

/**
 * By default a GET counts as a check and a POST as an order. `postcodes`: each counts as a check.
 */
export type Counting = 'postcodes' | 'nothing';

/** Postcodes in one request. */
export const MOST_POSTCODES = 100;

/** Sites in one quote. */
export const MOST_SITES = 2_000;
/** The body of such a quote. */
export const MOST_OF_QUOTE = { size: 512 * 1_024, keys: 32_000 };
/** Sites of a quote that count as one check. */
const SITES_IN_A_CHECK = 10;

/** The number of checks that a quote counts as. */
export function checksForSites(sites: number): number {
  return Math.ceil(Math.min(sites, MOST_SITES) / SITES_IN_A_CHECK);
}

/** The number of checks in a body before validation. */
export function checksIn(body: unknown): number {
  // Messages of the Model Context Protocol.
  if (Array.isArray(body)) return Math.max(1, Math.min(body.length, MOST_POSTCODES));
  // The rows of a workbook are counted once they are read.
  if (Buffer.isBuffer(body)) return isZip(body) ? 1 : checksForSites(rowsIn(body));
  const { postcodes, places, sites } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const [single, quoted] = [[postcodes, places], [sites]].map((lists) =>
    Math.max(...lists.map((list) => (Array.isArray(list) ? list.length : 0))),
  );
  const checks = Math.min(single!, MOST_POSTCODES);
  return Math.max(1, checks, checksForSites(quoted!));
}

const LF = 10;
const CR = 13;
const QUOTE = 34;

/** At least one; the rows of a spreadsheet, or more. Line breaks in quoted cells are none. */
function rowsIn(bytes: Uint8Array): number {
  let rows = 1;
  let isQuoted = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === QUOTE) isQuoted = !isQuoted;
    else if ((byte === LF || (byte === CR && bytes[i + 1] !== LF)) && !isQuoted) rows += 1;
  }
  return rows;
}
