import { expect, test } from '@jest/globals';
import { prettyLine } from './log.js';

const time = '2026-03-02T09:00:00.000Z';

test.each([
  [
    { time, level: 'info', msg: 'Listening.', context: 'main' },
    '09:00:00.000 INFO  main: Listening.\n',
  ],
  [
    { time, level: 'info', method: 'GET', route: '/health/live', status: 200, ms: 0.4 },
    '09:00:00.000 INFO  GET /health/live 200 0.4 ms\n',
  ],
  [
    { time, level: 'error', msg: 'broken', stack: 'Error\n    at x' },
    '\u001b[31m09:00:00.000 ERROR broken\nError\n    at x\u001b[39m\n',
  ],
  [{ time, level: 'info', msg: 'a\u001b[2Jb' }, '09:00:00.000 INFO  a\\u001b[2Jb\n'],
])('formats %j', (entry, line) => {
  expect(prettyLine(JSON.stringify(entry))).toBe(line);
});

test('returns a line that is not JSON unchanged', () => {
  expect(prettyLine('plain\n')).toBe('plain\n');
});
