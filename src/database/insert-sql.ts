/**
 * An INSERT of so many rows; one whose key is taken is left out.
 * @param placeholder of the n-th value, from 1 on
 */
export function insertSql(
  table: string,
  columns: readonly string[],
  rows: number,
  placeholder: (n: number) => string,
): string {
  const names = columns.map((name) => `"${name}"`).join(', ');
  const groups = Array.from({ length: rows }, (_row, row) => {
    const marks = columns.map((_name, i) => placeholder(row * columns.length + i + 1));
    return `(${marks.join(', ')})`;
  });
  return `INSERT INTO "${table}" (${names}) VALUES ${groups.join(', ')} ON CONFLICT DO NOTHING`;
}
