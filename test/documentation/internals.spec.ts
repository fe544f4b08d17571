import { expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';

const page = readFileSync('docs/develop/internals.md', 'utf8');
const named = [...page.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, path]) => path!);

it('every file that the page on internals names exists', () => {
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

it('every use of another package on the page names the test that guards it', () => {
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  const guarded = (row: string) => /`test\/|every test/.test(row.split('|').at(-2)!);
  expect(rows.filter((row) => !guarded(row))).toEqual([]);
});
