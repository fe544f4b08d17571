/** Projection, sizes and shapes of the map, in units of the drawing. */

/** On the OS National Grid, in units of 100 m: easting and northing. */
export interface GridPoint {
  readonly x: number;
  readonly y: number;
}

/** A part of the National Grid, drawn at one scale; north is up. */
export interface MapFrame {
  /** The corner in the north-west, in units of 100 m. */
  readonly west: number;
  readonly north: number;
  /** Units of the drawing for 100 m. */
  readonly scale: number;
  readonly width: number;
  readonly height: number;
  /** Where the frame is in the drawing. */
  readonly left: number;
  readonly top: number;
}

export function project(frame: MapFrame, { x, y }: GridPoint): GridPoint {
  return {
    x: frame.left + (x - frame.west) * frame.scale,
    y: frame.top + (frame.north - y) * frame.scale,
  };
}

export function isInFrame(frame: MapFrame, { x, y }: GridPoint): boolean {
  const { west, north, width, height, scale } = frame;
  const [right, down] = [(x - west) * scale, (north - y) * scale];
  return right >= 0 && right <= width && down >= 0 && down <= height;
}

/**
 * The square frame that shows all points.
 * @param least its width on the ground, in units of 100 m
 * @param margin its width, divided by that of the points
 */
export function frameAround(
  points: readonly GridPoint[],
  size: number,
  least: number,
  margin: number,
): MapFrame {
  // There may be more points than a function may have arguments.
  const reach = (axis: 'x' | 'y', most: typeof Math.max) =>
    points.reduce((found, point) => most(found, point[axis]), points[0]![axis]);
  const [west, east] = [reach('x', Math.min), reach('x', Math.max)];
  const [south, north] = [reach('y', Math.min), reach('y', Math.max)];
  const span = Math.max(least, (east - west) * margin, (north - south) * margin);
  return {
    west: (west + east - span) / 2,
    north: (north + south + span) / 2,
    scale: size / span,
    width: size,
    height: size,
    left: 0,
    top: 0,
  };
}

export interface MapCircle {
  readonly x: number;
  readonly y: number;
  readonly r: number;
}

/** The radius of a value: areas are proportional, but a value above 0 can be seen and met. */
export function radiusOf(value: number, highest: number, largest: number): number {
  if (!(value > 0)) return 3;
  return Math.max(5, largest * Math.sqrt(value / highest));
}

const ROUNDS = 40;

/** Moves circles that cover each other apart, the smaller ones more, and keeps them within the size. */
export function spread<C extends MapCircle>(
  circles: readonly C[],
  { width, height }: { readonly width: number; readonly height: number },
): C[] {
  const moved = circles.map((circle) => ({ ...circle, x: circle.x, y: circle.y }));
  for (let round = 0; round < ROUNDS; round++) {
    let pushed = false;
    for (const [i, a] of moved.entries()) {
      for (let k = i + 1; k < moved.length; k++) pushed = push(a, moved[k]!, i) || pushed;
    }
    for (const one of moved) {
      one.x = Math.min(Math.max(one.x, one.r + 1), width - one.r - 1);
      one.y = Math.min(Math.max(one.y, one.r + 1), height - one.r - 1);
    }
    if (!pushed) break;
  }
  return moved;
}

/** @param turn gives circles with one centre a direction @returns whether they covered each other */
function push(a: Movable, b: Movable, turn: number): boolean {
  const wanted = (a.r + b.r) * 0.96;
  let [dx, dy] = [b.x - a.x, b.y - a.y];
  const apart = Math.hypot(dx, dy);
  if (apart >= wanted) return false;
  if (apart < 0.01) [dx, dy] = [Math.cos(turn), Math.sin(turn)];
  const step = (wanted - apart) / 2 / Math.max(apart, 1);
  const heavy = a.r ** 2 / (a.r ** 2 + b.r ** 2);
  a.x -= dx * step * (1 - heavy);
  a.y -= dy * step * (1 - heavy);
  b.x += dx * step * heavy;
  b.y += dy * step * heavy;
  return true;
}

interface Movable {
  x: number;
  y: number;
  readonly r: number;
}

/**
 * The closed ring as path data, without what is outside the frame; empty if nothing is inside.
 * @param step units between two points, at least
 */
export function ringPath(frame: MapFrame, ring: readonly GridPoint[], step: number): string {
  const { left, top, width, height } = frame;
  // A little outside, so that the cut edges are not drawn.
  const edges: [at: number, value: (point: GridPoint) => number, sign: number][] = [
    [left - 2, ({ x }) => x, 1],
    [left + width + 2, ({ x }) => x, -1],
    [top - 2, ({ y }) => y, 1],
    [top + height + 2, ({ y }) => y, -1],
  ];
  let points = ring.map((point) => project(frame, point));
  for (const [at, value, sign] of edges) {
    points = cut(points, (point) => (value(point) - at) * sign);
  }
  return pathOf(points, 'l', step, 'z');
}

/** Sutherland and Hodgman: keeps the part of a polygon where `inside` is not negative. */
function cut(points: readonly GridPoint[], inside: (point: GridPoint) => number): GridPoint[] {
  return points.flatMap((point, i) => {
    const before = points.at(i - 1)!;
    const [a, b] = [inside(before), inside(point)];
    const kept = b >= 0 ? [point] : [];
    if (a >= 0 === b >= 0) return kept;
    const t = a / (a - b);
    const crossing = {
      x: before.x + (point.x - before.x) * t,
      y: before.y + (point.y - before.y) * t,
    };
    return [crossing, ...kept];
  });
}

/** A dot for each point: a line without length, which has round ends. */
export function dotsPath(points: Iterable<GridPoint>, grid: number): string {
  const cells = new Map<number, GridPoint>();
  for (const { x, y } of points) {
    const cell = { x: Math.round(x / grid), y: Math.round(y / grid) };
    cells.set(cell.y * 10_000 + cell.x, cell);
  }
  const inOrder = [...cells].sort(([a], [b]) => a - b);
  return pathOf(
    inOrder.map(([, { x, y }]) => ({ x: x * grid, y: y * grid })),
    'm',
    1,
    '',
    'h0',
  );
}

/** Relative steps of whole units are short; points that are closer than `step` are left out. */
function pathOf(
  points: readonly GridPoint[],
  command: 'l' | 'm',
  step: number,
  end: string,
  each = '',
): string {
  const parts: string[] = [];
  let [px, py] = [NaN, NaN];
  for (const point of points) {
    const [x, y] = [Math.round(point.x), Math.round(point.y)];
    const [dx, dy] = [x - px, y - py];
    if (Math.hypot(dx, dy) < step) continue;
    parts.push(
      (parts.length === 0 ? `M${x} ${y}` : `${command}${dx}${dy < 0 ? '' : ' '}${dy}`) + each,
    );
    [px, py] = [x, y];
  }
  return parts.length === 0 || (command === 'l' && parts.length < 3) ? '' : parts.join('') + end;
}

/** The longest round distance in km that is at most `most` units long. */
export function scaleBar({ scale }: MapFrame, most: number): { km: number; length: number } {
  const steps = [0.5, 1, 2, 5, 10, 20, 50, 100, 200];
  const km = steps.findLast((step) => step * 10 * scale <= most) ?? steps[0]!;
  return { km, length: Math.round(km * 10 * scale) };
}
