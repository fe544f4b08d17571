import type { StaffCaller } from '../../access/caller.js';
import type { FormField } from '../forms/form-spec.js';
import { Fields, RefusedSummary } from '../forms/form-view.js';
import { Layout } from '../shell/layout.js';
import { Empty, whole } from '../shell/parts.js';
import { Section, Table } from '../shell/table.js';
import {
  type ChosenPeriod,
  dayName,
  daysOf,
  lastDays,
  type Period,
  periodFields,
  periodQuery,
} from './period.js';
import type { Cell, ReportDrawing, ReportKind, ReportTable } from './report-drawings.js';

export interface ShownReport {
  readonly kind: ReportKind;
  readonly shown: ReportDrawing;
}

export interface ReportPageProps {
  readonly viewer: StaffCaller;
  readonly chosen: ChosenPeriod;
}

export function ReportsPage(props: ReportPageProps & { reports: readonly ShownReport[] }) {
  const { viewer, chosen, reports } = props;
  const query = periodQuery(chosen.period);
  return (
    <Layout title="Reports" viewer={viewer} here="reports">
      <Section title="Now" id="now">
        <Cards reports={reports.filter(({ kind }) => kind.now)} query="" />
      </Section>
      <Section title={periodWords(chosen.period)} id="period">
        <PeriodForm chosen={chosen} path="/staff/reports" />
        <Cards reports={reports.filter(({ kind }) => !kind.now)} query={`?${query}`} />
      </Section>
    </Layout>
  );
}

function Cards({ reports, query }: { reports: readonly ShownReport[]; query: string }) {
  return (
    <div class="cards">
      {reports.map(({ kind, shown }) => (
        <article class="card" aria-labelledby={`${kind.name}-heading`}>
          <h3 id={`${kind.name}-heading`}>
            <a href={`/staff/reports/${kind.name}${query}`}>{kind.title}</a>
          </h3>
          <p class="hint">{kind.definition}</p>
          {shown.drawing || <Empty title="Nothing to show">{kind.empty}</Empty>}
          <Numbers title={kind.title} table={shown.table} />
        </article>
      ))}
    </div>
  );
}

export function ReportPage(props: ReportPageProps & ShownReport) {
  const { viewer, chosen, kind, shown } = props;
  return (
    <Layout title={kind.title} viewer={viewer} here="reports">
      <p class="lead">{kind.definition}</p>
      {!kind.now && <PeriodForm chosen={chosen} path={`/staff/reports/${kind.name}`} />}
      <h2>{kind.now ? 'Now' : periodWords(chosen.period)}</h2>
      <div class="single-report">
        {shown.drawing || (
          <Empty title="Nothing to show">
            {kind.empty} {!kind.now && 'Choose other days to see earlier ones.'}
          </Empty>
        )}
        <Numbers title={kind.title} table={shown.table} open />
      </div>
      <p>
        <a href={`/staff/reports${kind.now ? '' : `?${periodQuery(chosen.period)}`}`}>
          All reports
        </a>
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
        columns={table.columns.map((name, i) => ({
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
  return <a href={cell.href}>{cell.text}</a>;
}

const usualPeriods: readonly [days: number, name: string][] = [
  [7, '7 days'],
  [28, '28 days'],
  [91, '13 weeks'],
  [365, '1 year'],
];

const dateInput = { type: 'date', required: true } as const;

/** @param props.kept fields of the address that the form keeps */
export function PeriodForm(props: {
  chosen: ChosenPeriod;
  path: string;
  kept?: Readonly<Record<string, string>>;
}) {
  const { chosen, path, kept = {} } = props;
  const { period, refused, today } = chosen;
  const fields = periodFields.map(({ name, ...field }): FormField => ({
    ...field,
    name,
    first: period[name],
    // A browser's date field drops any other text, so that the person could not correct it.
    input: refused?.faults.get(name) === field.wrong ? { required: true } : dateInput,
  }));
  return (
    <form class="period" action={path}>
      <RefusedSummary refused={refused} />
      {Object.entries(kept).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="period-fields">
        <Fields of={fields} refused={refused} />
        <button type="submit">Show</button>
        <ul class="usual bare">
          {usualPeriods.map(([days, name]) => {
            const last = lastDays(days, today);
            const isThis = last.from === period.from && last.to === period.to;
            const query = new URLSearchParams({ ...kept, ...last }).toString();
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
