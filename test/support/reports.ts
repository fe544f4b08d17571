import { propertyOf, tablesOf } from '../../src/reports/drawing/report-table.js';
import { allTabs } from '../../src/reports/tables/tabs.js';
import type { Service } from './service.js';

export type ReportRow = Record<string, unknown>;

/** The rows of a table such as `first-contact`, from the report that has it; none of a refused request. */
export async function askReport(
  service: Pick<Service, 'http'>,
  token: string,
  table: string,
): Promise<{ status: number; items: ReportRow[] }> {
  const [name = '', query = ''] = table.split('?');
  const tab = allTabs.find((one) => tablesOf(one).some((table) => table.name === name));
  const path = `/follow-up/reports/${tab?.name}?${query}`;
  const { status, body } = await service.http.get<Record<string, ReportRow[]>>(path, { token });
  return { status, items: body[propertyOf(name)] ?? [] };
}
