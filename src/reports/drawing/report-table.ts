import { upperFirst } from '../../platform/kernel/text.js';
import { ApiProperty, type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import type { Type } from '@nestjs/common';
import type { VNode } from 'preact';
import type { ReportQuery } from '../report-query.dto.js';
import type { ReportSourcesService } from '../report-sources.service.js';
import { type PrintedColumn, printed, type ReportColumns, type RowOf } from './columns.js';
import { type Period, periodQuery } from './period.js';

/** What a drawing also knows. */
export interface ReportView {
  readonly period: Period;
  /** Working minutes in which a client should be contacted first. */
  readonly targetMinutes: number;
  /** A zone with its label. */
  readonly zoneInWords: (zone: string) => string;
}

/** A list of columns and a drawing. */
export interface ReportTable<Columns extends ReportColumns = ReportColumns> {
  /** The address of the export, such as `first-contact`; the JSON has it in camel case. */
  readonly name: string;
  readonly title: string;
  /** What is counted, for staff and in the description of the API. */
  readonly definition: string;
  readonly empty: string;
  readonly row: string;
  readonly most: number;
  /** As wide as the page. */
  readonly wide?: true;
  readonly columns: Columns;
  count(this: void, from: ReportSourcesService, query: ReportQuery): Promise<RowOf<Columns>[]>;
  /** What people read as the name of a row; by default the first column. */
  nameOf?(this: void, row: RowOf<Columns>, view: ReportView): string;
  /** Where the name of a row leads. */
  link?(this: void, row: RowOf<Columns>, view: ReportView): string;
  /** False where there is nothing to draw. Without a drawing, the table is open. */
  draw?(this: void, rows: readonly RowOf<Columns>[], view: ReportView): VNode | false;
}

/** A question of a manager. Where several tables answer it by different groups, a page shows one of them. */
export interface Report {
  /** Its place on the page. */
  readonly name: string;
  readonly title: string;
  readonly question: string;
  /** By what each table groups, such as `Person`. */
  readonly by: Readonly<Record<string, ReportTable>>;
}

/** A page of reports; a report of the API has all of their tables. */
export interface ReportTab {
  readonly name: string;
  readonly title: string;
  readonly definition: string;
  readonly reports: readonly Report[];
}

export function tablesOf({ reports }: Pick<ReportTab, 'reports'>): ReportTable[] {
  return reports.flatMap(({ by }) => Object.values(by));
}

export type CountedRows = RowOf<ReportColumns>[];

/** Checks the rows of a table against its columns. */
export function reportTable<Columns extends ReportColumns>(
  table: ReportTable<Columns>,
): ReportTable<Columns> {
  return table;
}

/** The tables in turn: a report must not take all connections of the pool. */
export async function countReport(
  tables: readonly ReportTable[],
  from: ReportSourcesService,
  query: ReportQuery,
): Promise<Record<string, CountedRows>> {
  const counted: Record<string, CountedRows> = {};
  for (const table of tables) {
    const rows = await table.count(from, query);
    const names = Object.keys(table.columns);
    counted[propertyOf(table.name)] = rows.map((row) =>
      Object.fromEntries(names.map((name) => [name, row[name]])),
    );
  }
  return counted;
}

/** The columns that people read, with links to what the rows name. */
export function printTable(
  { columns, link, nameOf }: ReportTable,
  rows: CountedRows,
  view: ReportView,
): PrintedColumn[] {
  const [names, ...others] = printed(columns, rows);
  if (!names) return [];
  if (nameOf) return [{ ...names, cells: rows.map((row) => nameOf(row, view)) }, ...others];
  if (!link) return [names, ...others];
  const cells = names.cells.map((cell, i) => {
    const words = typeof cell === 'object' && cell !== null ? cell : { text: String(cell) };
    return { ...words, href: link(rows[i]!, view) };
  });
  return [{ ...names, cells }, ...others];
}

/** The base class of an answer with some of these tables. */
export function ReportOf(tables: readonly ReportTable[]): Type<object> {
  const lists = tables.map(({ name, definition: description, row, most, columns }) => {
    const type = classOf(Object.entries(columns).map(([key, { schema }]) => [key, schema]));
    ApiSchema({ name: `${upperFirst(propertyOf(name))}Row`, description: row })(type);
    const about = { type, isArray: true, required: false, maxItems: most };
    return [propertyOf(name), { ...about, description }] as const;
  });
  return classOf(lists);
}

function classOf(properties: readonly (readonly [string, ApiPropertyOptions])[]): Type<object> {
  class Described {}
  for (const [name, schema] of properties) ApiProperty(schema)(Described.prototype, name);
  return Described;
}

/** `firstContact` for `first-contact`. */
export function propertyOf(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A drawing shows only the first rows; the table has all. */
export const MOST_BARS = 8;

export const oneSeries = (series: SeriesColour, name: string) => [{ series, name }];

/** Text links of rows that lead to a list of orders or to the map. */
export const ordersWhere = (field: string, value: string, view: 'all' | 'open' = 'all') =>
  `/staff/queue?view=${view}&${field}=${encodeURIComponent(value)}`;

export const mapOf = (area: string, { period }: ReportView) =>
  `/staff/map/${area}?${periodQuery(period)}`;

/** Classes of the style sheet. */
export const seriesColours = ['s1', 's2', 's3', 's4', 's5', 'soon-bar', 'late-bar'] as const;
export type SeriesColour = (typeof seriesColours)[number];

export interface ChartSeries {
  readonly series: SeriesColour;
  readonly name: string;
}
