import { expect, it } from '@jest/globals';
import { duringTurns } from '../../../test/support/turns.js';
import { groupsOf, inTurns } from './turns.js';

it('gives the event loop a turn after each item', async () => {
  const seen: string[] = [];
  const turns = new Set<number>();
  await duringTurns(async (turn) => {
    for await (const item of inTurns(['a', 'b', 'c'])) {
      seen.push(item);
      turns.add(turn());
    }
  });
  expect([seen, turns.size]).toEqual([['a', 'b', 'c'], 3]);
});

it('ends its source when the loop ends early', async () => {
  let ended = false;
  const source = async function* () {
    try {
      for (;;) yield await Promise.resolve('row');
    } finally {
      ended = true;
    }
  };
  for await (const row of inTurns(source())) if (row === 'row') break;
  expect(ended).toBe(true);
});

it.each([
  [[], []],
  [[1, 2], [[1, 2]]],
  [
    [1, 2, 3, 4, 5],
    [[1, 2], [3, 4], [5]],
  ],
])('groups %j by two', (items, groups) => {
  expect([...groupsOf<number>(items, 2)]).toEqual(groups);
});
