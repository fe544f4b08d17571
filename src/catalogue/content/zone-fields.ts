import type { PlaceKey } from '../../platform/kernel/uprn.js';
import { nearest } from '../../platform/tables/nearest.js';
import { whole } from '../../platform/kernel/counts.js';
import { upperFirst } from '../../platform/kernel/text.js';
import { areaOf, countNumbers, countVertices, unpackOutline } from '../polygons/outline.js';
import { BadCell, calendarDay, oneLine, zoneName, notBefore } from './cells.js';
import { FIRST_ZONE_NUMBER, mainZone } from './coverage-codec.js';
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
  /** Codes separated by `|`; empty for none. */
  readonly constraints: string;
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
  label: { column: 'label', absent: '', parse: (text) => oneLine(text, LONGEST_LABEL, 'label') },
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
  note: { column: 'note', absent: '', parse: (text) => oneLine(text, LONGEST_NOTE, 'note') },
  endDate: {
    column: 'end_date',
    absent: null,
    parse: (text) => calendarDay(text, 'An end date'),
    check: (last, { readyDate }) => notBefore(last, readyDate, 'ready_date'),
  },
  constraints: { column: 'constraints', absent: '', parse: constraintCell },
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
        : oneLine(text, LONGEST_POLYGON_LABEL, 'label'),
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

function network(text: string): Network | BadCell {
  const known = networks.find((name) => name === text);
  if (known) return known;
  const near = nearest(text, networks);
  return new BadCell(
    `A network is one of ${networks.join(', ')}, or empty.`,
    near === undefined ? 'Leave it empty if it is not known.' : `Write ${near}.`,
  );
}

/** What a client reads of each code, unless the operator has its own words. New codes are added at the end: bits of them are stored. */
const constraintSentences = {
  surveyRequired: 'A survey of the site is needed before the service can be built.',
  wayleaveOwner: 'The owner of the building must consent to the installation (a wayleave).',
  wayleaveShared: 'Several owners or tenants must consent to the installation (a wayleave).',
  wayleavePrivate: 'The route crosses private land, whose owner must consent to it (a wayleave).',
  wayleaveRefused: 'The owner has refused consent to an installation (a wayleave).',
  uneconomicLength: 'The connection is unusually long, so that construction charges are likely.',
  businessPark: 'The site is in a business park, whose management must agree to the works.',
  feasibilityCheck: 'A person checks whether the site can be connected before the order goes on.',
} as const;

export type ConstraintCode = keyof typeof constraintSentences;
export const constraintCodes = Object.keys(constraintSentences) as ConstraintCode[];

/** `Survey required`: for lists to choose from. */
export const constraintNames = Object.fromEntries(
  constraintCodes.map((code) => {
    const words = code.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return [code, upperFirst(words)];
  }),
) as Readonly<Record<ConstraintCode, string>>;

/** The constraint in our words, for people who do not know the operator. */
export function withoutOperator({ code, text }: PlaceConstraint): PlaceConstraint {
  const ours = constraintCodes.find((one) => one === code);
  return { code, text: ours ? constraintSentences[ours] : text };
}

/** Something that makes a place less than plain, with a sentence for the client. */
export interface PlaceConstraint {
  readonly code: string;
  readonly text: string;
}

/** A row of constraint_texts.csv: the operator's own words for a code. */
export interface ConstraintTextRow {
  readonly code: ConstraintCode;
  readonly text: string;
}

const LONGEST_TEXT = 200;

/** The fields of a text, in the order of constraint_texts.csv. */
export const constraintTextFields: OfferFields<ConstraintTextRow> = {
  code: { column: 'code', isKey: true, parse: constraintCode },
  text: { column: 'text', parse: constraintText },
};

function constraintText(text: string): string | BadCell {
  if (text !== '') return oneLine(text, LONGEST_TEXT, 'text');
  return new BadCell('The text is empty.', 'Write a sentence, or remove the row to use ours.');
}

function constraintCode(text: string): ConstraintCode | BadCell {
  const known = constraintCodes.find((code) => code === text);
  if (known) return known;
  const meant = nearest(text, constraintCodes);
  return new BadCell(
    `A constraint is one of ${constraintCodes.join(', ')}.`,
    meant === undefined ? 'Choose one of these.' : `Did you mean ${meant}?`,
  );
}

/** In premises.csv: none, even where the zone has some. */
export const NO_CONSTRAINTS = '-';

/** Codes separated by `|`, in the order above. Empty if none are stated. */
export function constraintCell(text: string): string | BadCell {
  const read = text.split('|').map((code) => constraintCode(code.trim()));
  const codes = read.filter((code) => typeof code === 'string');
  return (
    read.find((code) => code instanceof BadCell) ??
    constraintCodes.filter((code) => codes.includes(code)).join('|')
  );
}

/** As a number: a bit for each code, and one that they are stated. 0 if they are not. */
const STATED = 0x8000;

export function constraintBits(cell: string): number {
  if (cell === '') return 0;
  const codes = cell.split('|');
  return constraintCodes.reduce(
    (bits, code, i) => bits | (codes.includes(code) ? 1 << i : 0),
    STATED,
  );
}

export function constraintCodesOf(bits: number): ConstraintCode[] {
  return constraintCodes.filter((_, i) => bits & (1 << i));
}

export const EVERY_CONSTRAINT = 2 ** constraintCodes.length - 1;

/** The inverse of `constraintBits`. */
export function cellOfConstraints(bits: number): string {
  return bits === 0 ? '' : constraintCodesOf(bits).join('|') || NO_CONSTRAINTS;
}

/** Of one place, with the JSON array of the contract. */
export interface PlaceConstraints {
  readonly list: readonly PlaceConstraint[];
  readonly json: string;
}

export const PLAIN: PlaceConstraints = { list: [], json: '[]' };

/** What a catalogue says of its places. */
interface ConstrainedPlaces {
  readonly zones: readonly ZoneRow[];
  readonly constraintTexts: readonly ConstraintTextRow[];
  readonly coverage: { readonly zones: readonly string[] };
  readonly premises: {
    readonly areConstrained: boolean;
    constraintsOf(packed: number, uprn: number): number;
  };
}

/** The constraints of the places of a catalogue, with its sentences. */
export class CatalogueConstraints {
  private readonly texts: Readonly<Record<ConstraintCode, string>>;
  /** By their bits. */
  private readonly known = new Map<number, PlaceConstraints>([[0, PLAIN]]);
  /** By zone number: see `constraintBits`. */
  private readonly ofZones: Uint16Array;
  /** No place has any: then a check looks for none. */
  readonly isEmpty: boolean;
  private readonly premises: ConstrainedPlaces['premises'];

  constructor({ zones, constraintTexts, coverage, premises }: ConstrainedPlaces) {
    const own = Object.fromEntries(constraintTexts.map(({ code, text }) => [code, text]));
    this.texts = { ...constraintSentences, ...own };
    this.premises = premises;
    const cells = new Map(zones.map((row) => [row.zone, row.constraints]));
    const bits = coverage.zones.map((zone) => constraintBits(cells.get(mainZone(zone)) ?? ''));
    this.isEmpty = bits.every((one) => one === 0) && !premises.areConstrained;
    this.ofZones = new Uint16Array(FIRST_ZONE_NUMBER + bits.length);
    this.ofZones.set(bits, FIRST_ZONE_NUMBER);
  }

  /** Every code with its words. */
  get all(): readonly PlaceConstraint[] {
    return this.of(EVERY_CONSTRAINT).list;
  }

  /** Of listed premises, their own if they state any; otherwise those of the zone. */
  at({ packed, uprn }: PlaceKey, zoneNumber: number): PlaceConstraints {
    const own = uprn ? this.premises.constraintsOf(packed, uprn) : 0;
    return this.of(own || this.ofZones[zoneNumber]!);
  }

  private of(bits: number): PlaceConstraints {
    let found = this.known.get(bits);
    if (!found) {
      const list = constraintCodesOf(bits).map((code) => ({ code, text: this.texts[code] }));
      this.known.set(bits, (found = { list, json: JSON.stringify(list) }));
    }
    return found;
  }
}

/** The codes of a wayleave or a survey may lead to charges. */
export function mayAddCharges(code: string): boolean {
  return code === 'surveyRequired' || code.startsWith('wayleave');
}

/** `surveyRequired: A survey of the site is needed …` for each, for staff, who filter by the codes. */
export function constraintsInWords(constraints: readonly PlaceConstraint[]): string {
  return constraints.map(({ code, text }) => `${code}: ${text}`).join(' ');
}
