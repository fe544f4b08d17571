import { beforeAll, expect, it } from '@jest/globals';
import { type DatabaseSettings, environmentOf, newDatabase } from '../support/databases.js';
import { cli } from '../support/processes.js';

let database: DatabaseSettings;

beforeAll(async () => {
  database = await newDatabase('sqlite');
});

it.each([
  [['watches', 'list', '--limit', '1', '--limit', '2'], '--limit <n>'],
  [['check', 'EC2A 2BS', '--price-list', 'a', '--price-list=b'], '--price-list <name>'],
  [['--env-file', 'a', 'catalogue', 'list', '--env-file', 'b'], '--env-file <file>'],
  [['catalogue', 'list', '--json', '--json'], '--json'],
  [['catalogue', 'import', 'a', '--yes', '--yes', 'because'], '--yes [reason]'],
])('refuses an option that is given twice: %j', async (words, option) => {
  const { code, stderr } = await cli(environmentOf(database), ...words);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`error: option '${option}' is given twice`),
  ]);
});

it('takes several values of an option that has a list', async () => {
  const words = ['--state', 'waiting', 'dead', '--state', 'delivered'];
  const { code, stderr } = await cli(environmentOf(database), 'notifications', 'list', ...words);
  expect(stderr).not.toContain('given twice');
  expect(code).toBe(0);
});
