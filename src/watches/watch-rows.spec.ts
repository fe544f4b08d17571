import { expect, it } from '@jest/globals';
import { parsePostcode, type Postcode } from '../platform/kernel/postcode.js';
import type { Watch } from './watch.entity.js';
import { parseRows, printWatch } from './watch-rows.js';

const watch: Watch = {
  id: 'w',
  clientId: 'c',
  packed: (parsePostcode('N1 9GU') as Postcode).packed,
  uprn: 0,
  clientReference: null,
  minBandwidthMbps: 0,
  maxPriceMilli: null,
  includeBuild: false,
  state: 'open',
  batch: null,
  createdAt: new Date('2026-01-01T09:00:00Z'),
  changedAt: new Date('2026-02-01T09:00:00Z'),
};

it('prints no condition as null, and a price of 0 as 0', () => {
  const none = { uprn: null, minBandwidth: null, maxPrice: null };
  expect(printWatch(watch)).toMatchObject(none);
  const set = { uprn: 12, minBandwidthMbps: 100, maxPriceMilli: 0 };
  expect(printWatch({ ...watch, ...set })).toMatchObject({
    uprn: '12',
    minBandwidth: 0.1,
    maxPrice: 0,
  });
});

it.each([
  ['open', '2027-02-01', null],
  ['served', null, '2026-02-01'],
  ['ended', '2026-02-01', null],
] as const)('prints when a watch that is %s ends or was served', (state, endsAt, servedAt) => {
  const printed = printWatch({ ...watch, state });
  const day = (date: Date | null) => date && date.toISOString().slice(0, 10);
  expect([day(printed.endsAt), day(printed.servedAt)]).toEqual([endsAt, servedAt]);
});

it('reads rows of numbers, of which only the price can be empty', () => {
  const rows = parseRows('c', 2, '305,0,100,,1,306,99,0,0,0');
  const read = [0, 1].map((i) => [
    ...[rows.packed(i), rows.uprn(i), rows.minBandwidthMbps(i)],
    ...[rows.maxPriceMilli(i), rows.includeBuild(i)],
  ]);
  expect(read).toEqual([
    [305, 0, 100, null, true],
    [306, 99, 0, 0, false],
  ]);
  expect(parseRows('c', 0, '').count).toBe(0);
});
