import Flatbush from 'flatbush';
import proj4 from 'proj4';
import { orient2d } from 'robust-predicates';
import { isOnGrid } from '../../near-net/positions.js';
import { whole } from '../../platform/kernel/counts.js';
import { VarintReader, VarintWriter } from '../../platform/kernel/stored-form.js';
import type { Coordinates, MapFault } from './geojson.js';

/** Units of outlines in a metre: whole centimetres on the National Grid. */
export const UNITS = 100;

/** The system of coordinates of a file: longitude and latitude in degrees, or metres on the National Grid. */
export type MapSystem = 'wgs84' | 'grid';

/**
 * EPSG:27700 with the seven parameters of Ordnance Survey. Without the grid OSTN15 it is up to 5 m from where receivers
 * say they are. `+approx` leaves out terms of less than 0.1 mm here, and takes two thirds of the time.
 */
const NATIONAL_GRID =
  '+proj=tmerc +lat_0=49 +lon_0=-2 +k=0.9996012717 +x_0=400000 +y_0=-100000 +ellps=airy +towgs84=446.448,-125.157,542.06,0.15,0.247,0.842,-20.489 +units=m +no_defs +approx';
const systems = [new proj4.Proj('WGS84'), new proj4.Proj(NATIONAL_GRID)] as const;

/** Eastings and northings in metres. */
export function toGrid(longitude: number, latitude: number): [easting: number, northing: number] {
  // With a height, proj4 deletes nothing from the point, which would make it slow.
  const { x, y } = proj4.transform(...systems, { x: longitude, y: latitude, z: 0 })!;
  return [x, y];
}

/** One outer ring with its holes. */
export interface OutlinePart {
  /**
   * x1, y1, x2, y2 of each edge, in `UNITS`. The edges of a ring follow one another. Outer rings go counter-clockwise,
   * holes clockwise.
   */
  readonly edges: Int32Array;
  /** The number of edges of each ring. */
  readonly rings: readonly number[];
  readonly box: Box;
}

export type Box = readonly [minX: number, minY: number, maxX: number, maxY: number];

/** Longer edges in degrees get vertices between: a straight line of degrees is a curve on the grid, by 2 m in 10 km. */
const LONGEST_EDGE = 0.1;
/** Vertices of one feature after that. */
const MOST_ADDED = 1_000_000;

/** The coordinates of a polygon or several in their stored form; or what is wrong with them. */
export function packOutline(
  { values, ringEnds, polygonEnds }: Coordinates,
  system: MapSystem,
): string | MapFault {
  const numbers = new VarintWriter();
  let at = 0;
  let ring = 0;
  numbers.put(polygonEnds.length);
  for (const polygonEnd of polygonEnds) {
    const rings: Int32Array[] = [];
    for (; ring < polygonEnd; ring++) {
      const read = readRing(values.subarray(at * 2, ringEnds[ring]! * 2), system);
      if ('reason' in read) return read;
      at = ringEnds[ring]!;
      const isClockwise = signedArea(edgesOf([read])) < 0;
      rings.push(isClockwise === rings.length > 0 ? read : reversed(read));
    }
    if (rings.length === 0) return NO_OUTLINE;
    const crossing = crossingOf(edgesOf(rings));
    if (crossing) return crossing;
    numbers.put(rings.length);
    for (const one of rings) {
      numbers.put(one.length / 2);
      for (let i = 0; i < one.length; i++) numbers.putSigned(one[i]! - (one[i - 2] ?? 0));
    }
  }
  return polygonEnds.length === 0 ? NO_OUTLINE : numbers.written().toString('base64');
}

/** The inverse of `packOutline`. */
export function unpackOutline(outline: string): OutlinePart[] {
  const numbers = reader(outline);
  return Array.from({ length: numbers.take() }, () => {
    const rings = Array.from({ length: numbers.take() }, () => {
      const ring = new Int32Array(numbers.take() * 2);
      for (let i = 0; i < ring.length; i++) ring[i] = numbers.takeSigned() + (ring[i - 2] ?? 0);
      return ring;
    });
    const edges = edgesOf(rings);
    return { edges, rings: rings.map(({ length }) => length / 2), box: boxOf(edges) };
  });
}

/** x and y of the vertices of each ring, without the first one again. */
export function* ringsOf({ edges, rings }: OutlinePart): Generator<[x: number, y: number][]> {
  let at = 0;
  for (const count of rings) {
    yield Array.from({ length: count }, (_, i) => [edges[at + i * 4]!, edges[at + i * 4 + 1]!]);
    at += count * 4;
  }
}

/** In square kilometres. */
export function areaOf(parts: readonly OutlinePart[]): number {
  const units = parts.reduce((sum, { edges }) => sum + signedArea(edges), 0);
  return units / (UNITS * 1_000) ** 2;
}

/** Vertices of all rings. */
export function countVertices(outline: string): number {
  return unpackOutline(outline).reduce((sum, { edges }) => sum + edges.length / 4, 0);
}

export const NO_OUTLINE: MapFault = {
  reason: 'Its outline is empty.',
  suggestion: 'Draw the polygon, or delete the feature.',
};

function readRing(values: Float64Array, system: MapSystem): Int32Array | MapFault {
  const count = values.length / 2;
  const points: number[] = [];
  const add = (x: number, y: number) => {
    // Vertices that fall together are one.
    if (x !== points.at(-2) || y !== points.at(-1)) points.push(x, y);
  };
  for (let i = 0; i < count; i++) {
    const [x, y] = [values[i * 2]!, values[i * 2 + 1]!];
    const fault = system === 'grid' ? faultOnGrid(x, y) : faultInDegrees(x, y);
    if (fault) return fault;
    if (system === 'grid') {
      add(Math.round(x * UNITS), Math.round(y * UNITS));
      continue;
    }
    const [fromX, fromY] = i === 0 ? [x, y] : [values[i * 2 - 2]!, values[i * 2 - 1]!];
    const steps = Math.ceil(Math.max(Math.abs(x - fromX), Math.abs(y - fromY)) / LONGEST_EDGE) || 1;
    for (let step = 1; step <= steps; step++) {
      const share = step / steps;
      const [easting, northing] = toGrid(
        step === steps ? x : fromX + (x - fromX) * share,
        step === steps ? y : fromY + (y - fromY) * share,
      );
      if (!isOnGrid({ easting, northing })) return outside(`${x}, ${y}`);
      add(Math.round(easting * UNITS), Math.round(northing * UNITS));
    }
    if (points.length / 2 > count + MOST_ADDED) return TOO_INTRICATE;
  }
  if (count < 4) {
    return {
      reason: `A ring has ${count} positions, of at least 4.`,
      suggestion: 'Draw the polygon with three corners or more.',
    };
  }
  if (values[0] !== values.at(-2) || values[1] !== values.at(-1)) {
    return {
      reason: `A ring is not closed: it starts at ${values[0]}, ${values[1]} and ends at ${values.at(-2)}, ${values.at(-1)}.`,
      suggestion: 'End each ring with its first position.',
    };
  }
  points.length -= 2;
  if (points.length >= 6) return Int32Array.from(points);
  return {
    reason: 'A ring is smaller than a centimetre.',
    suggestion: 'Delete it, or draw the polygon again.',
  };
}

function faultOnGrid(x: number, y: number): MapFault | null {
  if (isOnGrid({ easting: x, northing: y })) return null;
  if (isOnGrid({ easting: y, northing: x })) {
    return {
      reason: `Easting and northing are swapped: ${x}, ${y}.`,
      suggestion: 'Write the easting first.',
    };
  }
  return outside(`${x}, ${y}`);
}

function faultInDegrees(x: number, y: number): MapFault | null {
  if (isNearBritain(x, y)) return null;
  if (isNearBritain(y, x)) {
    return {
      reason: `Latitude and longitude are swapped: ${x}, ${y}.`,
      suggestion: 'Write the longitude first, as RFC 7946 says.',
    };
  }
  if (Math.abs(x) > 180 && isOnGrid({ easting: x, northing: y })) {
    return {
      reason: `The coordinates are metres, such as ${x}, ${y}, but the file does not say of which system.`,
      suggestion:
        'Export it again with the coordinate system EPSG:4326 (WGS 84), or with EPSG:27700 and the member "crs".',
    };
  }
  return outside(`${x}, ${y}`);
}

/** In degrees. */
function isNearBritain(longitude: number, latitude: number): boolean {
  return longitude > -10 && longitude < 4 && latitude > 48 && latitude < 63;
}

function outside(position: string): MapFault {
  return {
    reason: `The position ${position} is outside the National Grid of Great Britain.`,
    suggestion: 'Check the coordinate system of the layer, and delete what lies elsewhere.',
  };
}

function reversed(ring: Int32Array): Int32Array {
  const found = new Int32Array(ring.length);
  for (let i = 0; i < ring.length; i += 2) {
    found[ring.length - 2 - i] = ring[i]!;
    found[ring.length - 1 - i] = ring[i + 1]!;
  }
  return found;
}

function edgesOf(rings: readonly Int32Array[]): Int32Array {
  const edges = new Int32Array(rings.reduce((sum, { length }) => sum + length * 2, 0));
  let at = 0;
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i += 2) {
      const next = (i + 2) % ring.length;
      edges[at++] = ring[i]!;
      edges[at++] = ring[i + 1]!;
      edges[at++] = ring[next]!;
      edges[at++] = ring[next + 1]!;
    }
  }
  return edges;
}

function boxOf(edges: Int32Array, from = 0, to = edges.length): Box {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = from; i < to; i += 2) {
    minX = Math.min(minX, edges[i]!);
    minY = Math.min(minY, edges[i + 1]!);
    maxX = Math.max(maxX, edges[i]!);
    maxY = Math.max(maxY, edges[i + 1]!);
  }
  return [minX, minY, maxX, maxY];
}

/** In square `UNITS`; negative for a ring that goes clockwise. */
function signedArea(edges: Int32Array): number {
  const [x, y] = [edges[0]!, edges[1]!];
  let twice = 0;
  for (let i = 0; i < edges.length; i += 4) {
    const [ax, ay] = [edges[i]! - x, edges[i + 1]! - y];
    const [bx, by] = [edges[i + 2]! - x, edges[i + 3]! - y];
    twice += ax * by - bx * ay;
  }
  return twice / 2;
}

/** Up to this many edges, comparing those that meet from west to east is faster than an index. */
const FEW_EDGES = 250;

/** Boxes of edges that may meet, for each edge on average. Outlines of networks have about three. */
const MOST_MEETINGS = 100;

const TOO_INTRICATE: MapFault = {
  reason: 'Its outline is too intricate: too many of its edges pass one another.',
  suggestion: 'Simplify the polygon to 1 m, or split it.',
};

/** An R-tree over edges. */
function indexOfEdges(edges: Int32Array): Flatbush {
  const index = new Flatbush(edges.length / 4, 16, Int32Array);
  for (let i = 0; i < edges.length; i += 4) index.add(...boxOf(edges, i, i + 4));
  index.finish();
  return index;
}

/** Where an outline crosses itself; null if it does not. It may touch itself. */
function crossingOf(edges: Int32Array): MapFault | null {
  const count = edges.length / 4;
  if (count <= FEW_EDGES) {
    // Where each edge starts in the west, and its number.
    const starts = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      starts[i] = Math.min(edges[i * 4]!, edges[i * 4 + 2]!) * FEW_EDGES + i;
    }
    starts.sort();
    for (let one = 0; one < count; one++) {
      const at = (starts[one]! % FEW_EDGES) * 4;
      const end = (Math.max(edges[at]!, edges[at + 2]!) + 1) * FEW_EDGES;
      for (let other = one + 1; other < count && starts[other]! < end; other++) {
        if (doCross(edges, at, (starts[other]! % FEW_EDGES) * 4)) return crossingAt(edges, at);
      }
    }
    return null;
  }
  const index = indexOfEdges(edges);
  let meetings = 0;
  for (let one = 0; one < count; one++) {
    const at = one * 4;
    const box = boxOf(edges, at, at + 4);
    let crossed = false;
    try {
      index.search(...box, (other) => {
        if (++meetings > count * MOST_MEETINGS) throw new RangeError(TOO_INTRICATE.reason);
        crossed ||= other > one && doCross(edges, at, other * 4);
        return false;
      });
    } catch (error) {
      if (error instanceof RangeError) return TOO_INTRICATE;
      throw error;
    }
    if (crossed) return crossingAt(edges, at);
  }
  return null;
}

/** Whether two edges cross, each between the ends of the other. */
function doCross(edges: Int32Array, one: number, other: number): boolean {
  const ax = edges[one]!;
  const ay = edges[one + 1]!;
  const bx = edges[one + 2]!;
  const by = edges[one + 3]!;
  const cx = edges[other]!;
  const cy = edges[other + 1]!;
  const dx = edges[other + 2]!;
  const dy = edges[other + 3]!;
  if (Math.max(ax, bx) < Math.min(cx, dx) || Math.max(cx, dx) < Math.min(ax, bx)) return false;
  if (Math.max(ay, by) < Math.min(cy, dy) || Math.max(cy, dy) < Math.min(ay, by)) return false;
  return (
    orient2d(ax, ay, bx, by, cx, cy) * orient2d(ax, ay, bx, by, dx, dy) < 0 &&
    orient2d(cx, cy, dx, dy, ax, ay) * orient2d(cx, cy, dx, dy, bx, by) < 0
  );
}

function crossingAt(edges: Int32Array, at: number): MapFault {
  const [easting, northing] = [edges[at]! / UNITS, edges[at + 1]! / UNITS];
  return {
    reason: `Its outline crosses itself near easting ${whole(Math.round(easting))}, northing ${whole(Math.round(northing))}.`,
    suggestion:
      'Correct it with Vector > Geometry Tools > Fix Geometries in QGIS, or ST_MakeValid in PostGIS.',
  };
}

const reader = (text: string) => new VarintReader(Buffer.from(text, 'base64'));

/** The stored form of numbers: how many there are, and the differences. Empty if there are none. @param sorted ascending */
export function packNumbers(sorted: readonly number[]): string {
  if (sorted.length === 0) return '';
  const numbers = new VarintWriter();
  numbers.put(sorted.length);
  for (const [i, value] of sorted.entries()) numbers.put(value - (sorted[i - 1] ?? 0));
  return numbers.written().toString('base64');
}

/** The inverse of `packNumbers`. */
export function unpackNumbers(packed: string): Float64Array {
  const numbers = reader(packed);
  const found = new Float64Array(countNumbers(packed));
  if (found.length > 0) numbers.take();
  for (let i = 0; i < found.length; i++) found[i] = numbers.take() + (found[i - 1] ?? 0);
  return found;
}

/** How many numbers there are in the stored form. */
export function countNumbers(packed: string): number {
  return packed === '' ? 0 : reader(packed.slice(0, 12)).take();
}
