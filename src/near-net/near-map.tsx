import { Section } from '../platform/ui/table.js';
import { offsetInWords } from './moved-points.js';
import type { PointsAround } from './network.js';
import { whole } from '../platform/kernel/counts.js';

interface NearMapProps {
  /** `EC2A 2BS`. */
  readonly place: string;
  /** Null where its position is not known, or there is no network. */
  readonly around: PointsAround | null;
}

/** The side of the drawing, and how far from its centre the farthest point is drawn. */
const SIDE = 320;
const RADIUS = 120;
/** Metres of the bar of the scale. */
const BARS = [20, 50, 100, 200, 500, 1_000, 2_000];
/** In metres: points nearer than this are drawn as far from the centre as at this distance. */
const LEAST_EXTENT = 50;

/** A place and the points of the network around it, drawn to scale, north up; nothing if there are none. */
export function NearMap({ place, around }: NearMapProps) {
  if (!around || around.points.length === 0) return null;
  const { from, points, bands, movedBy } = around;
  const extent = Math.max(LEAST_EXTENT, ...points.map(({ metres }) => metres));
  const scale = RADIUS / extent;
  const bar = BARS.findLast((metres) => metres * scale <= RADIUS) ?? BARS[0]!;
  const rings = bands
    .map(({ toMetres, straight }) => ({ toMetres, radius: round(straight * scale) }))
    .filter(({ radius }) => radius < SIDE / 2);
  const spots = points.map(({ easting, northing }) => ({
    x: round(SIDE / 2 + (easting - from.easting) * scale),
    y: round(SIDE / 2 - (northing - from.northing) * scale),
  }));
  const numbers: Spot[] = [];
  for (const spot of spots) numbers.push(besideOf(spot, [...spots, ...numbers]));
  return (
    <Section title="Distance to the network" id="near">
      <figure class="near-map">
        <svg viewBox={`0 0 ${SIDE} ${SIDE}`} role="img" aria-labelledby="near-map-title">
          <title id="near-map-title">
            {`${place} and the nearest points of the network. The list has the same distances.`}
          </title>
          {rings.map(({ radius }) => (
            <circle class="reach" cx={SIDE / 2} cy={SIDE / 2} r={radius} />
          ))}
          <path class="route" d={`M${SIDE / 2} ${SIDE / 2}L${spots[0]!.x} ${spots[0]!.y}`} />
          {spots.map(({ x, y }) => (
            <circle class="point" cx={x} cy={y} r="5" />
          ))}
          {numbers.map(({ x, y }, i) => (
            <text x={round(x - 4)} y={round(y + 4)}>
              {i + 1}
            </text>
          ))}
          <rect class="place" x={SIDE / 2 - 5} y={SIDE / 2 - 5} width="10" height="10" />
          <path class="bar" d={`M12 ${SIDE - 14}v5h${round(bar * scale)}v-5`} />
          <text x="14" y={SIDE - 18}>{`${whole(bar)} m`}</text>
        </svg>
        <figcaption>
          <ol>
            {points.map(({ name, metres }) => (
              <li>{`${name}: ${whole(Math.round(metres))} m`}</li>
            ))}
          </ol>
          <p class="hint">
            {`As the crow flies. The square is ${place}; north is up.`}
            {rings.length > 0 &&
              ` A point within a ring is in the band to ${rings.map(({ toMetres }) => `${whole(toMetres)} m`).join(', or ')} of route.`}
            {movedBy > 0 &&
              ` Prices count from places ${offsetInWords(movedBy)} from these points, so the band can be another one.`}
          </p>
        </figcaption>
      </figure>
    </Section>
  );
}

interface Spot {
  readonly x: number;
  readonly y: number;
}

const DIRECTIONS = [
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
  [1, -1],
  [-1, -1],
  [1, 1],
  [-1, 1],
] as const;

/** The middle of a number beside its point, on no point and no other number; to the right, if none is free. */
function besideOf({ x, y }: Spot, taken: readonly Spot[]): Spot {
  const around = [13, 24].flatMap((far) =>
    DIRECTIONS.map(([east, south]) => ({ x: x + far * east, y: y + far * south })),
  );
  return around.find((one) => taken.every((other) => apart(one, other) > 11)) ?? around[0]!;
}

function apart(a: Spot, b: Spot): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
