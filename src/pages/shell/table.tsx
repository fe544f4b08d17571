import type { ComponentChildren } from 'preact';

export interface TableColumn<Row> {
  readonly name: ComponentChildren;
  readonly of: (row: Row) => ComponentChildren;
  /** The class of its cells; `number` holds for the heading, too. */
  readonly class?: 'number' | 'words' | 'details';
  /** Its cells name their rows. */
  readonly heads?: true;
}

interface TableProps<Row> {
  readonly caption: ComponentChildren;
  /** Shows the caption, which otherwise is only read out. */
  readonly captioned?: boolean;
  readonly columns: readonly (TableColumn<Row> | false)[];
  readonly rows: readonly Row[];
  /** Given where a table may hold nothing to focus: the keyboard then scrolls it where it is too wide. */
  readonly label?: string;
  readonly class?: string;
}

/** Rows of one kind, drawn column by column. */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, captioned, rows, label } = props;
  const columns = props.columns.filter((column) => column !== false);
  const region = { role: 'region', 'aria-label': label, tabIndex: 0 } as const;
  return (
    <div class="scroll" {...(label !== undefined && region)}>
      <table class={props.class}>
        <caption class={captioned ? undefined : 'unseen'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={column.class === 'number' ? 'number' : undefined}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
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
    </div>
  );
}

type Fact = readonly [name: string, value: ComponentChildren];

/** What is known of one thing; what is left out is false. */
export function Facts({ of }: { of: readonly (Fact | false)[] }) {
  return (
    <dl class="facts">
      {of.map(
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

/** A part of a page below its heading. */
export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
