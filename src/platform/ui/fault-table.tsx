import { Table } from './table.js';
import { whole } from '../kernel/counts.js';

interface ShownFault {
  readonly file: string;
  readonly line: number;
  readonly column: string;
  readonly value: string;
  readonly reason: string;
  readonly suggestion: string;
}

interface FaultTableProps {
  readonly faults: { readonly shown: readonly ShownFault[]; readonly total: number };
  /** What to do when they are fixed. */
  readonly again: string;
  readonly withFile?: true;
}

/** The faults of uploaded files, with line and column. */
export function FaultTable({ faults: { shown, total }, again, withFile }: FaultTableProps) {
  if (shown.length === 0) return null;
  return (
    <Table
      label="Faults"
      caption={total > shown.length ? `The first ${whole(shown.length)} of ${whole(total)}` : again}
      captioned
      rows={shown}
      class="faults"
      columns={[
        {
          name: 'Where',
          of: ({ file, line, column }) =>
            `${withFile ? `${file}, ` : ''}line ${line}${column && `, ${column}`}`,
        },
        { name: 'Value', of: ({ value }) => <code>{value}</code> },
        { name: 'What is wrong', of: ({ reason, suggestion }) => `${reason} ${suggestion}` },
      ]}
    />
  );
}
