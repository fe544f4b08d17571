import { deflateJson, inflateJson, ofForm, withForm } from '../platform/kernel/stored-form.js';
import { type ListColumn, type SiteColumn, siteColumns } from './site-columns.js';
import { listText, readSiteList, type SiteList } from './site-list.js';

/** What a person says of a list, beyond its cells. */
export interface ListAnswers {
  /** By column of a site, the letter of the column of the list; null for none of them. */
  readonly columns: Readonly<Partial<Record<SiteColumn, string | null>>>;
  /** The columns were looked at: others are left out. */
  readonly isSettled: boolean;
  /** Of bandwidths without a unit; null while that is open. */
  readonly unit: 'g' | 'm' | null;
  /** For sites that do not say it. The service is null while that is open, and empty for any. */
  readonly service: string | null;
  readonly bandwidth: number | null;
  readonly term: number | null;
}

export interface DraftBody extends ListAnswers {
  /** The list, with the corrections: see `listText`. */
  readonly text: string;
}

export const unanswered: ListAnswers = {
  columns: {},
  isSettled: false,
  unit: null,
  service: null,
  bandwidth: null,
  term: null,
};

/** Of the stored body. */
const FORM = 1;

export async function packDraft(body: DraftBody): Promise<Buffer> {
  return withForm(FORM, await deflateJson(body));
}

/** @throws {UnknownForm} */
export async function bodyOf({ body }: { readonly body: Uint8Array }): Promise<DraftBody> {
  return inflateJson<DraftBody>(ofForm(FORM, body, 'The draft of a quote'));
}

/** Reads the list of a draft as its answers say. */
export function listOf({ text, columns, isSettled, unit, service }: DraftBody): Promise<SiteList> {
  return readSiteList(Buffer.from(text), {
    columns,
    ignoreOtherColumns: isSettled,
    unit: unit ?? undefined,
    service: service ?? undefined,
  });
}

/** The columns as a client's lists are known to name them. @param known see `QuoteColumns`; of other names nothing is said */
export function columnsAsKnown(
  columns: readonly ListColumn[],
  known: Readonly<Record<string, string>>,
): ListAnswers['columns'] {
  const chosen: { -readonly [C in SiteColumn]?: string | null } = {};
  for (const { name, letter, meaning } of columns) {
    const of = Object.hasOwn(known, name) ? known[name] : undefined;
    if (of === '' && meaning !== null) chosen[meaning] ??= null;
    const column = siteColumns.find((one) => one === of);
    if (column) chosen[column] = letter;
  }
  return chosen;
}

/** What `columnsAsKnown` reads again. */
export function namesOf(columns: readonly ListColumn[]): Record<string, string> {
  const named = columns.filter(({ name }) => name !== '');
  return Object.fromEntries(named.map(({ name, meaning }) => [name, meaning ?? '']));
}

/** By column: what a person typed instead of a cell. */
export type TypedCells = Readonly<Partial<Record<SiteColumn, string>>>;

/** A cell of a row, as written; empty where the list has no such column. */
export function cellOf({ columns, rows }: SiteList, row: number, column: SiteColumn): string {
  const at = columns.findIndex(({ meaning }) => meaning === column);
  return rows[row]?.cells[at] ?? '';
}

/** The list with other cells, by the number of the row from 0. A column that it does not have is added. */
export function withCells(list: SiteList, typed: ReadonlyMap<number, TypedCells>): string {
  const changed = [...typed].flatMap(([row, cells]) =>
    siteColumns.filter(
      (column) =>
        (cells[column] ?? '') !== cellOf(list, row, column) && cells[column] !== undefined,
    ),
  );
  const added = siteColumns.filter(
    (column) => changed.includes(column) && !list.columns.some((one) => one.meaning === column),
  );
  const columns = [
    ...list.columns,
    ...added.map((meaning) => ({ name: meaning, letter: '', meaning, unit: undefined })),
  ];
  const rows = list.rows.map((row, i) => {
    const of = typed.get(i) ?? {};
    const cells = columns.map(({ meaning }, at) => {
      const cell = meaning === null ? undefined : of[meaning];
      return cell ?? row.cells[at] ?? '';
    });
    return { ...row, cells };
  });
  return listText({ columns, rows });
}
