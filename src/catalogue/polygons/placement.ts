import Flatbush from 'flatbush';
import { orient2d } from 'robust-predicates';
import { type Box, UNITS, unpackOutline } from './outline.js';

/** What decides between polygons over one place. */
export interface PolygonRank {
  readonly zone: string;
  readonly priority: number;
}

/** Two polygons of different zones and the same priority over one place. */
export type PolygonClash = readonly [one: number, other: number];

/**
 * The polygon that decides for a place: that with the highest priority, and of those in one zone the first. Null if
 * there is none.
 * @param around the polygons around the place, ascending
 */
export function decidingPolygon(
  around: readonly number[],
  ranks: readonly PolygonRank[],
): number | PolygonClash | null {
  let best: number | null = null;
  let clash: PolygonClash | null = null;
  for (const polygon of around) {
    const { zone, priority } = ranks[polygon]!;
    const other = best === null ? null : ranks[best]!;
    if (other === null || priority > other.priority) {
      best = polygon;
      clash = null;
    } else if (priority === other.priority && zone !== other.zone) {
      clash ??= [best!, polygon];
    }
  }
  return clash ?? best;
}

/** Where places are, in metres. Neighbours in the lists should be near one another. */
export interface PlacePoints {
  /** Packed postcodes. */
  readonly keys: Uint32Array;
  readonly eastings: Uint32Array;
  readonly northings: Uint32Array;
}

/** So far from an outline, the position of a postcode does not say on which side its buildings are: metres. */
export const BORDER_METRES = 25;
const BORDER = BORDER_METRES * UNITS;

/** Places that are compared with the same polygons together. */
const GROUP = 64;
/** Packed postcodes in a sector. */
const SECTOR = 400;

/** The least height of a slab. */
const LEAST_HEIGHT = 4 * BORDER;
/** Edges of a part in one slab, on average. */
const SLAB_EDGES = 4;

/** A polygon with its outline, see `packOutline`. */
interface OutlinedPolygon extends PolygonRank {
  readonly outline: string;
}

/** The edges of a part by northing: a place is compared with those of its slab, which has all within `BORDER`. */
class SlicedPart {
  /** What is within `BORDER` of the part. */
  readonly west: number;
  readonly bottom: number;
  readonly east: number;
  readonly top: number;
  private readonly height: number;
  /** Where each slab starts in `edges`, and the end of the last. */
  private readonly starts: Uint32Array;
  private readonly edges: Int32Array;

  constructor(
    readonly polygon: number,
    readonly priority: number,
    [minX, minY, maxX, maxY]: Box,
    edges: Int32Array,
  ) {
    this.west = minX - BORDER;
    this.bottom = minY - BORDER;
    this.east = maxX + BORDER;
    this.top = maxY + BORDER;
    const count = edges.length / 4;
    let heights = 0;
    for (let at = 0; at < edges.length; at += 4)
      heights += Math.abs(edges[at + 1]! - edges[at + 3]!);
    // So high that an edge is in two slabs on average, at most.
    const height = Math.max(LEAST_HEIGHT, heights / count + 2 * BORDER);
    const extent = this.top - this.bottom;
    const slabs = Math.floor(Math.min(count / SLAB_EDGES, extent / height)) || 1;
    this.height = extent / slabs;
    this.starts = new Uint32Array(slabs + 1);
    const slabOf = (y: number) => Math.min(Math.floor((y - this.bottom) / this.height), slabs - 1);
    const eachSlab = (visit: (slab: number, at: number) => void) => {
      for (let at = 0; at < edges.length; at += 4) {
        const [ay, by] = [edges[at + 1]!, edges[at + 3]!];
        const last = slabOf(Math.max(ay, by) + BORDER);
        for (let slab = slabOf(Math.min(ay, by) - BORDER); slab <= last; slab++) visit(slab, at);
      }
    };
    eachSlab((slab) => (this.starts[slab + 1]! += 1));
    for (let slab = 1; slab <= slabs; slab++) this.starts[slab]! += this.starts[slab - 1]!;
    this.edges = new Int32Array(this.starts[slabs]! * 4);
    const next = this.starts.slice();
    eachSlab((slab, at) => {
      let to = next[slab]!++ * 4;
      for (let i = 0; i < 4; i++) this.edges[to++] = edges[at + i]!;
    });
  }

  /**
   * Adds the polygon to `around` if the point is in its rings, and to `near`, if it is asked for, within `BORDER` of an edge. A point
   * is in the rings if a line to its right crosses an odd number of edges. That is exact; of two polygons that share an
   * edge, a point on it is in exactly one.
   * @returns whether it is in the rings, and not near an edge
   */
  locate(x: number, y: number, around: number[], near: number[] | null): boolean {
    const { edges, starts, polygon } = this;
    const slab = Math.min(Math.floor((y - this.bottom) / this.height), starts.length - 2);
    let isInside = false;
    let isNear = false;
    for (let i = starts[slab]! * 4, end = starts[slab + 1]! * 4; i < end; i += 4) {
      const ay = edges[i + 1]!;
      const by = edges[i + 3]!;
      if ((ay > by ? ay : by) < y - BORDER || (ay < by ? ay : by) > y + BORDER) continue;
      const ax = edges[i]!;
      const bx = edges[i + 2]!;
      if ((ax > bx ? ax : bx) < x - BORDER) continue;
      if (ay > y !== by > y) {
        if (ax > x && bx > x) isInside = !isInside;
        else if (ax > x || bx > x) {
          // Negative where the point is to the left of the line from a to b; 0 on it.
          const side = orient2d(ax, ay, bx, by, x, y);
          if (by > ay ? side < 0 : side > 0) isInside = !isInside;
        }
      }
      isNear ||=
        near !== null && (ax < bx ? ax : bx) <= x + BORDER && isWithinBorder(ax, ay, bx, by, x, y);
    }
    if (isInside && around.at(-1) !== polygon) around.push(polygon);
    if (isNear && near!.at(-1) !== polygon) near!.push(polygon);
    return isInside && !isNear;
  }
}

/** Whether a point is within `BORDER` of the edge from a to b. */
function isWithinBorder(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  x: number,
  y: number,
): boolean {
  const dx = bx - ax;
  const dy = by - ay;
  const along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
  const share = along > 0 ? (along < 1 ? along : 1) : 0;
  const offX = x - ax - share * dx;
  const offY = y - ay - share * dy;
  return offX * offX + offY * offY <= BORDER * BORDER;
}

/** The least and the most of some values, in `UNITS`. */
function extentOf(metres: Uint32Array, start: number, end: number): [least: number, most: number] {
  let [least, most] = [metres[start]!, metres[start]!];
  for (let i = start + 1; i < end; i++) {
    least = Math.min(least, metres[i]!);
    most = Math.max(most, metres[i]!);
  }
  return [least * UNITS, most * UNITS];
}

/** Finds the polygons around places, for many places at a time. */
export class PolygonIndex {
  /** Of a higher priority first, then in order of their polygons. */
  private readonly parts: readonly SlicedPart[];
  private readonly tree: Flatbush;

  /** @param polygons at least one */
  constructor(private readonly polygons: readonly OutlinedPolygon[]) {
    const parts = polygons.flatMap(({ outline, priority }, polygon) =>
      unpackOutline(outline).map(({ box, edges }) => new SlicedPart(polygon, priority, box, edges)),
    );
    this.parts = parts.sort((a, b) => b.priority - a.priority);
    this.tree = new Flatbush(parts.length, 16, Int32Array);
    for (const { west, bottom, east, top } of parts) this.tree.add(west, bottom, east, top);
    this.tree.finish();
  }

  /**
   * Calls `onPlace` for each place in a polygon or near an outline that matters.
   * @param onPlace receives the position in the lists; what decides; and whether the zone is another one on the other side
   *   of the outlines within `BORDER_METRES`, with one of their polygons, or null
   */
  place(
    { keys, eastings, northings }: PlacePoints,
    onPlace: (place: number, decides: number | PolygonClash | null, near: number | null) => void,
    findsBorders = true,
  ): void {
    const around: number[] = [];
    const near: number[] = [];
    for (let start = 0; start < keys.length;) {
      const sector = Math.floor(keys[start]! / SECTOR);
      const last = Math.min(start + GROUP, keys.length);
      let end = start + 1;
      while (end < last && Math.floor(keys[end]! / SECTOR) === sector) end += 1;
      const [minX, maxX] = extentOf(eastings, start, end);
      const [minY, maxY] = extentOf(northings, start, end);
      const found = this.tree.search(minX, minY, maxX, maxY);
      const parts = found.sort((a, b) => a - b).map((at) => this.parts[at]!);
      for (let i = start; parts.length > 0 && i < end; i++) {
        const x = eastings[i]! * UNITS;
        const y = northings[i]! * UNITS;
        let settled = -Infinity;
        for (const part of parts) {
          // Well inside a polygon, those of a lower priority decide nothing.
          if (part.priority < settled) break;
          if (x < part.west || x > part.east || y < part.bottom || y > part.top) continue;
          if (part.locate(x, y, around, findsBorders ? near : null)) settled = part.priority;
        }
        if (around.length + near.length === 0) continue;
        const decides = decidingPolygon(around, this.polygons);
        const border = near.length > 0 && this.isBorder(decides, around, near) ? near[0]! : null;
        if (decides !== null || border !== null) onPlace(i, decides, border);
        around.length = 0;
        near.length = 0;
      }
      start = end;
    }
  }

  /** Whether crossing the outlines nearby leads to another zone: not where polygons of one zone meet. */
  private isBorder(
    decides: number | PolygonClash | null,
    around: readonly number[],
    near: readonly number[],
  ): boolean {
    const across = [
      ...around.filter((polygon) => !near.includes(polygon)),
      ...near.filter((polygon) => !around.includes(polygon)),
    ].sort((a, b) => a - b);
    const other = decidingPolygon(across, this.polygons);
    const zoneOf = (one: typeof other) =>
      typeof one === 'number' ? this.polygons[one]!.zone : String(one);
    return zoneOf(decides) !== zoneOf(other);
  }
}
