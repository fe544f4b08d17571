import type { EntityMetadata } from 'typeorm';
import type { EngineName } from './engine.js';

/** How to handle a row whose key exists already. */
export type Taken = 'fails' | 'is left out';

const onConflict = { fails: '', 'is left out': ' ON CONFLICT DO NOTHING' } as const;

/** Inserts a number of rows on SQLite. */
export function insertSql(
  table: string,
  columns: readonly string[],
  rows: number,
  taken: Taken,
): string {
  const row = `(${columns.map(() => '?').join(', ')})`;
  return `${insertInto(table, columns)} VALUES ${Array<string>(rows).fill(row).join(', ')}${onConflict[taken]}`;
}

/**
 * Inserts any number of rows on PostgreSQL, as one parameter with JSON: thousands of parameters would
 * take five times the CPU here, and twice on the server.
 * @param types of the columns, by name
 * @param parameter its number
 */
export function insertJsonSql(
  table: string,
  types: ReadonlyMap<string, string>,
  taken: Taken,
  parameter = 1,
): string {
  const values = [...types.values()].map((type, i) => jsonValue('postgres', i, type));
  return `${insertInto(table, [...types.keys()])} SELECT ${values.join(', ')} FROM ${jsonRows('postgres', `$${parameter}`)}${onConflict[taken]}`;
}

/** Which of the rows a compound statement inserts, and what it computes for them. */
export interface RowSelection {
  /** A condition on `r`, a row of JSON; see `jsonValue`. */
  readonly where: string;
  /** By column: an expression in place of the value of the row, which it receives. */
  readonly computed?: Readonly<Record<string, (value: string) => string>>;
}

/** As `insertJsonSql`, for a part of the rows. */
export function insertSelectedSql(
  table: string,
  types: ReadonlyMap<string, string>,
  taken: Taken,
  parameter: number,
  { where, computed = {} }: RowSelection,
): string {
  const values = [...types].map(([name, type], i) => {
    const value = jsonValue('postgres', i, type);
    return computed[name]?.(value) ?? value;
  });
  return `${insertInto(table, [...types.keys()])} SELECT ${values.join(', ')} FROM ${jsonRows('postgres', `$${parameter}`)} WHERE ${where}${onConflict[taken]}`;
}

/** PostgreSQL's types of the table's columns, by name. */
export function typesOf({ columns, dataSource }: EntityMetadata): Map<string, string> {
  return new Map(
    columns.map((column) => [column.databaseName, dataSource.driver.normalizeType(column)]),
  );
}

/**
 * Serialises rows for `jsonRows`. Replaces a lone surrogate (from a text cut inside a character) with
 * U+FFFD, because PostgreSQL refuses it in JSON.
 */
export function jsonOf(rows: readonly (readonly unknown[])[]): string {
  const text = JSON.stringify(rows);
  if (!text.includes('\\ud')) return text;
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

/** The rows of a parameter from `jsonOf`. */
export function jsonRows(engine: EngineName, parameter: string): string {
  return engine === 'postgres'
    ? `jsonb_array_elements(${parameter}::jsonb) WITH ORDINALITY AS r(value, key)`
    : `json_each(${parameter}) AS r`;
}

/** The value at index `i` of such a row. SQLite takes its type from the JSON. */
export function jsonValue(engine: EngineName, i: number, type: string): string {
  return engine === 'postgres' ? `(r.value ->> ${i})::${type}` : `(r.value ->> ${i})`;
}

function insertInto(table: string, columns: readonly string[]): string {
  return `INSERT INTO "${table}" (${columns.map((name) => `"${name}"`).join(', ')})`;
}
