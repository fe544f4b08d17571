import type { SummaryReport } from '../reports.dto.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import type { FormField } from '../../platform/ui/forms/form-spec.js';
import { Fields, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { Layout } from '../../platform/ui/layout.js';
import { Empty, whole } from '../../platform/ui/parts.js';
import { Section, Table } from '../../platform/ui/table.js';
import { Headline } from './headline.js';
import {
  dayName,
  daysOf,
  type FilterField,
  lastDays,
  type Period,
  periodFields,
  periodQuery,
} from './period.js';
import type { ReportDrawing, ReportKind } from './report-kinds.js';
import type { ChosenScope } from './report-scope.service.js';
import type { Cell, ReportTable } from './report-table.js';

export interface ShownReport {
  readonly kind: ReportKind;
  readonly shown: ReportDrawing;
}

export interface ReportPageProps {
  readonly viewer: StaffCaller;
  readonly chosen: ChosenScope;
}

interface ReportsPageProps extends ReportPageProps {
  readonly summary: SummaryReport;
  readonly reports: readonly ShownReport[];
}

const allFilters: readonly FilterField[] = ['client', 'owner', 'product'];

export function ReportsPage({ viewer, chosen, summary, reports }: ReportsPageProps) {
  const query = `?${periodQuery(chosen.period)}`;
  return (
    <Layout title="Reports" viewer={viewer} here="reports">
      <PeriodForm chosen={chosen} path="/staff/reports" filters={allFilters} />
      <Section title={periodWords(chosen.period)} id="period">
        <Headline summary={summary} period={chosen.period} />
      </Section>
      <Section title="Now" id="now">
        <Cards reports={reports.filter(({ kind }) => kind.now)} query={query} />
      </Section>
      <Section title="In this period" id="details">
        <Cards reports={reports.filter(({ kind }) => !kind.now)} query={query} />
      </Section>
    </Layout>
  );
}

function Cards({ reports, query }: { reports: readonly ShownReport[]; query: string }) {
  return (
    <div class="cards">
      {reports.map(({ kind, shown }) => (
        <article
          class={kind.wide ? 'card wide-card' : 'card'}
          aria-labelledby={`${kind.name}-heading`}
        >
          <h3 id={`${kind.name}-heading`}>
            <a href={`/staff/reports/${kind.name}${query}`}>{kind.title}</a>
          </h3>
          <p class="hint">{kind.definition}</p>
          {shown.drawing || <Empty title="Nothing to show">{kind.empty}</Empty>}
          <Numbers title={kind.title} table={shown.table} open={kind.wide} />
          <CsvLink kind={kind} query={query} />
        </article>
      ))}
    </div>
  );
}

function CsvLink({ kind, query }: { kind: ReportKind; query: string }) {
  return (
    <p class="export">
      <a
        href={`/staff/reports/${kind.name}.csv${query}`}
        aria-label={`Export as CSV: ${kind.title}`}
      >
        Export as CSV
      </a>
    </p>
  );
}

export function ReportPage(props: ReportPageProps & ShownReport) {
  const { viewer, chosen, kind, shown } = props;
  const query = `?${periodQuery(chosen.period)}`;
  return (
    <Layout title={kind.title} viewer={viewer} here="reports">
      <p class="lead">{kind.definition}</p>
      <PeriodForm
        chosen={chosen}
        path={`/staff/reports/${kind.name}`}
        filters={allFilters}
        withoutDays={kind.now}
      />
      <h2>{kind.now ? 'Now' : periodWords(chosen.period)}</h2>
      <div class={kind.wide ? 'single-report wide-report' : 'single-report'}>
        {shown.drawing || (
          <Empty title="Nothing to show">
            {kind.empty} {!kind.now && 'Choose other days to see earlier ones.'}
          </Empty>
        )}
        <Numbers title={kind.title} table={shown.table} open />
        <CsvLink kind={kind} query={query} />
      </div>
      <p>
        <a href={`/staff/reports${query}`}>All reports</a>
      </p>
    </Layout>
  );
}

export function Numbers(props: { title: string; table: ReportTable; open?: boolean }) {
  const { title, table, open } = props;
  if (table.rows.length === 0) return null;
  return (
    <details class="numbers" open={open}>
      <summary>Data table</summary>
      <Table
        label={`${title}, data`}
        caption={title}
        rows={table.rows}
        columns={table.columns.map(({ name }, i) => ({
          name,
          of: (cells: readonly Cell[]) => <CellText cell={cells[i] ?? null} />,
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

const dateInput = { type: 'date', required: true } as const;

interface PeriodFormProps {
  readonly chosen: ChosenScope;
  readonly path: string;
  readonly filters: readonly FilterField[];
  /** Fields of the address that the form keeps. */
  readonly kept?: Readonly<Record<string, string>>;
  /** The report is of the present: its days are kept for the other reports. */
  readonly withoutDays?: boolean;
}

const filterLabels: Readonly<Record<FilterField, string>> = {
  client: 'Client',
  owner: 'Person',
  product: 'Product',
};

export function PeriodForm(props: PeriodFormProps) {
  const { chosen, path, filters, kept = {}, withoutDays } = props;
  const { period, refused, today, choices } = chosen;
  const { from, to, ...filter } = period;
  const days = periodFields.map(({ name, ...field }): FormField => ({
    ...field,
    name,
    first: period[name],
    // A browser's date field drops any other text, so that the person could not correct it.
    input: refused?.faults.get(name) === field.wrong ? { required: true } : dateInput,
  }));
  const selects = filters.map((name): FormField => {
    const value = period[name];
    const known = choices[name].some((one) => one.value === value);
    return {
      name,
      label: filterLabels[name],
      kind: 'choice',
      first: value,
      choices: [
        { value: '', name: 'All' },
        ...(value === undefined || known ? [] : [{ value, name: 'Not in the list' }]),
        ...choices[name],
      ],
    };
  });
  const hidden = withoutDays ? { ...kept, from, to } : kept;
  return (
    <form class="period" action={path}>
      <RefusedSummary refused={refused} />
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="period-fields">
        <Fields of={withoutDays ? selects : [...days, ...selects]} refused={refused} />
        <button type="submit">Show</button>
        {!withoutDays && (
          <ul class="usual bare">
            {usualPeriods.map(([length, name]) => {
              const last = lastDays(length, today);
              const isThis = last.from === from && last.to === to;
              const query = new URLSearchParams({ ...kept, ...filter, ...last }).toString();
              return (
                <li>
                  <a href={`${path}?${query}`} aria-current={isThis ? 'true' : undefined}>
                    {name}
                  </a>
                </li>
              );
            })}
          </ul>
        )}
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
