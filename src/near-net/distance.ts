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
