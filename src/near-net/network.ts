import { BEYOND, type Nearness, packNearness, routeMetres, straightReach } from './distance.js';
import { type IndexParts, NetworkIndex, type NearPoint } from './network-index.js';
import { type Position, Positions } from './positions.js';

/** A network as a worker thread hands it over. */
export interface NetworkParts {
  readonly index: IndexParts;
  readonly positions: Pick<Positions, 'keys' | 'eastings' | 'northings'>;
  /** See `ROUTE_FACTOR`. */
  readonly factor: number;
  /** Metres of the route that the longest band reaches. */
  readonly reach: number;
}

/** For staff: a point of the network. */
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
}

/** The points that an operator can build from, and the positions of postcodes. */
export class BuildNetwork {
  readonly index: NetworkIndex;
  readonly positions: Positions;
  readonly factor: number;
  readonly reach: number;

  constructor({ index, positions, factor, reach }: NetworkParts) {
    this.index = new NetworkIndex(index);
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

  /** The nearest point within the longest band; null if there is none. */
  nearest(from: Position, sells: (zoneNumber: number) => boolean): (NearPoint & Nearness) | null {
    const point = this.index.nearest(from, straightReach(this.reach, this.factor), sells);
    if (!point) return null;
    return { ...point, distanceMetres: routeMetres(point.metres, this.factor) };
  }
}
