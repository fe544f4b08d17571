import type { InputHTMLAttributes } from 'preact';
import type { StaffCaller } from '../../access/caller.js';
import { number } from './chart-scale.js';
import { FaultSummary, TextField } from '../forms/fields.js';
import { Layout } from '../shell/layout.js';
import { Empty } from '../shell/parts.js';
import { Table } from '../shell/table.js';
import {
  type ChosenPeriod,
  dayName,
  daysOf,
  isDay,
  lastDays,
  type Period,
  periodQuery,
} from './period.js';
import type { Cell, ReportTable, ReportDrawing } from './report-drawings.js';
import type { ReportKind } from './report-kinds.js';

export interface ShownReport {
  readonly kind: ReportKind;
  readonly shown: ReportDrawing;
}

interface ReportPageProps {
  readonly viewer: StaffCaller;
  readonly chosen: ChosenPeriod;
  readonly today: string;
}

export function ReportsPage(props: ReportPageProps & { reports: readonly ShownReport[] }) {
  const { viewer, chosen, today, reports } = props;
  const query = periodQuery(chosen.period);
  return (
    <Layout title="Reports" viewer={viewer} here="reports">
      <section aria-labelledby="now">
        <h2 id="now">Now</h2>
        <Cards reports={reports.filter(({ kind }) => kind.now)} query="" />
      </section>
      <section aria-labelledby="period">
        <h2 id="period">{periodWords(chosen.period)}</h2>
        <PeriodForm chosen={chosen} today={today} path="/staff/reports" />
        <Cards reports={reports.filter(({ kind }) => !kind.now)} query={`?${query}`} />
      </section>
    </Layout>
  );
}

function Cards({ reports, query }: { reports: readonly ShownReport[]; query: string }) {
  return (
    <div class="cards">
      {reports.map((report) => (
        <Card {...report} query={query} />
      ))}
    </div>
  );
}

function Card({ kind, shown, query }: ShownReport & { query: string }) {
  return (
    <article class="card" aria-labelledby={`${kind.name}-heading`}>
      <h3 id={`${kind.name}-heading`}>
        <a href={`/staff/reports/${kind.name}${query}`}>{kind.title}</a>
      </h3>
      <p class="hint">{kind.definition}</p>
      {shown.drawing || <Empty title="Nothing to show">{kind.empty}</Empty>}
      <Numbers title={kind.title} table={shown.table} />
    </article>
  );
}

export function ReportPage(props: ReportPageProps & ShownReport) {
  const { viewer, chosen, today, kind, shown } = props;
  return (
    <Layout title={kind.title} viewer={viewer} here="reports">
      <p class="lead">{kind.definition}</p>
      {!kind.now && (
        <PeriodForm chosen={chosen} today={today} path={`/staff/reports/${kind.name}`} />
      )}
      <h2>{kind.now ? 'As it is now' : periodWords(chosen.period)}</h2>
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
      <summary>The numbers</summary>
      <Table
        label={`${title}, numbers`}
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
  if (typeof cell === 'number') return <>{number(cell)}</>;
  if (typeof cell === 'string') return <>{cell}</>;
  return <a href={cell.href}>{cell.text}</a>;
}

const usual: readonly [days: number, name: string][] = [
  [7, '7 days'],
  [28, '28 days'],
  [91, '13 weeks'],
  [365, '1 year'],
];

/** A browser's field for days drops what is none, and with it what was typed. */
function dayInput(typed: string): InputHTMLAttributes<HTMLInputElement> {
  return typed === '' || isDay(typed)
    ? { type: 'date', required: true }
    : { type: 'text', required: true };
}

/** Chooses the days. `kept` are fields of the address that stay as they are. */
export function PeriodForm(props: {
  chosen: ChosenPeriod;
  today: string;
  path: string;
  kept?: Readonly<Record<string, string>>;
}) {
  const { chosen, today, path, kept = {} } = props;
  const { typed, faults, period } = chosen;
  return (
    <form class="period" action={path}>
      <FaultSummary faults={faults} />
      {Object.entries(kept).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="period-fields">
        {(['from', 'to'] as const).map((name) => (
          <TextField
            name={name}
            label={name === 'from' ? 'From' : 'To'}
            value={typed[name] || period[name]}
            faults={faults}
            input={dayInput(typed[name])}
          />
        ))}
        <button type="submit">Show</button>
        <ul class="usual bare">
          {usual.map(([days, name]) => {
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
