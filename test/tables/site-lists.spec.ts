import { expect, it } from '@jest/globals';
import { readSiteList } from '../../src/quotes/site-list.js';
import { realLists } from '../fixtures/site-lists.js';

it.each(realLists)('reads $name', async ({ file, columns = {}, read, ignored, site, ...other }) => {
  const list = await readSiteList(await file(), { columns, ignoreOtherColumns: true });
  const named = list.columns.flatMap(({ name, meaning }) => (meaning ? [[meaning, name]] : []));
  expect(list.faults).toEqual([]);
  expect(Object.fromEntries(named)).toEqual(read);
  expect(list.ignored).toHaveLength(ignored);
  expect(list.rows[0]!.site).toEqual(site);
  expect(list.needsUnit).toBe(other.needsUnit ?? false);
});

it.each(realLists.filter(({ columns }) => columns))(
  'asks about $name before a column is chosen',
  async ({ file, columns }) => {
    const plain = await readSiteList(await file(), { ignoreOtherColumns: true });
    const read = plain.columns.filter(({ meaning }) => meaning !== null).map(({ name }) => name);
    const chosen = Object.values(columns!);
    expect(read).not.toEqual(expect.arrayContaining(chosen));
  },
);
