import { nearest } from '../../platform/tables/nearest.js';
import { BadCell, calendarDay, zoneName, notBefore } from './cells.js';
import type { Network, OfferFields } from './offer-fields.js';

/** A row of zones.csv. A zone without a row has none of this. */
export interface ZoneRow {
  readonly zone: string;
  /** For staff. */
  readonly label: string;
  /** Null if not stated. */
  readonly network: Network | null;
  /** The first day of sale in London, as `2026-12-01`; null if it sells already. */
  readonly readyDate: string | null;
  /** For staff. */
  readonly note: string;
  /** The last day of sale in London; null if there is none. */
  readonly endDate: string | null;
}

export const networks = [
  'onNetWithoutBuild',
  'onNetWithBuild',
  'offNetWithoutBuild',
  'offNetWithBuild',
] as const satisfies readonly Network[];

const LONGEST_LABEL = 120;
const LONGEST_NOTE = 500;

/** The fields of a zone, in the order of zones.csv. */
export const zoneFields: OfferFields<ZoneRow> = {
  zone: { column: 'zone', isKey: true, parse: zoneName },
  label: { column: 'label', absent: '', parse: (text) => shortText(text, 'label', LONGEST_LABEL) },
  network: {
    column: 'network',
    absent: null,
    parse: network,
    name: 'network',
    isTerm: true,
    isNotCompared: true,
  },
  readyDate: {
    column: 'ready_date',
    absent: null,
    parse: (text) => calendarDay(text, 'A ready date'),
  },
  note: { column: 'note', absent: '', parse: (text) => shortText(text, 'note', LONGEST_NOTE) },
  endDate: {
    column: 'end_date',
    absent: null,
    parse: (text) => calendarDay(text, 'An end date'),
    check: (last, { readyDate }) => notBefore(last, readyDate, 'ready_date'),
  },
};

function shortText(text: string, what: string, most: number): string | BadCell {
  const length = [...text].length;
  if (length > most) {
    return new BadCell(
      `The ${what} has ${length} characters, of at most ${most}.`,
      `Shorten it by ${length - most}.`,
    );
  }
  if (!/[\p{Cc}\ufffd]/u.test(text)) return text;
  return new BadCell(
    `The ${what} has a control character, or one that is not UTF-8.`,
    'Remove it, and save the file as UTF-8.',
  );
}

function network(text: string): Network | BadCell {
  const known = networks.find((name) => name === text);
  if (known) return known;
  const near = nearest(text, networks);
  return new BadCell(
    `A network is one of ${networks.join(', ')}, or empty.`,
    near === undefined ? 'Leave it empty if it is not known.' : `Write ${near}.`,
  );
}
