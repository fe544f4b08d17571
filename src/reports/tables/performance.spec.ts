import { expect, it } from '@jest/globals';
import { Tally } from './performance.js';

const order = (minutes: number | null, inTime: boolean | null, currency = 'GBP') => ({
  client: 'c',
  owner: null,
  currency,
  amount: '1000',
  contacts: 2,
  received: 0,
  minutes,
  inTime,
});

it('counts orders, contacts and amounts; only judged ones count for the share in time', () => {
  const tally = new Tally();
  for (const one of [order(5, true), order(0, true), order(90, false), order(null, false)]) {
    tally.receive(one);
  }
  tally.receive(order(null, null, 'JPY'));
  tally.close('won', 2, new Map([['GBP', 500]]));
  tally.close('won', 1, new Map([['GBP', 50]]));
  tally.close('lost', 4, new Map([['GBP', 900]]));
  expect(tally.print()).toEqual({
    received: 5,
    contacted: 3,
    contacts: 10,
    medianMinutes: 5,
    p90Minutes: 90,
    inTime: 0.5,
    amounts: [
      { currency: 'GBP', amount: 40 },
      { currency: 'JPY', amount: 1_000 },
    ],
    won: 3,
    lost: 4,
    wonShare: 0.4286,
    wonAmounts: [{ currency: 'GBP', amount: 5.5 }],
  });
});

it('has no share of nothing', () => {
  const none = { received: 0, medianMinutes: null, p90Minutes: null, inTime: null, wonShare: null };
  expect(new Tally().print()).toMatchObject(none);
});
