import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { indexParts, NetworkIndex, PointColumns } from './network-index.js';
import type { Position } from './positions.js';

/** Numbers that repeat, so that a failure does. */
function generator(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Point extends Position {
  readonly zoneNumber: number;
}

function indexOf(points: readonly Point[]): NetworkIndex {
  const columns = new PointColumns();
  for (const [row, point] of points.entries()) columns.add(point, point.zoneNumber, row);
  return new NetworkIndex(indexParts(columns));
}

/** Compares every point. The answer as `[squared distance, zone]`. */
function bruteForce(
  points: readonly Point[],
  from: Position,
  reach: number,
  counts: (zone: number) => boolean,
) {
  let best: [number, number] | null = null;
  for (const { easting, northing, zoneNumber } of points) {
    const square = (easting - from.easting) ** 2 + (northing - from.northing) ** 2;
    if (square > reach * reach || !counts(zoneNumber)) continue;
    if (!best || square < best[0] || (square === best[0] && zoneNumber < best[1])) {
      best = [square, zoneNumber];
    }
  }
  return best;
}

const found = (index: NetworkIndex, ...of: Parameters<NetworkIndex['nearest']>) => {
  const point = index.nearest(...of);
  return point && [Math.round(point.metres ** 2), point.zoneNumber];
};

/** Real positions, `postcode,easting,northing` gzipped, for a check at national scale. */
const FILE = process.env['POSTCODE_POSITIONS'];

describe('the nearest point', () => {
  it('is that of a comparison with every point, at 100,000 places', () => {
    const below = generator(20_261_124);
    const places = FILE ? readPlaces(FILE, below) : randomPlaces(below);
    const points = Array.from({ length: 400 }, () => ({
      ...places[below(places.length)]!,
      zoneNumber: 2 + below(5),
    }));
    const index = indexOf(points);
    const isOpen = (zone: number) => zone !== 4;
    for (const place of places) {
      const reach = [100, 499, 500, 3_846, 60_000][below(5)]!;
      const answer = found(index, place, reach, isOpen);
      if (String(answer) === String(bruteForce(points, place, reach, isOpen))) continue;
      expect([place, answer]).toEqual([place, bruteForce(points, place, reach, isOpen)]);
    }
  });

  it('is found among points at the same place, on borders of cells and outside the extent', () => {
    const points = [
      { easting: 1_000, northing: 1_000, zoneNumber: 3 },
      { easting: 1_000, northing: 1_000, zoneNumber: 2 },
      { easting: 1_500, northing: 1_000, zoneNumber: 5 },
    ];
    const index = indexOf(points);
    const all = () => true;
    for (const [easting, northing] of [
      [1_000, 1_000],
      [1_250, 1_000],
      [1_499, 999],
      [1, 1],
      [699_999, 1_299_999],
    ]) {
      const from = { easting: easting!, northing: northing! };
      for (const reach of [0, 250, 1_500, 2_000_000]) {
        expect(found(index, from, reach, all)).toEqual(bruteForce(points, from, reach, all));
      }
    }
  });

  it('is none where there is no point, or no zone counts', () => {
    const from = { easting: 5, northing: 5 };
    expect(indexOf([]).nearest(from, 5_000, () => true)).toBeNull();
    expect(indexOf([{ ...from, zoneNumber: 2 }]).nearest(from, 5_000, () => false)).toBeNull();
    expect(indexOf([]).within(from, 5_000, 5)).toEqual([]);
  });
});

it('lists the points around a place, nearest first', () => {
  const below = generator(7);
  const points = randomPlaces(below)
    .slice(0, 2_000)
    .map((at) => ({ ...at, zoneNumber: 2 }));
  const index = indexOf(points);
  for (const from of points.slice(0, 50)) {
    const listed = index.within(from, 2_000, 4).map(({ metres }) => Math.round(metres ** 2));
    const squares = points.map(
      (to) => (to.easting - from.easting) ** 2 + (to.northing - from.northing) ** 2,
    );
    const expected = squares.filter((square) => square <= 4e6).sort((a, b) => a - b);
    expect(listed).toEqual(expected.slice(0, 4));
  }
});

/** In an extent of 60 km, so that some places are near and others far. */
function randomPlaces(below: (bound: number) => number): Position[] {
  return Array.from({ length: 100_000 }, () => ({
    easting: 500_000 + below(60_000),
    northing: 150_000 + below(60_000),
  }));
}

function readPlaces(file: string, below: (bound: number) => number): Position[] {
  const lines = gunzipSync(readFileSync(file)).toString().split('\n');
  const places: Position[] = [];
  while (places.length < 100_000) {
    const [, easting = '', northing = ''] = lines[below(lines.length)]!.split(',');
    if (/^\d+$/.test(easting))
      places.push({ easting: Number(easting), northing: Number(northing) });
  }
  return places;
}
