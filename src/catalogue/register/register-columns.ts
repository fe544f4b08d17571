import type { FaultReason } from '../../platform/tables/csv-table.js';
import { keyOfName } from '../../platform/tables/table-reader.js';
import { dayOf } from '../../platform/tables/values.js';

/** Names of the postcode column in all years of ONSPD and in Code-Point Open, best first. */
const POSTCODE_COLUMNS = ['pcds', 'pcd2', 'pcd8', 'pcd', 'pcd7', 'postcode', 'pc'];
/** When a postcode was terminated: ONS, and lists that others make of it. */
const END_COLUMNS = ['doterm', 'terminated', 'date of termination', 'termination date'];
/** Whether it is in use: yes or no. */
const USE_COLUMNS = ['in use?', 'in use'];
/** In ONSPD of all years, in both headers of Code-Point Open, and in a plain file. */
const EASTING_COLUMNS = ['east1m', 'oseast1m', 'eastings', 'ea', 'easting'];
const NORTHING_COLUMNS = ['north1m', 'osnrth1m', 'northings', 'no', 'northing'];
/** Names that may say that a postcode was terminated. */
const SIGN_OF_TERMINATION =
  /terminat|doterm|\bin ?use|end date|\b(?:live|active|current|status|deleted|withdrawn|retired|expired|obsolete|discontinued)\b/;

/** Where the cells of a register are in each line; -1 if there is no such column. */
export interface RegisterColumns {
  readonly postcode: number;
  readonly end: number;
  readonly use: number;
  /** Both or neither. */
  readonly easting: number;
  readonly northing: number;
  /** Whether positions are named as in a plain file. */
  readonly isPlain: boolean;
}

/** A header that cannot be read. */
export interface HeaderFault extends FaultReason {
  /** Of the header. */
  readonly value: string;
}

export const NO_POSTCODES: FaultReason = {
  reason: 'The header has no postcode column.',
  suggestion:
    'Use the CSV of ONSPD (pcds, doterm), a file postcode,easting,northing, or the folder or zip of Code-Point Open, whose header is in a separate file.',
};

export function findRegisterColumns(header: readonly string[]): RegisterColumns | HeaderFault {
  const names = header.map((name) =>
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_]+/g, ' '),
  );
  const keys = header.map(keyOfName);
  const find = (known: readonly string[]) =>
    known.map((name) => keys.indexOf(keyOfName(name))).find((at) => at >= 0) ?? -1;
  const postcode = find(POSTCODE_COLUMNS);
  if (postcode < 0) return { value: header.join(','), ...NO_POSTCODES };
  const [end, use] = [find(END_COLUMNS), find(USE_COLUMNS)];
  const [easting, northing] = [find(EASTING_COLUMNS), find(NORTHING_COLUMNS)];
  const isPlaced = easting >= 0 && northing >= 0;
  const read = [postcode, end, use, ...(isPlaced ? [easting, northing] : [])];
  const repeated = keys.findIndex((key, at) => read.some((one) => one < at && keys[one] === key));
  if (repeated >= 0) {
    const first = keys.indexOf(keys[repeated]!);
    return {
      value: header[repeated]!,
      reason: `Columns ${first + 1} and ${repeated + 1} have the same name: ${header[first]!.trim()} and ${header[repeated]!.trim()}.`,
      suggestion: 'Remove one of them.',
    };
  }
  const sign = names.findIndex((name, at) => !read.includes(at) && SIGN_OF_TERMINATION.test(name));
  if (sign >= 0) {
    return {
      value: header[sign]!,
      reason: `The column ${header[sign]!.trim()} may say which postcodes were terminated, and is not read.`,
      suggestion: `Name one column doterm, with the month as YYYYMM and empty for live postcodes, and remove the others${end < 0 ? '' : `: ${header[end]!.trim()} is read already`}.`,
    };
  }
  return {
    postcode,
    end,
    use,
    easting: isPlaced ? easting : -1,
    northing: isPlaced ? northing : -1,
    isPlain: keys.includes('easting'),
  };
}

/** For `TableRule`. */
export const registerNames: ReadonlySet<string> = new Set(
  [POSTCODE_COLUMNS, END_COLUMNS, USE_COLUMNS, EASTING_COLUMNS, NORTHING_COLUMNS].flatMap((names) =>
    names.map(keyOfName),
  ),
);

const MOST_MONTHS = 0xffff;
/** The month of a terminated postcode whose file does not say when. */
export const UNKNOWN_MONTH = 0;

/**
 * When a postcode was terminated: null if it is live, otherwise the months since January 1900, or `UNKNOWN_MONTH`.
 * @param end the cell of a date: `201906`, `2019-06`, or a day as `dayOf` reads it
 * @param use the cell of "In use?"; null if there is no such column
 */
export function endOfPostcode(end: string, use: string | null): number | null | FaultReason {
  const isUsed = use === null ? end === '' : readUse(use);
  if (isUsed === null) {
    return {
      reason: '"In use" is neither Yes nor No.',
      suggestion: 'Write Yes or No. The line is skipped.',
    };
  }
  if (end === '') return isUsed ? null : UNKNOWN_MONTH;
  const month = monthOf(end);
  if (month === null) {
    return {
      reason: 'The month of termination is not YYYYMM.',
      suggestion: 'Write e.g. 201906. The line is skipped.',
    };
  }
  if (!isUsed) return month;
  return {
    reason: 'The postcode is in use, and has a date of termination.',
    suggestion: 'Correct one of the two. The line is skipped.',
  };
}

function readUse(text: string): boolean | null {
  if (/^(?:y|yes|true|1)$/i.test(text)) return true;
  return /^(?:n|no|false|0)$/i.test(text) ? false : null;
}

function monthOf(text: string): number | null {
  const [, year, month] = /^(\d{4})-?(\d\d)(?:-\d\d)?$/.exec(dayOf(text) ?? text) ?? [];
  const number = (Number(year) - 1900) * 12 + Number(month) - 1;
  const isMonth = Number(month) >= 1 && Number(month) <= 12;
  return isMonth && number > UNKNOWN_MONTH && number <= MOST_MONTHS ? number : null;
}
