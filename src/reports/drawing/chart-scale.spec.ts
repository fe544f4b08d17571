import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  along,
  classNames,
  classOf,
  compact,
  countAxis,
  countClasses,
  everyNth,
  minuteAxis,
  minutes,
  percent,
  shareAxis,
  textWidth,
} from './chart-scale.js';

describe('an axis of counts', () => {
  it.each([
    [[], [0, 1]],
    [
      [0, 0],
      [0, 1],
    ],
    [[1], [0, 1]],
    [[3], [0, 1, 2, 3]],
    [[4], [0, 1, 2, 3, 4]],
    [[5], [0, 2, 4, 6]],
    [
      [12, 7],
      [0, 5, 10, 15],
    ],
    [[99], [0, 50, 100]],
    [[1_234_567], [0, 500_000, 1_000_000, 1_500_000]],
    [
      [Number.NaN, Infinity, -4],
      [0, 1],
    ],
  ])('of %j has marks at %j', (values, ticks) => {
    expect(countAxis(values).ticks).toEqual(ticks);
  });

  it('reaches every value in a few whole steps', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2_000_000_000)),
        fc.integer({ min: 2, max: 8 }),
        (values, most) => {
          const { ticks, top } = countAxis(values, most);
          expect(top).toBeGreaterThanOrEqual(Math.max(1, ...values));
          expect(ticks.at(-1)).toBe(top);
          expect(ticks.length - 1).toBeLessThanOrEqual(most);
          expect(ticks.every(Number.isInteger)).toBe(true);
        },
      ),
    );
  });
});

test.each([
  [[], [0, 1]],
  [[20], [0, 5, 10, 15, 20]],
  [[61], [0, 30, 60, 90]],
  [[500], [0, 240, 480, 720]],
  [[20_000], [0, 5_760, 11_520, 17_280, 23_040]],
])('an axis of minutes for %j has marks at %j', (values, ticks) => {
  expect(minuteAxis(values).ticks).toEqual(ticks);
});

test.each([
  [0, 0],
  [0.5, 50],
  [1, 100],
  [7, 100],
  [-1, 0],
  [Number.NaN, 0],
])('%d is at %d on an axis of 100', (value, at) => {
  expect(along(shareAxis, value, 100)).toBe(at);
});

describe('labels', () => {
  it.each([
    [7, 60, 40, 1],
    [28, 16, 40, 5],
    [24, 10, 15, 5],
    [1, 10, 400, 1],
    [400, 1, 40, 50],
    [1000, 0.5, 60, 150],
  ])('%d of them, %d apart and %d wide, are every %d-th', (count, step, widest, nth) => {
    expect(everyNth(count, step, widest)).toBe(nth);
  });

  it('never touch', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.double({ min: 0.5, max: 100, noNaN: true }),
        fc.integer({ min: 1, max: 200 }),
        (count, step, widest) => {
          const nth = everyNth(count, step, widest);
          expect(nth >= count || nth * step > widest).toBe(true);
        },
      ),
    );
  });
});

describe('classes of counts', () => {
  it.each([
    [[], []],
    [[0, 0], []],
    [[1], [1]],
    [
      [3, 1],
      [1, 2, 3],
    ],
    [[9], [1, 2, 3, 4, 5]],
    [[1000], [1, 2, 10, 50, 200]],
    [[1_000_000], [1, 10, 200, 2_000, 50_000]],
  ])('of %j begin at %j', (values, bounds) => {
    expect(countClasses(values)).toEqual(bounds);
  });

  it('put the largest value into the last class and 0 into class 0, and grow with the value', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5_000_000), { minLength: 2 }), (values) => {
        const bounds = countClasses(values);
        const sorted = [...values].sort((a, b) => a - b);
        const classes = sorted.map((value) => classOf(value, bounds));
        expect(classes).toEqual([...classes].sort((a, b) => a - b));
        expect(classOf(0, bounds)).toBe(0);
        expect(classes.at(-1)).toBe(bounds.length);
      }),
    );
  });

  it('are named by their ranges', () => {
    expect(classNames([1, 2, 10, 50, 200], 1000)).toEqual([
      '0',
      '1',
      '2–9',
      '10–49',
      '50–199',
      '200–1,000',
    ]);
    expect(classNames([], 0)).toEqual(['0']);
  });
});

test.each([
  [0, '0%'],
  [0.001, '<1%'],
  [0.456, '46%'],
  [0.999, '>99%'],
  [1, '100%'],
])('%d is %s', (share, text) => {
  expect(percent(share)).toBe(text);
});

test.each([
  [9_999, '9,999'],
  [12_345, '12.3k'],
  [1_500_000, '1.5m'],
])('%d is %s in compact form', (value, text) => {
  expect(compact(value)).toBe(text);
});

test.each([
  [0, '0 min'],
  [45, '45 min'],
  [120, '2 h'],
  [125, '2 h 5 min'],
])('%d minutes are %s', (value, text) => {
  expect(minutes(value)).toBe(text);
});

// Measured in Chromium, in Inter with figures of one width.
test.each([
  ['INT-1G-FULL-36', 106],
  ['ETH-100M-12', 89],
  ['Quillfeather Networks', 124],
  ['14, £2,837, 5 won', 106],
])('%s has room for %d units', (text, measured) => {
  expect(textWidth(text)).toBeGreaterThanOrEqual(measured - 2);
  expect(textWidth(text)).toBeLessThan(measured * 1.2);
});
