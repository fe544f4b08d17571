import { type IndexParts, NetworkIndex, type NearPoint } from './network-index.js';
import { type Position, Positions } from './positions.js';

/** Distances are rounded up to this many metres. */
const STEP = 50;

/** The most that a band reaches, in metres. */
export const MOST_METRES = 5_000;

/** Against errors of floating point: 1,000 m × 1.3 is 1,300 m. */
const TOLERANCE = 1e-9;

/** The length of the route to a point: the straight line times the factor, rounded up to 50 m. */
export function routeMetres(straight: number, factor: number): number {
  return Math.max(0, Math.ceil((straight * factor) / STEP - TOLERANCE) * STEP);
}

/** How far a route may lead as the crow flies, in metres. */
export function straightReach(metres: number, factor: number): number {
  return metres / factor;
}

/** What a place without coverage is near to. */
export interface Nearness {
  /** Of the route, in metres. */
  readonly distanceMetres: number;
  readonly zoneNumber: number;
}

/** The number of a place that has a position, and no point of the network within its bands. */
export const BEYOND = 1;

/** One number for a nearness, which a check keeps: equal numbers have equal answers from one version. */
export function packNearness({ distanceMetres, zoneNumber }: Nearness): number {
  return (distanceMetres / STEP) * 0x10000 + zoneNumber;
}

export function unpackNearness(packed: number): Nearness {
  return { distanceMetres: (packed >>> 16) * STEP, zoneNumber: packed & 0xffff };
}

/** A network as a worker thread hands it over. */
export interface NetworkParts {
  /** Of the points themselves, which staff see. */
  readonly index: IndexParts;
  /** Where prices count the points, if elsewhere: see `movedPoint`. */
  readonly moved?: { readonly index: IndexParts; readonly metres: number } | null;
  readonly positions: Pick<Positions, 'keys' | 'eastings' | 'northings'>;
  /** How much longer a route is than the straight line. */
  readonly factor: number;
  /** Metres of the route that the longest band reaches. */
  readonly reach: number;
}

/** For staff: a point of the network, where prices count it. */
export interface NearestPoint extends NearPoint {
  readonly distanceMetres: number;
  readonly zone: string;
  /** Of network_points.csv, or a postcode. */
  readonly name: string;
}

/** A place and the points of the network around it. */
export interface PointsAround {
  readonly from: Position;
  /** Nearest first, with their names. */
  readonly points: readonly (NearPoint & { readonly name: string })[];
  /** The ends of the bands of the nearest point's zone, in metres: of the route, and as the crow flies. */
  readonly bands: readonly { readonly toMetres: number; readonly straight: number }[];
  /** How far prices move the points; 0 if they do not. */
  readonly movedBy: number;
}

/** The points that an operator can build from, and the positions of postcodes. */
export class BuildNetwork {
  readonly index: NetworkIndex;
  /** See `POINT_OFFSET`; 0 where prices count the points where they are. */
  readonly movedBy: number;
  readonly positions: Positions;
  readonly factor: number;
  readonly reach: number;
  /** What all prices, distances and bands follow, for clients and staff alike. */
  private readonly priced: NetworkIndex;

  constructor({ index, moved, positions, factor, reach }: NetworkParts) {
    this.index = new NetworkIndex(index);
    this.priced = moved ? new NetworkIndex(moved.index) : this.index;
    this.movedBy = moved?.metres ?? 0;
    this.positions = new Positions(positions.keys, positions.eastings, positions.northings);
    this.factor = factor;
    this.reach = reach;
  }

  /**
   * How near a place is, as one number; null without a position.
   * @param sells whether a zone can be built from
   */
  nearness(position: Position | null, sells: (zoneNumber: number) => boolean): number | null {
    if (!position) return null;
    const point = this.nearest(position, sells);
    return point ? packNearness(point) : BEYOND;
  }

  /** The nearest point within the longest band, where prices count it; null if there is none. */
  nearest(from: Position, sells: (zoneNumber: number) => boolean): (NearPoint & Nearness) | null {
    const point = this.priced.nearest(from, straightReach(this.reach, this.factor), sells);
    if (!point) return null;
    return { ...point, distanceMetres: routeMetres(point.metres, this.factor) };
  }
}
