/** The columns of a list of sites, and the names that people give them. Pure. */
import { upperFirst } from '../platform/kernel/text.js';
import { nearest } from '../platform/tables/nearest.js';
import type { FieldError } from '../platform/problems/problem.js';
import { columnLetter, keyOfName } from '../platform/tables/table-reader.js';
import { quoteColumns } from './quote-csv.js';

/** What a column of a list says about its sites. */
export const siteColumns = [
  'site',
  'postcode',
  'uprn',
  'bandwidth',
  'term',
  'service',
  'notes',
] as const;
export type SiteColumn = (typeof siteColumns)[number];

/** What is wrong with a row, with the columns in place of the fields of the API: `Bandwidth: …`. */
export function inColumns(detail: string): string {
  return detail.replaceAll(/(?<=^|\. )(?:wanted\.)?([a-z]+)(?=: )/g, (field, name: string) =>
    (siteColumns as readonly string[]).includes(name) ? upperFirst(name) : field,
  );
}

/** Names that are those of a column: two of them are refused. As `keyOfName` reads them, without units. */
const synonyms: Readonly<Record<SiteColumn, string>> = {
  site: 'site sitename nameofsite',
  postcode: 'postcode postcodes',
  uprn: 'uprn uprns uprnnumber uniquepropertyreferencenumber uniquepropertyreference',
  bandwidth:
    'bandwidth speed bandwidthrequired requiredbandwidth speedrequired requiredspeed linespeed circuitspeed',
  term: 'term contractterm contractlength termlength minimumterm',
  service: 'service servicetype servicerequired requiredservice',
  notes: 'notes note comments comment remarks',
};

/** Names that are those of a column if no other one is, best first. */
const fallbacks: Readonly<Partial<Record<SiteColumn, string>>> = {
  site: 'premises premisesname storename shopname accountname name location locationname building buildingname branch branchname libraryname schoolname establishmentname businessname siteaddress address fulladdress address1 addressline1',
  postcode:
    'sitepostcode addresspostcode installationpostcode deliverypostcode postalcode pcode zip zipcode pcds',
  bandwidth: 'downloadspeed capacity',
  service: 'accesstype producttype',
  notes: 'accessnotes sitenotes additionalinformation furtherinformation',
};

const keysOf = (names: string | undefined) => names?.split(' ') ?? [];

/** All known names, for `TableRule`. */
export const knownNames: ReadonlySet<string> = new Set([
  ...siteColumns.flatMap((column) => [...keysOf(synonyms[column]), ...keysOf(fallbacks[column])]),
  ...quoteColumns.map(keyOfName),
]);

/** The columns of a quote's own CSV that are read again, by their keys; the others are its results. */
const ownColumns: Readonly<Record<string, SiteColumn>> = {
  site: 'site',
  postcode: 'postcode',
  uprn: 'uprn',
  wantedbandwidth: 'bandwidth',
  wantedterm: 'term',
  wantedservice: 'service',
  notes: 'notes',
};

export interface ListColumn {
  /** As written; empty if the column has no name. */
  readonly name: string;
  /** As a spreadsheet names it: `B`. */
  readonly letter: string;
  /** Null if the column is left out. */
  readonly meaning: SiteColumn | null;
  /** Of its numbers, if the name says it: `g`, `m` or `k` of bandwidths, `m` or `y` of terms. */
  readonly unit: string | undefined;
}

export interface ListHead {
  readonly columns: readonly ListColumn[];
  /** Names of columns that are left out. */
  readonly ignored: readonly string[];
  /** All that is wrong with the names. */
  readonly faults: readonly FieldError[];
  /** Whether it is the CSV of a quote. */
  readonly isOwn: boolean;
}

/** The columns that a person has chosen: each by its name in the list, or by its letter; null for none of them. */
export type ChosenColumns = Readonly<Partial<Record<SiteColumn, string | null>>>;

export interface HeadOptions {
  readonly columns?: ChosenColumns;
  readonly ignoreOtherColumns?: boolean;
}

const SPEED_UNIT =
  /^(.*?)[\s_([/-]+(?:in )?(?:([gmk])(?:b(?:it)?s?|[ie]g|[ie]gabits?)(?:\/s(?:ec(?:ond)?)?|ps)?|([gmk])(?=[)\]]))[)\]]?$/i;
const TERM_UNIT = /^(.*?)[\s_([/-]+(?:in )?(m|y)(?:onths?|ths?|ears?|rs?)[)\]]?$/i;

/** The key of a name, and the unit in it: `Bandwidth (Mbps)`, `Term in years`. */
function readName(name: string): { readonly key: string; readonly unit: string | undefined } {
  const plain = name.replace(/\s*\*+$/, '').trim();
  const [, base, speed, letter] = SPEED_UNIT.exec(plain) ?? [];
  if (base !== undefined) return { key: keyOfName(base), unit: (speed ?? letter)!.toLowerCase() };
  const [, ofTerm, unit] = TERM_UNIT.exec(plain) ?? [];
  if (ofTerm !== undefined) return { key: keyOfName(ofTerm), unit: unit!.toLowerCase() };
  return { key: keyOfName(plain), unit: undefined };
}

/** Finds out what the columns of a list are. */
export function readHead(
  names: readonly string[],
  { columns: chosen = {}, ignoreOtherColumns = false }: HeadOptions,
): ListHead {
  const read = names.map(readName);
  const isOwn = names.some((name) => keyOfName(name) === 'wantedbandwidth');
  const meanings = new Map<number, SiteColumn>();
  const faults: FieldError[] = [];
  for (const column of siteColumns) {
    const wanted = chosen[column];
    const found =
      wanted === undefined
        ? namesOf(column, read, isOwn)
        : wanted === null
          ? []
          : [columnNamed(wanted, names)].filter((at) => at >= 0);
    if (wanted != null && found.length === 0) {
      const detail = `columns: the list has no column named ${quoted(wanted)}.`;
      faults.push({ pointer: '/columns', code: 'not-allowed', detail });
    }
    if (found.length > 1) {
      const both = found.map((at) => `${quoted(names[at]!)} (column ${columnLetter(at)})`);
      faults.push(
        fault(
          'not-allowed',
          `${listed(both)} are ${found.length === 2 ? 'both' : 'all'} read as ${column}. Remove or rename all but one, or choose with columns=${column}:${columnLetter(found[0]!)}.`,
        ),
      );
    }
    for (const at of found.slice(0, 1)) meanings.set(at, column);
    if (found.length > 1) for (const at of found) meanings.set(at, column);
  }
  return withOthers({ names, read, meanings, faults, isOwn, ignoreOtherColumns });
}

const quoted = (name: string) => `"${name.slice(0, 80)}"`;
const listed = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names);

function fault(code: string, detail: string): FieldError {
  return { pointer: '/sites', code, detail };
}

/** The columns with a name of this meaning; of names that may also mean something else, the best. */
function namesOf(column: SiteColumn, read: readonly { key: string }[], isOwn: boolean): number[] {
  const at = (wanted: (key: string) => boolean) =>
    read.flatMap(({ key }, i) => (wanted(key) ? i : []));
  if (isOwn) return at((key) => ownColumns[key] === column);
  const known = keysOf(synonyms[column]);
  const plain = at((key) => known.includes(key));
  if (plain.length > 0) return plain;
  const best = keysOf(fallbacks[column]).find((key) => read.some((one) => one.key === key));
  return at((key) => key === best);
}

/** By its name, otherwise by its letter; -1 if there is none. */
function columnNamed(wanted: string, names: readonly string[]): number {
  const at = names.findIndex((name) => keyOfName(name) === keyOfName(wanted));
  return at >= 0
    ? at
    : names.findIndex((_name, i) => columnLetter(i) === wanted.trim().toUpperCase());
}

interface HeadParts {
  readonly names: readonly string[];
  readonly read: readonly { readonly key: string; readonly unit: string | undefined }[];
  readonly meanings: ReadonlyMap<number, SiteColumn>;
  readonly faults: readonly FieldError[];
  readonly isOwn: boolean;
  readonly ignoreOtherColumns: boolean;
}

function withOthers({
  names,
  read,
  meanings,
  faults,
  isOwn,
  ignoreOtherColumns,
}: HeadParts): ListHead {
  const found = new Set(meanings.values());
  const others = names.flatMap((name, i) => (name === '' || meanings.has(i) ? [] : { name, i }));
  const results = new Set(quoteColumns.map(keyOfName));
  const strange = others.filter(({ name }) => !(isOwn && results.has(keyOfName(name))));
  const free = siteColumns.filter((column) => !found.has(column));
  const unknown = ignoreOtherColumns
    ? []
    : strange.map(({ name, i }) => {
        const near = nearest(name, free);
        const meant = near === undefined ? '' : ` Did you mean ${quoted(near)}?`;
        return fault(
          'unknown-property',
          `${quoted(name)} (column ${columnLetter(i)}) is not a column of a list of sites.${meant}`,
        );
      });
  const cure = `The columns are ${siteColumns.join(', ')}; all but postcode are optional. Remove the others, leave them out with ignoreOtherColumns=true, or say what one is, such as columns=site:${unknown.length > 0 ? strange[0]!.name.slice(0, 80) : 'B'}.`;
  const none =
    'No column has a name of a postcode. Name it postcode, or say which one it is, such as columns=postcode:B.';
  return {
    columns: names.map((name, i) => {
      return {
        name,
        letter: columnLetter(i),
        meaning: meanings.get(i) ?? null,
        unit: unitOf(meanings.get(i), read[i]!.unit, isOwn),
      };
    }),
    ignored: others.map(({ name }) => name),
    faults: [
      ...faults,
      ...(found.has('postcode') ? [] : [fault('required', none)]),
      ...unknown,
      ...(unknown.length > 0 ? [fault('not-allowed', cure)] : []),
    ],
    isOwn,
  };
}

/** The bandwidths of a quote are in Gbit/s. */
function unitOf(meaning: SiteColumn | undefined, unit: string | undefined, isOwn: boolean) {
  return isOwn && meaning === 'bandwidth' ? 'g' : unit;
}

/** Reads `site:Library name,postcode:Address postcode`. @returns what is wrong with it, for a text that says something else */
export function readChosenColumns(text: string): ChosenColumns | string {
  const names = siteColumns.join('|');
  const parts = text.split(new RegExp(`,(?=\\s*(?:${names})\\s*:)`, 'i'));
  const chosen: Partial<Record<SiteColumn, string>> = {};
  for (const part of parts) {
    const [, key = '', name = ''] = /^\s*([^:]*?)\s*:\s*(.*?)\s*$/.exec(part) ?? [];
    const column = siteColumns.find((one) => one === key.toLowerCase());
    if (!column || name === '') {
      const near = nearest(key, siteColumns);
      return `Write each as column:its name in the list, such as site:Library name,postcode:Address postcode. The columns are ${siteColumns.join(', ')}.${near && !column ? ` Did you mean ${quoted(near)}?` : ''}`;
    }
    if (chosen[column] !== undefined)
      return `${upperFirst(column)} is chosen twice. Choose one column for it.`;
    chosen[column] = name;
  }
  return chosen;
}
