/** Adds so many rows, on SQLite; one whose key is taken is left out. */
export function insertSql(table: string, columns: readonly string[], rows: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`;
  return `${insertInto(table, columns)} VALUES ${Array<string>(rows).fill(row).join(', ')} ON CONFLICT DO NOTHING`;
}

/**
 * The same on PostgreSQL, of any number of rows: they are its one parameter, an array of arrays as
 * JSON. Thousands of parameters cost this process five times as much, and PostgreSQL twice.
 * @param types of the columns, by their names
 */
export function insertJsonSql(table: string, types: ReadonlyMap<string, string>): string {
  const values = [...types.values()].map((type, i) => `("row" ->> ${i})::${type}`);
  return `${insertInto(table, [...types.keys()])} SELECT ${values.join(', ')} FROM jsonb_array_elements($1::jsonb) AS "row" ON CONFLICT DO NOTHING`;
}

function insertInto(table: string, columns: readonly string[]): string {
  return `INSERT INTO "${table}" (${columns.map((name) => `"${name}"`).join(', ')})`;
}
