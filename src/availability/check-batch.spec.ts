import { describe, expect, it } from '@jest/globals';
import { CheckBatch, checkColumns } from './check-batch.js';
import type { Check } from './check.entity.js';

const check = (n: number, more: Partial<Check> = {}): Check => ({
  id: `C${String(n).padStart(9, '0')}`,
  clientId: '0198f7a0-1111-7000-8000-000000000001',
  postcode: 'EC2A 2BS',
  area: 'EC',
  priceList: 'standard',
  catalogueVersion: 3,
  productCount: n % 4,
  checkedAt: new Date(1_795_285_052_937 + n),
  staffId: null,
  ...more,
});

describe('A batch of checks', () => {
  it('has the values of all rows, in the order of the columns', () => {
    const batch = new CheckBatch();
    batch.add(check(1));
    batch.add(check(2, { staffId: '0198f7a0-2222-7000-8000-000000000002' }));
    const values = JSON.parse(batch.json) as unknown[];
    expect(values).toHaveLength(2 * checkColumns.length);
    expect(values.slice(checkColumns.length)).toEqual([
      ...['C000000002', check(2).clientId, 'EC2A 2BS', 'EC', 'standard'],
      ...[3, 2, 1_795_285_052_939, '0198f7a0-2222-7000-8000-000000000002'],
    ]);
  });

  it('finds each of thousands, and none that it does not have', () => {
    const batch = new CheckBatch();
    for (let n = 0; n < 2_000; n += 1) batch.add(check(n));
    expect(batch.count).toBe(2_000);
    for (const n of [0, 1, 999, 1_999]) expect(batch.find(check(n).id)).toEqual(check(n));
    expect(batch.find(check(2_000).id)).toBeUndefined();
    expect(JSON.parse(batch.json)).toHaveLength(2_000 * checkColumns.length);
  });

  it('keeps whatever a name holds', () => {
    const batch = new CheckBatch();
    const odd = check(1, { priceList: 'a","b,\n£' });
    batch.add(odd);
    batch.add(check(2));
    expect(batch.find(odd.id)).toEqual(odd);
    expect(batch.find(check(2).id)).toEqual(check(2));
  });

  it('is empty at first', () => {
    const batch = new CheckBatch();
    expect([batch.json, batch.count, batch.find('C000000001')]).toEqual(['[]', 0, undefined]);
  });
});
