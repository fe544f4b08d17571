import { describe, expect, it } from '@jest/globals';
import {
  bespokeProduct,
  type BespokeLine,
  isBespoke,
  lineFaults,
  totalOf,
} from './bespoke-terms.js';

const line: BespokeLine = {
  name: '2G Internet over microwave',
  bandwidthProvisioned: 2,
  term: 24,
  price: 549.99,
  setupPrice: 1_200,
  currency: 'GBP',
  leadTimeDays: 60,
  basis: 'subjectToSurvey',
};

describe('a bespoke product', () => {
  it('has its own code, and the defaults of what its author left out', () => {
    const { setupPrice, ...rest } = line;
    expect(setupPrice).toBe(1_200);
    expect(bespokeProduct(rest, '7F3K9Q')).toEqual({
      ...rest,
      productCode: 'BESPOKE-7F3K9Q',
      bandwidthCapacity: 2,
      setupPrice: null,
      extraChargesPossible: true,
      network: null,
      service: null,
      needsInterconnect: false,
    });
    expect(bespokeProduct({ ...line, basis: 'firm' }, 'A').extraChargesPossible).toBe(false);
    expect([isBespoke('BESPOKE-7F3K9Q'), isBespoke('INT-1G-12')]).toEqual([true, false]);
  });

  it('costs its monthly prices and its set-up price', () => {
    const total = { amountMinor: 24 * 54_999 + 120_000, currency: 'GBP' };
    expect(totalOf(bespokeProduct(line, 'A'))).toEqual(total);
    expect(totalOf(bespokeProduct({ ...line, setupPrice: null }, 'A')).amountMinor).toBe(
      24 * 54_999,
    );
  });

  it.each<[Partial<BespokeLine>, readonly string[]]>([
    [{}, []],
    [{ currency: 'GBX' }, ['currency']],
    [{ price: 1.005 }, ['price']],
    [{ price: 1.005, currency: 'KWD' }, []],
    [{ setupPrice: 30_000_000 }, ['setupPrice']],
    [{ bandwidthCapacity: 1 }, ['bandwidthCapacity']],
    [{ bandwidthCapacity: 2 }, []],
    [{ basis: 'firm', extraChargesPossible: true }, ['extraChargesPossible']],
  ])('with %j has faults in %j', (about, fields) => {
    expect(lineFaults({ ...line, ...about }).map(({ field }) => field)).toEqual(fields);
  });
});
