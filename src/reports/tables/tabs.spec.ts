import { expect, test } from '@jest/globals';
import { tablesOf } from '../drawing/report-table.js';
import { allTabs, pageTabs } from './tabs.js';

test('at most ten reports answer one question each', () => {
  const reports = pageTabs.flatMap((tab) => tab.reports);
  expect(reports.length).toBeLessThanOrEqual(10);
  expect(new Set(reports.map(({ question }) => question)).size).toBe(reports.length);
  expect(reports.filter(({ question }) => !/^[A-Z].*\?$/.test(question))).toEqual([]);
});

test('no name leads to two places', () => {
  const tables = allTabs.flatMap(tablesOf);
  const names = [...allTabs, ...allTabs.flatMap((tab) => tab.reports)].map(({ name }) => name);
  expect(new Set(tables).size).toBe(tables.length);
  expect(new Set(tables.map(({ name }) => name)).size).toBe(tables.length);
  expect(new Set(names).size).toBe(names.length);
});
