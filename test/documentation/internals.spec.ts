import { expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';

const page = readFileSync('docs/develop/internals.md', 'utf8');
const named = [...page.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, path]) => path!);

it('the page on internals names only existing files', () => {
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

it('every use of internals on the page names its test', () => {
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  const guarded = (row: string) => /`test\/|every test/.test(row.split('|').at(-2)!);
  expect(rows.filter((row) => !guarded(row))).toEqual([]);
});

it('the page on internals quotes only titles of tests in the named files', () => {
  const quoted = [...page.matchAll(/`(test\/[^`]+)`: "([^"]+)"/g)];
  expect(quoted.length).toBeGreaterThan(1);
  const missing = quoted.filter(([, path, title]) => !readFileSync(path!, 'utf8').includes(title!));
  expect(missing.map(([whole]) => whole)).toEqual([]);
});
