import type { EntityMetadata } from 'typeorm';
import type { EngineName } from './engine.js';

/** What becomes of a row whose key is there already. */
export type Taken = 'fails' | 'is left out';

const onConflict = { fails: '', 'is left out': ' ON CONFLICT DO NOTHING' } as const;

/** Adds so many rows on SQLite. */
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
 * Adds any number of rows on PostgreSQL. They are one parameter, an array of arrays as JSON: thousands
 * of parameters cost this process five times as much, and PostgreSQL twice.
 * @param types of the columns, by their names
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

/** The types of the table's columns on PostgreSQL, by their names. */
export function typesOf({ columns, dataSource }: EntityMetadata): Map<string, string> {
  return new Map(
    columns.map((column) => [column.databaseName, dataSource.driver.normalizeType(column)]),
  );
}

/**
 * Such a parameter. Half a character, which a cut may leave of a text, is U+FFFD in it, as it is in any
 * other parameter: PostgreSQL would refuse it in JSON, and with it all rows.
 */
export function jsonOf(rows: readonly (readonly unknown[])[]): string {
  const text = JSON.stringify(rows);
  if (!text.includes('\\ud')) return text;
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

/** The rows of a parameter that is an array of arrays as JSON. */
export function jsonRows(engine: EngineName, parameter: string): string {
  return engine === 'postgres'
    ? `jsonb_array_elements(${parameter}::jsonb) WITH ORDINALITY AS r(value, key)`
    : `json_each(${parameter}) AS r`;
}

/** The `i`-th value of such a row; SQLite knows its type from the JSON. */
export function jsonValue(engine: EngineName, i: number, type: string): string {
  return engine === 'postgres' ? `(r.value ->> ${i})::${type}` : `(r.value ->> ${i})`;
}

function insertInto(table: string, columns: readonly string[]): string {
  return `INSERT INTO "${table}" (${columns.map((name) => `"${name}"`).join(', ')})`;
}
