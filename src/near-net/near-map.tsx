import { Section } from '../platform/ui/table.js';
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
  const { from, points, bands } = around;
  const extent = Math.max(LEAST_EXTENT, ...points.map(({ metres }) => metres));
  const scale = RADIUS / extent;
  const bar = BARS.findLast((metres) => metres * scale <= RADIUS) ?? BARS[0]!;
  const rings = bands
    .map(({ toMetres, straight }) => ({ toMetres, radius: round(straight * scale) }))
    .filter(({ radius }) => radius < SIDE / 2);
  const labels: Label[] = [];
  const drawn = points.map((point, i) => {
    const x = round(SIDE / 2 + (point.easting - from.easting) * scale);
    const y = round(SIDE / 2 - (point.northing - from.northing) * scale);
    const label = freeLabel(x, y, labels);
    labels.push(label);
    return { number: i + 1, x, y, label };
  });
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
          {drawn.map(({ number, x, y, label }) => (
            <>
              {number === 1 && <path class="route" d={`M${SIDE / 2} ${SIDE / 2}L${x} ${y}`} />}
              <circle class="point" cx={x} cy={y} r="5" />
              <text {...label}>{number}</text>
            </>
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
          </p>
        </figcaption>
      </figure>
    </Section>
  );
}

interface Label {
  readonly x: number;
  readonly y: number;
}

/** Beside the point, where it is not on another label: right, left, above or below; right, if none is free. */
function freeLabel(x: number, y: number, others: readonly Label[]): Label {
  const sides: readonly Label[] = [
    { x: x + 8, y: y + 4 },
    { x: x - 16, y: y + 4 },
    { x: x - 3, y: y - 9 },
    { x: x - 3, y: y + 18 },
  ];
  const isFree = (side: Label) =>
    others.every((one) => Math.abs(one.x - side.x) > 10 || Math.abs(one.y - side.y) > 12);
  const free = sides.find(isFree) ?? sides[0]!;
  return { x: round(free.x), y: round(free.y) };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
