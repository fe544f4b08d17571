/** Prints rows as a table, or as JSON lines. */
export function printRows(rows: readonly object[], json = false): void {
  if (json) {
    for (const row of rows) console.log(JSON.stringify(row));
    return;
  }
  const [first] = rows;
  if (!first) return;
  const names = Object.keys(first) as (keyof typeof first)[];
  const lines = [names as string[], ...rows.map((row) => names.map((name) => textOf(row[name])))];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    );
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** As in `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-GB');
}
