import { Section } from '../platform/ui/table.js';
import type { PointsAround } from './network.js';

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
  const { from, points } = around;
  const extent = Math.max(LEAST_EXTENT, ...points.map(({ metres }) => metres));
  const scale = RADIUS / extent;
  const bar = BARS.findLast((metres) => metres * scale <= RADIUS) ?? BARS[0]!;
  const drawn = points.map((point, i) => ({
    ...point,
    number: i + 1,
    x: round(SIDE / 2 + (point.easting - from.easting) * scale),
    y: round(SIDE / 2 - (point.northing - from.northing) * scale),
  }));
  return (
    <Section title="Distance to the network" id="near">
      <figure class="near-map">
        <svg viewBox={`0 0 ${SIDE} ${SIDE}`} role="img" aria-labelledby="near-map-title">
          <title id="near-map-title">
            {`${place} and the nearest points of the network. The list has the same distances.`}
          </title>
          {drawn.map(({ number, x, y }) => (
            <>
              {number === 1 && <path class="route" d={`M${SIDE / 2} ${SIDE / 2}L${x} ${y}`} />}
              <circle class="point" cx={x} cy={y} r="5" />
              <text x={x + 8} y={y + 4}>
                {number}
              </text>
            </>
          ))}
          <rect class="place" x={SIDE / 2 - 5} y={SIDE / 2 - 5} width="10" height="10" />
          <path class="bar" d={`M12 ${SIDE - 14}v5h${round(bar * scale)}v-5`} />
          <text x="14" y={SIDE - 18}>{`${bar.toLocaleString('en-GB')} m`}</text>
        </svg>
        <figcaption>
          <ol>
            {points.map(({ name, metres }) => (
              <li>{`${name}: ${Math.round(metres).toLocaleString('en-GB')} m`}</li>
            ))}
          </ol>
          <p class="hint">As the crow flies. The square is {place}; north is up.</p>
        </figcaption>
      </figure>
    </Section>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
