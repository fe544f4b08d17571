import { describe, expect, it } from '@jest/globals';
import { spansOf } from './coverage-rows.js';

const days = ['', '2027-01-01', '2027-02-01', '2027-03-01'];
const [cheap, dear] = [{ price: 90 }, { price: 100 }];

describe('the spans of values that hold from a day on', () => {
  it('end the day before the next begins', () => {
    expect([...spansOf(days, [dear, cheap, dear, null])]).toEqual([
      [{ validFrom: null, validUntil: '2026-12-31' }, dear],
      [{ validFrom: '2027-01-01', validUntil: '2027-01-31' }, cheap],
      [{ validFrom: '2027-02-01', validUntil: '2027-02-28' }, dear],
      [{ validFrom: '2027-03-01', validUntil: null }, null],
    ]);
  });

  it('are one where neighbours are equal', () => {
    expect([...spansOf(days, [dear, cheap, { ...cheap }, cheap])]).toEqual([
      [{ validFrom: null, validUntil: '2026-12-31' }, dear],
      [{ validFrom: '2027-01-01', validUntil: null }, cheap],
    ]);
    expect([...spansOf(days, [dear, dear, dear, dear])]).toEqual([
      [{ validFrom: null, validUntil: null }, dear],
    ]);
  });
});
