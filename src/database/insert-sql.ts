/** What becomes of a row whose key is there already. */
export type Taken = 'fails' | 'is left out';

/**
 * Adds so many rows.
 * @param placeholder of the n-th value, from 0 on
 */
export function insertSql(
  table: string,
  columns: readonly string[],
  rows: number,
  taken: Taken,
  placeholder: (n: number) => string = () => '?',
): string {
  const list = Array.from({ length: rows }, (_row, row) => {
    const marks = columns.map((_name, i) => placeholder(row * columns.length + i));
    return `(${marks.join(', ')})`;
  });
  const conflict = taken === 'fails' ? '' : ' ON CONFLICT DO NOTHING';
  return `${insertInto(table, columns)} VALUES ${list.join(', ')}${conflict}`;
}

/**
 * Adds any number of rows on PostgreSQL; one whose key is taken is left out. They are its one
 * parameter, an array of arrays as JSON. Thousands of parameters cost this process five times as much, and PostgreSQL twice.
 * @param types of the columns, by their names
 */
export function insertJsonSql(table: string, types: ReadonlyMap<string, string>): string {
  const values = [...types.values()].map((type, i) => `("row" ->> ${i})::${type}`);
  return `${insertInto(table, [...types.keys()])} SELECT ${values.join(', ')} FROM jsonb_array_elements($1::jsonb) AS "row" ON CONFLICT DO NOTHING`;
}

function insertInto(table: string, columns: readonly string[]): string {
  return `INSERT INTO "${table}" (${columns.map((name) => `"${name}"`).join(', ')})`;
}
