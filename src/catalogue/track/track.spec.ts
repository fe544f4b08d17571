import { describe, expect, it } from '@jest/globals';
import { type LiveOrder, quantile, trackOf, Tracks } from './track.js';

const order = (i: number, about: Partial<LiveOrder> = {}): LiveOrder => ({
  clientId: `client ${i % 4}`,
  family: 'INT',
  zone: 'LONDON-ONNET',
  currency: 'GBP',
  promisedDays: 84,
  committedDays: null,
  tookDays: 60 + i,
  charged: 0,
  ...about,
});
const orders = (n: number, about: (i: number) => Partial<LiveOrder> = () => ({})) =>
  Array.from({ length: n }, (_, i) => order(i, about(i)));

describe('a track', () => {
  it('has the median, and the days within which 80 % were live', () => {
    expect(quantile([5, 1, 3, 2, 4], 0.5)).toBe(3);
    expect(quantile([5, 1, 3, 2, 4], 0.8)).toBe(4);
    expect(quantile([7], 0.8)).toBe(7);
  });

  it('counts orders and charges', () => {
    const charged = orders(20, (i) => (i < 8 ? { charged: 100 * (i + 1) } : {}));
    expect(trackOf(charged)).toEqual({
      orders: 20,
      chargedPercent: 40,
      medianCharge: 400,
      leadTimeDays: { median: 69, p80: 75 },
    });
  });

  it.each([
    ['19 orders', orders(19)],
    ['orders of two clients', orders(40, (i) => ({ clientId: `client ${i % 2}` }))],
    [
      'orders of which one client has most',
      orders(40, (i) => ({ clientId: i < 21 ? 'large' : `client ${i}` })),
    ],
  ])('is null for %s', (_what, few) => {
    expect(trackOf(few)).toBeNull();
  });

  it('may be half of one client’s', () => {
    const half = orders(20, (i) => ({ clientId: i < 10 ? 'large' : `client ${i}` }));
    expect(trackOf(half)?.orders).toBe(20);
  });

  it('does not tell the charges of one client', () => {
    const ofOne = orders(24, (i) => (i % 4 === 0 ? { charged: 900 } : {}));
    expect(trackOf(ofOne)).toMatchObject({ chargedPercent: 25, medianCharge: null });
  });

  it('does not tell the charge of one order', () => {
    const one = orders(20, (i) => (i === 3 ? { charged: 900 } : {}));
    expect(trackOf(one)).toMatchObject({ chargedPercent: 5, medianCharge: null });
  });

  it('is that of the family, the zone and the currency of an offer', async () => {
    const tracks = await Tracks.of([orders(20)]);
    const offer = { productCode: 'INT-1G-12', zone: 'LONDON-ONNET', currency: 'GBP' };
    expect(tracks.of(offer)?.orders).toBe(20);
    for (const other of [{ productCode: 'ETH-1G-12' }, { zone: 'NORTH' }, { currency: 'EUR' }]) {
      expect(tracks.of({ ...offer, ...other })).toBeNull();
    }
  });

  it('names late zones in the order of their names', async () => {
    const late = ['NORTH', 'EAST', 'WEST'].flatMap((zone) =>
      orders(20, () => ({ zone, tookDays: 90 })),
    );
    const tracks = await Tracks.of([late]);
    expect(tracks.late.map(({ zone }) => zone)).toEqual(['EAST', 'NORTH', 'WEST']);
  });

  it('tells the median charge from five orders on', () => {
    const some = (n: number) => orders(20, (i) => (i < n ? { charged: 900 } : {}));
    expect([4, 5].map((n) => trackOf(some(n))?.medianCharge)).toEqual([null, 900]);
  });

  it('names zones whose lead time is not kept', async () => {
    const lateZones = async (...days: LiveOrder[][]) => (await Tracks.of(days)).late;
    const late = orders(20, (i) => ({ tookDays: 88 + i, family: i % 2 ? 'INT' : 'ETH' }));
    const named = [{ zone: 'LONDON-ONNET', promised: 84, p80: 103 }];
    expect(await lateZones(late)).toEqual(named);
    expect(await lateZones(late.slice(0, 7), [], late.slice(7))).toEqual(named);
    expect(await lateZones(late.slice(1))).toEqual([]);
    expect(await lateZones(orders(20, (i) => ({ tookDays: i < 16 ? 84 : 90 })))).toEqual([]);
  });
});
