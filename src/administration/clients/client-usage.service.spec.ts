import { expect, it } from '@jest/globals';
import { errorCounts } from './client-usage.service.js';

const day = (code: string, date: number, errors: number, isTest = false) => ({
  day: `2026-02-${date}`,
  clientId: 'c',
  code,
  isTest,
  errors,
  lastAt: new Date(Date.UTC(2026, 1, date)),
});

it('adds up the errors of each code and kind of token, with the last time of any day', () => {
  const days = [
    day('not-found', 21, 1),
    day('rate-limit', 20, 3, true),
    day('rate-limit', 19, 5),
    day('rate-limit', 22, 1, true),
    day('not-found', 19, 1),
  ];
  const counted = errorCounts(days).map(({ code, mode, errors, lastAt }) =>
    [code, mode, errors, lastAt.getUTCDate()].join(' '),
  );
  expect(counted).toEqual(['rate-limit live 5 19', 'rate-limit test 4 22', 'not-found live 2 21']);
});
