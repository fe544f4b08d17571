import { expect, it } from '@jest/globals';
import { addPart, ROWS_OF_PART, takeApart } from './parts.js';

const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ row: i }));

it.each([
  ['a list', rows(2_500)],
  ['a short list', rows(ROWS_OF_PART)],
  ['no list', null],
  [
    'lists within objects',
    {
      diff: { prices: rows(ROWS_OF_PART + 1), zones: rows(2), books: { costs: rows(3_000) } },
      bytes: new Uint16Array(5_000),
      sectors: new Map([[1, rows(2_000)]]),
      count: 7,
      none: null,
    },
  ],
])('%s is the same after it was handed over in parts', (_name, result) => {
  const { rest, parts } = takeApart(result);
  const { rest: received, parts: sent } = structuredClone({ rest, parts });
  for (const part of sent) {
    expect(part.rows.length).toBeLessThanOrEqual(ROWS_OF_PART);
    addPart(received, part);
  }
  expect(received).toEqual(result);
});

it('leaves no long list in the first message, and what it took apart as it was', () => {
  const result = { diff: { prices: rows(2_000) } };
  expect(takeApart(result).rest).toEqual({ diff: { prices: [] } });
  expect(result.diff.prices).toHaveLength(2_000);
});
