import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Cursor, page, printCursor, readCursor } from './paging.js';
import { ValidationFailed } from '../problems/problem.js';

const cursors = fc.record({
  at: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
  id: fc.uuid(),
});

describe('a cursor', () => {
  const id = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90';

  it('reads as it was printed, and needs no escaping in a query', () => {
    fc.assert(
      fc.property(cursors, (cursor) => {
        const text = printCursor(cursor);
        expect(readCursor(text)).toEqual(cursor);
        expect(encodeURIComponent(text)).toBe(text);
      }),
    );
  });

  it.each([
    '',
    'next',
    Buffer.from('1772442000000').toString('base64url'),
    Buffer.from(`1772442000000 ${'-'.repeat(36)}`).toString('base64url'),
    Buffer.from(`-1 ${id}`).toString('base64url'),
    Buffer.from(`1772442000000 ${id} `).toString('base64url'),
    Buffer.from(`1772442000000 ${id.toUpperCase()}`).toString('base64url'),
  ])('is refused where it is %j', (text) => {
    expect(() => readCursor(text)).toThrow(ValidationFailed);
  });

  it('refuses any text that is not a cursor', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => readCursor(text)).toThrow(ValidationFailed);
      }),
    );
  });
});

describe('a page', () => {
  const rows: readonly Cursor[] = Array.from({ length: 7 }, (_, i) => ({
    at: new Date(i),
    id: `00000000-0000-7000-8000-00000000000${i}`,
  }));
  const pageOf = (given: readonly Cursor[], limit: number) =>
    page(
      given,
      limit,
      (row) => row,
      ({ at }) => at.getTime(),
    );

  it.each([
    [0, 3, [], null],
    [2, 3, [0, 1], null],
    [3, 3, [0, 1, 2], null],
    [4, 3, [0, 1, 2], 2],
    [2, 1, [0], 0],
  ])('of %i rows with room for %i has %j, and goes on after %j', (count, limit, items, last) => {
    const nextCursor = last === null ? null : printCursor(rows[last]!);
    expect(pageOf(rows.slice(0, count), limit)).toEqual({ items, nextCursor });
  });

  it('and the next ones together have every row once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), (limit) => {
        const seen: number[] = [];
        let cursor: string | null = null;
        do {
          const after: Cursor | null = cursor === null ? null : readCursor(cursor);
          const rest = rows.filter(({ at }) => !after || at > after.at).slice(0, limit + 1);
          const { items, nextCursor } = pageOf(rest, limit);
          seen.push(...items);
          cursor = nextCursor;
        } while (cursor !== null);
        expect(seen).toEqual(rows.map(({ at }) => at.getTime()));
      }),
    );
  });
});
