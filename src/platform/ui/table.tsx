import type { ComponentChildren } from 'preact';

export interface TableColumn<Row> {
  readonly name: ComponentChildren;
  readonly of: (row: Row) => ComponentChildren;
  /** The class of its cells, such as `words` or `details`; `number` applies to the heading too. */
  readonly class?: string;
  readonly headClass?: string;
  readonly sorted?: 'ascending' | 'descending';
  readonly heads?: true;
}

interface TableProps<Row> {
  readonly caption: ComponentChildren;
  /** Shows the caption, which otherwise is only read out. */
  readonly captioned?: boolean;
  readonly columns: readonly (TableColumn<Row> | false)[];
  readonly rows: readonly Row[];
  /** For a table without a link or button: the keyboard scrolls it where it is too wide. */
  readonly label?: string;
  /** Leaves out the element that scrolls a wide table. */
  readonly bare?: true;
  readonly class?: string;
  readonly rowAttributes?: (row: Row) => { readonly id?: string; readonly class?: string };
}

export function Table<Row>(props: TableProps<Row>) {
  const { caption, captioned, rows, label, bare, rowAttributes } = props;
  const columns = props.columns.filter((column) => column !== false);
  const region = { role: 'region', 'aria-label': label, tabIndex: 0 } as const;
  const table = (
    <table class={props.class}>
      <caption class={captioned ? undefined : 'unseen'}>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              scope="col"
              class={column.headClass ?? headingClass(column.class)}
              aria-sort={column.sorted}
            >
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr {...rowAttributes?.(row)}>
            {columns.map((column) =>
              column.heads ? (
                <th scope="row" class={column.class}>
                  {column.of(row)}
                </th>
              ) : (
                <td class={column.class}>{column.of(row)}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
  if (bare) return table;
  return (
    <div class="scroll" {...(label !== undefined && region)}>
      {table}
    </div>
  );
}

function headingClass(cells: string | undefined): string | undefined {
  return cells?.split(' ').includes('number') ? 'number' : undefined;
}

type Fact = readonly [name: string, value: ComponentChildren];

/** A summary list. A fact that is false is left out. */
export function Facts(props: { of: readonly (Fact | false)[]; class?: 'terms' }) {
  return (
    <dl class={props.class ? `facts ${props.class}` : 'facts'}>
      {props.of.map(
        (fact) =>
          fact && (
            <>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </>
          ),
      )}
    </dl>
  );
}

interface SectionProps {
  readonly title: string;
  /** Names the section by its heading, as a landmark. */
  readonly id?: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Section({ title, id, children, ...props }: SectionProps) {
  return (
    <section aria-labelledby={id} {...props}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
