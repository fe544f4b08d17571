import type { StaffCaller } from '../../platform/access/caller.js';
import type { Cell, PrintedColumn } from '../drawing/columns.js';
import {
  dayName,
  daysOf,
  type FilterField,
  lastDays,
  type Period,
  periodQuery,
  reportForm,
} from '../drawing/period.js';
import {
  type CountedRows,
  printTable,
  propertyOf,
  type Report,
  type ReportTab,
  type ReportTable,
  type ReportView,
} from '../drawing/report-table.js';
import { pageTabs, reportTabs } from '../tables/tabs.js';
import { dateInput, type FormField, withValue } from '../../platform/ui/forms/form-spec.js';
import { Fields, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { Layout } from '../../platform/ui/layout.js';
import { Section, Table } from '../../platform/ui/table.js';
import type { ChosenScope } from './report-scope.service.js';
import { whole } from '../../platform/kernel/counts.js';

export interface ReportPageProps {
  readonly viewer: StaffCaller;
  readonly chosen: ChosenScope;
}

interface ReportTabProps extends ReportPageProps {
  readonly tab: ReportTab;
  /** The name of a table that its report shows. */
  readonly by: string;
  /** By the property of the table. */
  readonly rows: Readonly<Record<string, CountedRows>>;
  readonly view: ReportView;
}

/** The address of a tab: the first one is the page of all reports. */
export function addressOf({ name }: ReportTab): string {
  return name === reportTabs.overview.name ? '/staff/reports' : `/staff/reports/${name}`;
}

/** The table of a report that the page shows. */
export function shownTable({ by }: Report, chosen: string): ReportTable {
  const tables = Object.values(by);
  return tables.find(({ name }) => name === chosen) ?? tables[0]!;
}

export function ReportPage({ viewer, chosen, tab, by, rows, view }: ReportTabProps) {
  const query = `?${periodQuery(chosen.period)}`;
  const address = `${addressOf(tab)}${query}`;
  return (
    <Layout title={`Reports: ${tab.title}`} viewer={viewer} here="reports">
      <nav class="tabs" aria-label="Reports">
        {pageTabs.map((one) => (
          <a
            href={`${addressOf(one)}${query}`}
            aria-current={one.name === tab.name ? 'page' : undefined}
          >
            {one.title}
          </a>
        ))}
      </nav>
      <PeriodForm chosen={chosen} path={addressOf(tab)} kept={by === '' ? {} : { by }} />
      <Section title={periodWords(chosen.period)} id="period">
        <div class="cards">
          {tab.reports.map((report) => {
            const table = shownTable(report, by);
            const counted = rows[propertyOf(table.name)] ?? [];
            return (
              <ReportCard
                report={report}
                table={table}
                query={query}
                address={address}
                view={view}
                rows={counted}
              />
            );
          })}
        </div>
      </Section>
    </Layout>
  );
}

interface ReportCardProps {
  readonly report: Report;
  readonly table: ReportTable;
  readonly rows: CountedRows;
  readonly query: string;
  /** Of the page. */
  readonly address: string;
  readonly view: ReportView;
}

function ReportCard({ report, table, rows, query, address, view }: ReportCardProps) {
  const { name, title, definition, empty, wide } = table;
  const id = report.name;
  const choices = Object.entries(report.by);
  const drawing = table.draw?.(rows, view) ?? rows.length > 0;
  return (
    <article id={id} class={wide ? 'card wide-card' : 'card'} aria-labelledby={`${id}-heading`}>
      <h3 id={`${id}-heading`}>{report.title}</h3>
      <p class="hint">{report.question}</p>
      {choices.length > 1 && (
        <nav aria-label={`${report.title}, by`}>
          <ul class="bare tabs">
            {choices.map(([words, { name: by }]) => (
              <li>
                <a
                  href={`${address}&by=${by}#${id}`}
                  aria-current={by === name ? 'true' : undefined}
                >
                  {words}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {drawing || <p class="hint">{`${empty} Other days may have some.`}</p>}
      <p class="export">
        <a href={`/staff/reports/${name}.csv${query}`} aria-label={`Export as CSV: ${title}`}>
          Export as CSV
        </a>
      </p>
      <Numbers
        title={title}
        definition={definition}
        columns={printTable(table, rows, view)}
        open={!table.draw}
      />
    </article>
  );
}

export function Numbers(props: {
  title: string;
  columns: readonly PrintedColumn[];
  /** What the figures count. */
  definition?: string;
  open?: boolean;
}) {
  const { title, columns, definition, open } = props;
  const rows = [...(columns[0]?.cells ?? []).keys()];
  if (rows.length === 0) return null;
  return (
    <details class="numbers" open={open}>
      <summary>{definition === undefined ? 'Data table' : 'Data table and definition'}</summary>
      {definition !== undefined && <p class="hint">{definition}</p>}
      <Table
        label={`${title}, data`}
        caption={title}
        rows={rows}
        columns={columns.map(({ name, cells }, i) => ({
          name,
          of: (row: number) => <CellText cell={cells[row] ?? null} />,
          ...(i === 0 ? { heads: true as const } : { class: 'number' as const }),
        }))}
      />
    </details>
  );
}

function CellText({ cell }: { cell: Cell }) {
  if (cell === null) return <span class="muted">–</span>;
  if (typeof cell === 'number') return <>{whole(cell)}</>;
  if (typeof cell === 'string') return <>{cell}</>;
  return cell.href === undefined ? <>{cell.text}</> : <a href={cell.href}>{cell.text}</a>;
}

const usualPeriods: readonly [days: number, name: string][] = [
  [7, '7 days'],
  [28, '28 days'],
  [91, '13 weeks'],
  [365, '1 year'],
];

interface PeriodFormProps {
  readonly chosen: ChosenScope;
  readonly path: string;
  /** Those that the form has; by default all. */
  readonly filters?: readonly FilterField[];
  /** Fields of the address that the form keeps. */
  readonly kept?: Readonly<Record<string, string>>;
}

export function PeriodForm(props: PeriodFormProps) {
  const { chosen, path, filters, kept = {} } = props;
  const { period, refused, today, choices } = chosen;
  const { from, to, ...filter } = period;
  const fields = reportForm(choices).fields.map((field): FormField => {
    const { name } = field;
    const first = String(period[name as keyof Period] ?? '');
    if (name !== 'from' && name !== 'to') {
      return { ...field, first, choices: withValue(field.choices, first, 'Not in the list') };
    }
    return { ...field, first, input: { ...dateInput(name, refused), required: true } };
  });
  const isShown = (name: string) =>
    name === 'from' || name === 'to' || !filters || filters.some((one) => one === name);
  return (
    <form class="period" action={path}>
      <RefusedSummary refused={refused} />
      {Object.entries(kept).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="period-fields">
        <Fields of={fields.filter(({ name }) => isShown(name))} refused={refused} />
        <button type="submit">Show</button>
        <ul class="bare tabs">
          {usualPeriods.map(([length, name]) => {
            const last = lastDays(length, today);
            const isThis = last.from === from && last.to === to;
            const query = periodQuery({ ...kept, ...filter, ...last });
            return (
              <li>
                <a href={`${path}?${query}`} aria-current={isThis ? 'true' : undefined}>
                  {name}
                </a>
              </li>
            );
          })}
        </ul>
      </div>
    </form>
  );
}

/** "Sun 25 Oct 2026 to Sat 21 Nov 2026, 28 days". */
export function periodWords(period: Period): string {
  const days = daysOf(period);
  if (days === 1) return dayName(period.from);
  return `${dayName(period.from)} to ${dayName(period.to)}, ${days} days`;
}
