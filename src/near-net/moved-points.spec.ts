import { describe, expect, it } from '@jest/globals';
import { indexParts, PointColumns } from './network-index.js';
import { movedPoint, type PointOffset } from './moved-points.js';
import { BuildNetwork, unpackNearness } from './network.js';
import { type Position, PositionsBuilder } from './positions.js';

const FACTOR = 1.3;
const BANDS = [100, 500, 2_000];
/** Metres of route, so that no two points are nearest to the same places. */
const REACH = 2_000;
const offset: PointOffset = { metres: 150, secret: 'a secret of the database' };

/** Numbers from 0 to 1, the same in each run. */
function seeded(seed: number) {
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
}

const random = seeded(7);
const between = (from: number, to: number) => Math.round(from + random() * (to - from));
/** Chambers some 4 km apart. */
const points: Position[] = Array.from({ length: 16 }, (_, i) => ({
  easting: 500_000 + (i % 4) * 4_000 + between(0, 800),
  northing: 200_000 + Math.floor(i / 4) * 4_000 + between(0, 800),
}));
/** Postcodes around each, at some 60 to a square kilometre. */
const postcodes: Position[] = points.flatMap(({ easting, northing }) =>
  Array.from({ length: 540 }, () => ({
    easting: easting + between(-1_500, 1_500),
    northing: northing + between(-1_500, 1_500),
  })),
);

function networkWith(moved: PointOffset | null) {
  const [columns, priced] = [new PointColumns(), new PointColumns()];
  for (const [i, point] of points.entries()) {
    columns.add(point, 2, i);
    priced.add(moved ? movedPoint(point, moved) : point, 2, i);
  }
  return new BuildNetwork({
    index: indexParts(columns),
    moved: { index: indexParts(priced), metres: moved?.metres ?? 0 },
    positions: new PositionsBuilder().build(),
    factor: FACTOR,
    reach: REACH,
  });
}

/** What a client learns of a place: its distance, or the end of the band that its set-up price shows. */
type Seen = (metres: number) => number;
const kindsOfSeen: Record<'distances' | 'bands', Seen> = {
  distances: (metres) => metres,
  bands: (metres) => BANDS.find((to) => metres <= to) ?? Infinity,
};

interface Observed extends Position {
  readonly seen: number;
}

/** Looks for the place around which all that was seen nearby is true. */
function locate(near: readonly Observed[], start: Position, seen: Seen): Position {
  const wrong = ({ easting, northing }: Position) => {
    let sum = 0;
    for (const one of near) {
      const straight = Math.hypot(one.easting - easting, one.northing - northing);
      const expected = seen(Math.ceil((straight * FACTOR) / 50) * 50);
      if (expected !== one.seen) sum += Math.min(Math.abs(expected - one.seen), 10_000);
    }
    return sum;
  };
  let [best, least] = [start, wrong(start)];
  for (const step of [120, 40, 12, 4, 1]) {
    const from = best;
    for (let x = -6; x <= 6; x++) {
      for (let y = -6; y <= 6; y++) {
        const tried = { easting: from.easting + x * step, northing: from.northing + y * step };
        const sum = wrong(tried);
        if (sum < least) [best, least] = [tried, sum];
      }
    }
  }
  return best;
}

/** How far from each point the attack ends, in metres, ascending. */
function attack(network: BuildNetwork, seen: Seen): number[] {
  const observed = postcodes.flatMap((place): Observed[] => {
    const near = network.nearness(place, () => true)!;
    const { distanceMetres } = unpackNearness(near);
    return near > 0xffff ? [{ ...place, seen: seen(distanceMetres) }] : [];
  });
  return points
    .map((point) => {
      const around = observed.filter(
        (one) => Math.hypot(one.easting - point.easting, one.northing - point.northing) < 1_400,
      );
      const least = around.reduce((a, b) => (b.seen < a.seen ? b : a));
      const found = locate(around, least, seen);
      return Math.hypot(found.easting - point.easting, found.northing - point.northing);
    })
    .sort((a, b) => a - b);
}

describe('the points of the network', () => {
  it.each(['distances', 'bands'] as const)(
    'can be computed from %s, if they are not moved',
    (kind) => {
      const errors = attack(networkWith(null), kindsOfSeen[kind]);
      expect(errors[8]).toBeLessThan(25);
    },
  );

  it.each(['distances', 'bands'] as const)('are not found within 100 m from %s', (kind) => {
    const [nearest] = attack(networkWith(offset), kindsOfSeen[kind]);
    expect(nearest).toBeGreaterThan(100);
  });

  it('are drawn for staff where they are', () => {
    const network = networkWith(offset);
    expect(network.index.within(points[0]!, 50, 1)).toMatchObject([{ ...points[0], metres: 0 }]);
  });

  it('are moved by 1 to 1.5 times the offset, to the same place each time and after a small correction', () => {
    for (const point of points) {
      const moved = movedPoint(point, offset);
      const far = Math.hypot(moved.easting - point.easting, moved.northing - point.northing);
      expect(far).toBeGreaterThan(149);
      expect(far).toBeLessThan(226);
      expect(movedPoint(point, offset)).toEqual(moved);
    }
    const [x, y] = [512_040, 181_020];
    const [before, after] = [x, x + 9].map((easting) =>
      movedPoint({ easting, northing: y }, offset),
    );
    expect(after!.easting - before!.easting).toBe(9);
    const other = movedPoint({ easting: x, northing: y }, { ...offset, secret: 'another' });
    expect(other).not.toEqual(before);
  });

  it('stay on the grid', () => {
    const corner = movedPoint({ easting: 1, northing: 1 }, { ...offset, metres: 1_000 });
    expect(Math.min(corner.easting, corner.northing)).toBeGreaterThan(0);
  });
});
