import { nearest } from '../../platform/tables/nearest.js';
import { whole } from '../../platform/kernel/counts.js';
import { areaOf, countNumbers, countVertices, unpackOutline } from '../polygons/outline.js';
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

/** A row of coverage.geojson, with the places that it decides. */
export interface PolygonRow {
  /** For staff. */
  readonly label: string;
  /** May be `-`. */
  readonly zone: string;
  /** Of several polygons around a place, that with the highest priority decides. */
  readonly priority: number;
  /** See `packOutline`. */
  readonly outline: string;
  /** The packed postcodes that had their positions in it at the import, see `packNumbers`. */
  readonly units: string;
  /** The UPRNs of listed premises that it decides by their own positions. */
  readonly premises: string;
  /** The packed postcodes within `BORDER_METRES` of its outline, in it or not. */
  readonly border: string;
}

const LONGEST_LABEL = 120;
const LONGEST_POLYGON_LABEL = 80;
const HIGHEST_PRIORITY = 1_000_000;
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

/** What a polygon has of this, and its cell: the numbers are in no column of the file. */
const counted = { parse: String, print: countNumbers };

/** The first three are attributes in coverage.geojson. */
export const polygonFields: OfferFields<PolygonRow> = {
  label: {
    column: 'label',
    isKey: true,
    parse: (text) =>
      text === ''
        ? new BadCell('The label is empty.', 'Give each polygon a name, such as "City of London".')
        : shortText(text, 'label', LONGEST_POLYGON_LABEL),
  },
  zone: { column: 'zone', parse: (text) => (text === '-' ? text : zoneName(text)) },
  priority: {
    column: 'priority',
    absent: 0,
    parse: (text) =>
      /^-?\d+(\.0+)?$/.test(text) && Math.abs(Number(text)) <= HIGHEST_PRIORITY
        ? Number(text)
        : new BadCell('A priority is a whole number.', 'Write e.g. 10, or leave it empty for 0.'),
  },
  outline: {
    column: 'outline',
    parse: String,
    print: (outline) => {
      const size = areaOf(unpackOutline(outline)).toFixed(2);
      return `${size} km², ${whole(countVertices(outline))} vertices`;
    },
  },
  units: { column: 'postcodes', ...counted },
  premises: { column: 'premises', absent: '', ...counted },
  border: { column: 'at the border', absent: '', ...counted },
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
