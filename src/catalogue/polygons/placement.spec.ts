import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { packOutline, toGrid, UNITS } from './outline.js';
import { decidingPolygon, PolygonIndex, type PolygonRank } from './placement.js';

type Point = readonly [x: number, y: number];

/** The coordinates of polygons with one ring each. */
function coordinates(...rings: readonly (readonly Point[])[]) {
  const ends = rings.map((_, i) => rings.slice(0, i + 1).flat().length);
  return {
    values: Float64Array.from(rings.flat(2)),
    ringEnds: ends,
    polygonEnds: rings.map((_, i) => i + 1),
  };
}

function outlineOf(...rings: readonly (readonly Point[])[]): string {
  const outline = packOutline(coordinates(...rings), 'grid');
  if (typeof outline !== 'string') throw new Error(outline.reason);
  return outline;
}

const square = (x: number, y: number, side: number): Point[] => [
  [x, y],
  [x + side, y],
  [x + side, y + side],
  [x, y + side],
  [x, y],
];

describe('decidingPolygon', () => {
  const ranks = (...of: [zone: string, priority: number][]): PolygonRank[] =>
    of.map(([zone, priority]) => ({ zone, priority }));

  it.each([
    ['no polygon', ranks(), null],
    ['one polygon', ranks(['A', 0]), 0],
    ['the higher priority, first', ranks(['A', 2], ['B', 1]), 0],
    ['the higher priority, last', ranks(['A', 1], ['B', 2]), 1],
    ['a priority below that of a polygon without one', ranks(['A', 0], ['B', -1]), 0],
    ['two polygons of one zone', ranks(['A', 1], ['A', 1]), 0],
    ['an exclusion with a higher priority', ranks(['A', 0], ['-', 1]), 1],
    ['two zones of one priority', ranks(['A', 1], ['B', 1]), [0, 1]],
    ['a zone and an exclusion of one priority', ranks(['A', 0], ['-', 0]), [0, 1]],
    ['two zones below a third', ranks(['A', 1], ['B', 1], ['C', 2]), 2],
    ['two zones below the first', ranks(['C', 2], ['A', 1], ['B', 1]), 0],
    ['two zones above a third', ranks(['C', 1], ['A', 2], ['B', 2]), [1, 2]],
    ['three polygons, two of one zone', ranks(['A', 1], ['A', 1], ['B', 1]), [0, 2]],
  ])('decides for %s', (_, of, expected) => {
    const around = of.map((_rank, i) => i);
    expect(decidingPolygon(around, of)).toEqual(expected);
  });
});

/** What `place` calls back, by place. */
function placed(polygons: ConstructorParameters<typeof PolygonIndex>[0], points: readonly Point[]) {
  const found = points.map((): (readonly [unknown, unknown])[] => []);
  new PolygonIndex(polygons).place(
    {
      keys: Uint32Array.from(points, () => 0),
      eastings: Uint32Array.from(points, ([x]) => x),
      northings: Uint32Array.from(points, ([, y]) => y),
    },
    (place, decides, near) => found[place]!.push([decides, near]),
  );
  return found.map(([one = [null, null]]) => one);
}

describe('PolygonIndex', () => {
  const zone = 'A';

  it('puts a point on an edge that two polygons share into exactly one', () => {
    const west = { zone, priority: 0, outline: outlineOf(square(1_000, 1_000, 100)) };
    const east = { zone: 'B', priority: 0, outline: outlineOf(square(1_100, 1_000, 100)) };
    const [shared] = placed([west, east], [[1_100, 1_050]]);
    expect(shared![0]).toBe(1);
  });

  it('leaves out holes', () => {
    const values = [square(1_000, 1_000, 400), square(1_100, 1_100, 200)];
    const hole = { ...coordinates(...values), polygonEnds: [2] };
    const outline = packOutline(hole, 'grid') as string;
    const found = placed(
      [{ zone, priority: 0, outline }],
      [
        [1_050, 1_050],
        [1_200, 1_200],
      ],
    );
    expect(found.map(([decides]) => decides)).toEqual([0, null]);
  });

  it('counts a place within 25 m of an outline, but not where polygons of one zone meet', () => {
    const rows = ['A', 'A'].map((of, i) => ({
      zone: of,
      priority: 0,
      outline: outlineOf(square(1_000 + i * 100, 1_000, 100)),
    }));
    const found = placed(rows, [
      [1_050, 1_050],
      [1_100, 1_050],
      [1_020, 1_050],
      [980, 1_050],
      [974, 1_050],
    ]);
    expect(found.map(([, near]) => near !== null)).toEqual([false, false, true, true, false]);
  });

  it('places random points as comparing each with each edge does', () => {
    const coordinate = fc.integer({ min: 1_000, max: 1_200 });
    // Around a centre by angle, so that it does not cross itself.
    const star = fc
      .record({
        centre: fc.tuple(coordinate, coordinate),
        radii: fc.array(fc.integer({ min: 5, max: 90 }), { minLength: 3, maxLength: 30 }),
      })
      .map(({ centre: [x, y], radii }): Point[] => {
        const ring = radii.map((radius, i): Point => {
          const angle = (2 * Math.PI * i) / radii.length;
          return [
            Math.round((x + radius * Math.cos(angle)) * UNITS) / UNITS,
            Math.round((y + radius * Math.sin(angle)) * UNITS) / UNITS,
          ];
        });
        return [...ring, ring[0]!];
      });
    const point = fc.tuple(coordinate, coordinate);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(star, fc.integer({ min: 0, max: 2 })), { minLength: 1, maxLength: 6 }),
        fc.array(point, { minLength: 1, maxLength: 40 }),
        (stars, points) => {
          const rows = stars.map(([ring, priority], i) => ({
            zone: `Z${i}`,
            priority,
            outline: outlineOf(ring),
          }));
          const expected = points.map((of) => {
            const around = stars.flatMap(([ring], i) => (isIn(ring, of) ? i : []));
            return decidingPolygon(around, rows);
          });
          expect(placed(rows, points).map(([decides]) => decides)).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** In exact arithmetic: whether a line to the right of the point crosses an odd number of edges. */
function isIn(ring: readonly Point[], [x, y]: Point): boolean {
  const whole = (metres: number) => BigInt(Math.round(metres * UNITS));
  const [px, py] = [whole(x), whole(y)];
  let isInside = false;
  for (const [i, from] of ring.slice(0, -1).entries()) {
    const [ax, ay] = [whole(from[0]), whole(from[1])];
    const [bx, by] = [whole(ring[i + 1]![0]), whole(ring[i + 1]![1])];
    if (ay > py === by > py) continue;
    const side = (bx - ax) * (py - ay) - (px - ax) * (by - ay);
    if (by > ay ? side > 0n : side < 0n) isInside = !isInside;
  }
  return isInside;
}

/** Points of the test data that Ordnance Survey publishes for OSTN15: latitude, longitude, easting, northing. */
const OSTN15 = [
  [49.9222639373, -6.29977752014, 91_492.146, 11_318.804],
  [49.9600613782, -5.20304609998, 170_370.718, 11_572.405],
  [50.4388582561, -4.10864563561, 250_359.811, 62_016.569],
  [50.57563665, -1.2978227724, 449_816.371, 75_335.861],
  [50.9312793791, -1.450514337, 438_710.92, 114_792.25],
  [51.4007822014, -3.5512834924, 292_184.87, 168_003.465],
  [51.3744702555, 1.44454730409, 639_821.835, 169_565.858],
  [51.4893656495, -0.1199255718, 530_624.974, 178_388.464],
  [52.2552938163, -2.15458614387, 389_544.19, 261_912.153],
  [53.7791102576, -3.04045490691, 331_534.564, 431_920.794],
  [54.9791227366, -1.61657684555, 424_639.355, 565_012.703],
  [55.9247826551, -3.29479219337, 319_188.434, 670_947.534],
  [57.0060669605, -5.8283669185, 167_634.202, 797_067.144],
  [57.4862500072, -4.21926398555, 267_056.768, 846_176.972],
] as const;

describe('toGrid', () => {
  it('is at most 5 m from the National Grid of OSTN15', () => {
    const errors = OSTN15.map(([latitude, longitude, easting, northing]) => {
      const [x, y] = toGrid(longitude, latitude);
      return Math.hypot(x - easting, y - northing);
    });
    expect(Math.max(...errors)).toBeLessThan(5);
  });
});
