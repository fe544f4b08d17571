import type { Report } from './options.js';

/** Prints a report as Markdown for docs/develop/performance.md. */
export function printReport({ title, rows, targets = [], notes = [] }: Report): void {
  console.log(`\n### ${title}\n`);
  printTable(rows);
  if (targets.length > 0) {
    console.log('');
    printTable(
      targets.map(({ target, measured, met }) => ({
        target,
        measured,
        met: met ? 'yes' : 'no',
      })),
    );
  }
  if (notes.length > 0) console.log('');
  for (const note of notes) console.log(`- ${note}`);
}

function printTable(rows: Report['rows']): void {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [names, ...rows.map((row) => names.map((name) => show(row[name])))];
  const widths = names.map((_, i) => Math.max(3, ...cells.map((line) => line[i]!.length)));
  const line = (parts: readonly string[]) =>
    `| ${parts.map((part, i) => (i === 0 ? part.padEnd(widths[i]!) : part.padStart(widths[i]!))).join(' | ')} |`;
  console.log(line(cells[0]!));
  console.log(
    `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`,
  );
  for (const parts of cells.slice(1)) console.log(line(parts));
}

function show(value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return value.toLocaleString('en-GB', { maximumFractionDigits: 2 });
}
