import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  dotsPath,
  frameAround,
  isInFrame,
  project,
  radiusOf,
  ringPath,
  scaleBar,
  spread,
} from './map-frame.js';

const frame = { west: 100, north: 200, scale: 2, width: 100, height: 100, left: 10, top: 20 };

test.each([
  [{ x: 100, y: 200 }, { x: 10, y: 20 }, true],
  [{ x: 150, y: 150 }, { x: 110, y: 120 }, true],
  [{ x: 99, y: 200 }, { x: 8, y: 20 }, false],
  [{ x: 120, y: 149 }, { x: 50, y: 122 }, false],
])('%j is at %j of the drawing; in the frame: %s', (point, at, inside) => {
  expect([project(frame, point), isInFrame(frame, point)]).toEqual([at, inside]);
});

describe('a frame around points', () => {
  const point = fc.record({ x: fc.nat(7_000), y: fc.nat(12_000) });

  it('shows all of them, and at least a given width of ground', () => {
    fc.assert(
      fc.property(
        fc.array(point, { minLength: 1 }),
        fc.integer({ min: 10, max: 90 }),
        (points, least) => {
          const around = frameAround(points, 520, least, 1.2);
          expect(points.every((one) => isInFrame(around, one))).toBe(true);
          expect(520 / around.scale).toBeGreaterThanOrEqual(least - 1e-9);
        },
      ),
    );
  });
});

test.each([
  [0, 100, 20, 3],
  [100, 100, 20, 20],
  [25, 100, 20, 10],
  [1, 10_000, 20, 5],
])(
  '%d of at most %d, where the largest circle has %d, has the radius %d',
  (value, highest, largest, r) => {
    expect(radiusOf(value, highest, largest)).toBe(r);
  },
);

describe('circles that cover each other', () => {
  const size = { width: 500, height: 500 };

  it('move apart, the smaller one further', () => {
    const [large, small] = spread(
      [
        { x: 250, y: 250, r: 30 },
        { x: 260, y: 250, r: 10 },
      ],
      size,
    );
    expect(small!.x - large!.x).toBeGreaterThan(36);
    expect(small!.x - 260).toBeGreaterThan(250 - large!.x);
  });

  it('stay in the drawing, also where many have one centre, and stay where they are if alone', () => {
    const many = Array.from({ length: 30 }, () => ({ x: 2, y: 499, r: 8 }));
    for (const { x, y } of spread(many, size)) {
      expect([x >= 9, x <= 491, y >= 9, y <= 491]).toEqual([true, true, true, true]);
    }
    expect(spread([{ x: 40, y: 60, r: 8 }], size)).toEqual([{ x: 40, y: 60, r: 8 }]);
  });
});

describe('the path of a ring', () => {
  const square = (from: number, to: number) => [
    { x: from, y: from },
    { x: to, y: from },
    { x: to, y: to },
    { x: from, y: to },
  ];
  const own = { west: 0, north: 100, scale: 1, width: 100, height: 100, left: 0, top: 0 };

  it('has relative steps, and leaves out points that are close together', () => {
    const ring = [
      { x: 10, y: 90 },
      { x: 11, y: 90 },
      { x: 50, y: 90 },
      { x: 50, y: 50 },
    ];
    expect(ringPath(own, ring, 2)).toBe('M10 10l40 0l0 40z');
  });

  it.each([
    ['around the frame is cut at its edges', square(-500, 500), /^M(-?\d+ ?)+(l-?\d+[ -]\d+)+z$/],
    ['outside the frame is empty', square(300, 500), /^$/],
  ])('%s', (_name, ring, path) => {
    expect(ringPath(own, ring, 1)).toMatch(path);
    expect(ringPath(own, ring, 1)).not.toMatch(/500|NaN/);
  });
});

test('dots are put on a grid, and drawn once each', () => {
  const points = [
    { x: 1, y: 1 },
    { x: 13, y: 4 },
    { x: 2, y: 2 },
    { x: 7, y: 10 },
  ];
  expect(dotsPath(points, 5)).toBe('M0 0h0m15 5h0m-10 5h0');
  expect(dotsPath([], 5)).toBe('');
});

test.each([
  [500 / 7_200, 110, 100, 69],
  [4, 140, 2, 80],
  [40, 10, 0.5, 200],
])('at %d units for 100 m, a bar of up to %d is %d km', (scale, most, km, length) => {
  expect(scaleBar({ ...frame, scale }, most)).toEqual({ km, length });
});
