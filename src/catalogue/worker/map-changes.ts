import { printPlace } from '../../platform/kernel/postcode.js';
import {
  dotsPath,
  frameAround,
  type GridPoint,
  isInFrame,
  type MapFrame,
  project,
  ringPath,
} from '../../near-net/map-frame.js';
import type { Positions } from '../../near-net/positions.js';
import { csvChunks } from '../../platform/tables/csv.js';
import type { CatalogueContent } from '../content/catalogue.js';
import { type CatalogueDiff, type PlaceChange, postcodeChanges } from '../content/diff.js';
import { polygonFields, type PolygonRow } from '../content/zone-fields.js';
import { changedRows } from '../content/offers.js';
import {
  areaOf,
  type OutlinePart,
  ringsOf,
  UNITS,
  unpackNumbers,
  unpackOutline,
} from '../polygons/outline.js';

/** A polygon that changes. Areas are in square kilometres. */
export interface PolygonChange {
  readonly label: string;
  /** Of the version that has it, the new one first. */
  readonly zone: string;
  readonly area: number;
  readonly areaGained: number;
  readonly areaLost: number;
  readonly postcodes: number;
  readonly postcodesGained: number;
  readonly postcodesLost: number;
  /** Postcodes near its outline, in the new version. */
  readonly border: number;
}

/** What a version changes on the map, drawn north up. */
export interface MapChanges {
  /** Width and height. */
  readonly size: number;
  /** Paths of SVG: the outlines around the changes. Null if there are too many to draw. */
  readonly before: string | null;
  readonly after: string | null;
  /** The same of dots: postcodes that are gained and lost, of which many share a dot. */
  readonly gained: string;
  readonly lost: string;
  /** Those with the most changed postcodes, most first, at most `MOST_POLYGONS`. */
  readonly polygons: readonly PolygonChange[];
  /** How many change. */
  readonly polygonCount: number;
  /** Packed postcodes at borders of the new version, ascending, and the label of the polygon of each. */
  readonly borders: { readonly keys: Float64Array; readonly labels: readonly string[] };
}

/** The sides of the drawing. */
const SIDE = 900;
/** The least width on the ground, in units of 100 m, and the width divided by that of the changes. */
const LEAST = 5;
const MARGIN = 1.1;
/** Of one path, so that a page stays small: a national map has outlines of a few pixels. */
const LONGEST_PATH = 400_000;
/** From this many postcodes, dots are on a coarse grid, of which the drawing has 22,500 places. */
const MANY_DOTS = 20_000;
const COARSE = 6;
/** Polygons whose areas are measured and shown. The list of changes has all. */
const MOST_POLYGONS = 50;

/** Null if no polygon changes. */
export function mapChanges(
  before: CatalogueContent,
  after: CatalogueContent,
  diff: CatalogueDiff,
  positions: Positions | null,
): MapChanges | null {
  const changes = [...changedRows(polygonFields, before.polygons, after.polygons)];
  if (changes.length === 0) return null;
  const [was, is] = [before, after].map(({ polygons }) =>
    polygons.map((row) => unpackOutline(row.outline)),
  ) as [OutlinePart[][], OutlinePart[][]];
  const partsOf = new Map<PolygonRow, OutlinePart[]>([
    ...before.polygons.map((row, i) => [row, was[i]!] as const),
    ...after.polygons.map((row, i) => [row, is[i]!] as const),
  ]);
  const changed = changes.flatMap((rows) => rows.flatMap((row) => (row ? partsOf.get(row)! : [])));
  const corners = changed.flatMap(({ box: [minX, minY, maxX, maxY] }) => [
    gridPoint(minX, minY),
    gridPoint(maxX, maxY),
  ]);
  const frame = frameAround(corners, SIDE, LEAST, MARGIN);
  const { keys, from, to } = diff.postcodes.changes;
  const dots = (isShown: (i: number) => boolean) => {
    const shown = positions ? keys.filter((_, i) => isShown(i)) : new Uint32Array();
    return dotsPath(pixelsOf(frame, shown, positions!), shown.length > MANY_DOTS ? COARSE : 1);
  };
  const borders = after.polygons.flatMap(({ label, border }) =>
    Array.from(unpackNumbers(border), (key) => ({ key, label })),
  );
  borders.sort((a, b) => a.key - b.key);
  const counted = changes.map(([old, now]) => ({ old, now, counts: countsOf(old, now) }));
  const most = counted.sort((a, b) => moved(b.counts) - moved(a.counts)).slice(0, MOST_POLYGONS);
  const partsIn = (row: PolygonRow | null) => (row ? partsOf.get(row)! : []);
  return {
    size: SIDE,
    before: outlinesPath(frame, was.flat()),
    after: outlinesPath(frame, is.flat()),
    gained: dots((i) => from[i] === 0),
    lost: dots((i) => to[i] === 0),
    polygons: most.map(({ old, now, counts }) => ({
      label: (now ?? old)!.label,
      zone: (now ?? old)!.zone,
      ...counts,
      ...areasOf(partsIn(old), partsIn(now), old?.outline === now?.outline),
    })),
    polygonCount: changes.length,
    borders: {
      keys: Float64Array.from(borders, ({ key }) => key),
      labels: borders.map(({ label }) => label),
    },
  };
}

function moved({ postcodesGained, postcodesLost }: ReturnType<typeof countsOf>): number {
  return postcodesGained + postcodesLost;
}

function countsOf(before: PolygonRow | null, after: PolygonRow | null) {
  const [old, now] = [before, after].map((row) => new Set(unpackNumbers(row?.units ?? '')));
  return {
    postcodes: now!.size,
    postcodesGained: countWithout(now!, old!),
    postcodesLost: countWithout(old!, now!),
    border: unpackNumbers(after?.border ?? '').length,
  };
}

function areasOf(old: readonly OutlinePart[], now: readonly OutlinePart[], isSame: boolean) {
  return {
    area: areaOf(now),
    areaGained: isSame ? 0 : areaWithout(now, old),
    areaLost: isSame ? 0 : areaWithout(old, now),
  };
}

function countWithout(one: ReadonlySet<number>, other: ReadonlySet<number>): number {
  return [...one].filter((key) => !other.has(key)).length;
}

/** Lines across an outline that measure it. */
const LINES = 1_000;

/** The area of one outline without that of another, in square kilometres, measured along `LINES` lines from west to east. */
export function areaWithout(one: readonly OutlinePart[], other: readonly OutlinePart[]): number {
  if (other.length === 0) return areaOf(one);
  const bottom = Math.min(...one.map(({ box }) => box[1]));
  const top = Math.max(...one.map(({ box }) => box[3]));
  const step = (top - bottom) / LINES;
  const [crossed, crossedToo] = [one, other].map((parts) => crossings(parts, bottom, step));
  let length = 0;
  for (let line = 0; line < LINES; line++) {
    const ends = [
      ...crossed![line]!.map((x) => ({ x, isOther: false })),
      ...crossedToo![line]!.map((x) => ({ x, isOther: true })),
    ].sort((a, b) => a.x - b.x);
    let [isIn, isInOther, from] = [false, false, 0];
    for (const { x, isOther } of ends) {
      if (isIn && !isInOther) length += x - from;
      if (isOther) isInOther = !isInOther;
      else isIn = !isIn;
      from = x;
    }
  }
  return (length * step) / (UNITS * 1_000) ** 2;
}

/** Where lines cross edges, by line. */
function crossings(parts: readonly OutlinePart[], bottom: number, step: number): number[][] {
  const found = Array.from({ length: LINES }, (): number[] => []);
  for (const { edges } of parts) {
    for (let i = 0; i < edges.length; i += 4) {
      const [ax, ay, bx, by] = [edges[i]!, edges[i + 1]!, edges[i + 2]!, edges[i + 3]!];
      // The middle of a line is half a step above its start.
      const lineAt = (y: number) => Math.ceil((y - bottom) / step - 0.5);
      const last = Math.min(lineAt(Math.max(ay, by)), LINES);
      for (let line = Math.max(lineAt(Math.min(ay, by)), 0); line < last; line++) {
        const y = bottom + (line + 0.5) * step;
        found[line]!.push(ax + ((y - ay) * (bx - ax)) / (by - ay));
      }
    }
  }
  return found;
}

/** From units of outlines to those of frames. */
const gridPoint = (x: number, y: number): GridPoint => ({
  x: x / (100 * UNITS),
  y: y / (100 * UNITS),
});

/** The rings that are in the frame; null if they are too many. */
function outlinesPath(frame: MapFrame, parts: readonly OutlinePart[]): string | null {
  let path = '';
  for (const part of parts) {
    const [minX, minY, maxX, maxY] = part.box;
    const corner = project(frame, gridPoint(minX, maxY));
    const opposite = project(frame, gridPoint(maxX, minY));
    if (corner.x > SIDE || corner.y > SIDE || opposite.x < 0 || opposite.y < 0) continue;
    for (const ring of ringsOf(part)) {
      path += ringPath(
        frame,
        ring.map(([x, y]) => gridPoint(x, y)),
        1,
      );
    }
    if (path.length > LONGEST_PATH) return null;
  }
  return path;
}

/** Where postcodes are in the frame. */
function* pixelsOf(frame: MapFrame, keys: Uint32Array, positions: Positions): Generator<GridPoint> {
  for (const key of keys) {
    const position = positions.of(key);
    if (!position) continue;
    const point = { x: position.easting / 100, y: position.northing / 100 };
    if (isInFrame(frame, point)) yield project(frame, point);
  }
}

/** Every postcode that changes or is at a border of the new version, as CSV. */
export function printMapCsv(diff: CatalogueDiff, { borders }: MapChanges): Iterable<string> {
  return csvChunks(mapRecords(diff, borders));
}

function* mapRecords(
  diff: CatalogueDiff,
  { keys, labels }: MapChanges['borders'],
): Generator<readonly string[]> {
  yield ['postcode', 'change', 'before', 'after', 'border_of'];
  const record = (place: string, change: PlaceChange | null, label: string) => [
    place,
    change?.change ?? '',
    change?.from ?? '',
    change?.to ?? '',
    label,
  ];
  const { changes } = diff.postcodes;
  let at = 0;
  let row = 0;
  for (const change of postcodeChanges(changes)) {
    const key = changes.keys[row++]!;
    for (; at < keys.length && keys[at]! < key; at++) {
      yield record(printPlace('unit', keys[at]!), null, labels[at]!);
    }
    yield record(change.place, change, keys[at] === key ? labels[at++]! : '');
  }
  for (; at < keys.length; at++) yield record(printPlace('unit', keys[at]!), null, labels[at]!);
}
