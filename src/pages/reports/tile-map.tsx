import { areaTiles, MAP_COLUMNS, MAP_ROWS } from './area-tiles.js';
import { classOf } from './chart-scale.js';
import { Legend } from './charts.js';
import { type MeasuredMap, mapMeasures, tileText } from './map-measures.js';

/** Units of a tile, including the gap after it. */
const TILE = 40;
const GAP = 3;

/**
 * A tile for each postcode area, with a link to its page. Its accessible name has all its visible text,
 * so that people who use speech input can say it.
 */
export function TileMap({ map, hrefOf }: { map: MeasuredMap; hrefOf: (area: string) => string }) {
  const { name, words } = mapMeasures[map.measure];
  const byArea = new Map(map.areas.map((one) => [one.area, one]));
  return (
    <svg
      class="tile-map"
      role="group"
      viewBox={`-1 -1 ${MAP_COLUMNS * TILE - GAP + 2} ${MAP_ROWS * TILE - GAP + 2}`}
      aria-labelledby="map-title map-text"
    >
      <title id="map-title">{`${name} by postcode area`}</title>
      <desc id="map-text">A map of the country as tiles, north at the top.</desc>
      {areaTiles.map(({ area, name: town, column, row }) => {
        const value = byArea.get(area)?.value ?? null;
        const level = value === null ? 0 : classOf(value, map.bounds);
        const said = value === null ? 'no checks' : words(value);
        const short = tileText(value, map.measure);
        const size = TILE - GAP;
        const x = column * TILE;
        const y = row * TILE;
        return (
          <a
            href={hrefOf(area)}
            aria-label={[area, short, `${town}: ${said}`].filter(Boolean).join(' ')}
          >
            <g class={value === null ? 'tile unknown' : `tile t${level}`}>
              <rect class={`cell q${level}`} x={x} y={y} width={size} height={size} rx="4" />
              <rect
                class="level"
                x={x + 3}
                y={y + size - 5}
                width={(level * (size - 6)) / Math.max(1, map.bounds.length)}
                height="3"
              />
              <text class="area" x={x + size / 2} y={y + 17}>
                {area}
              </text>{' '}
              <text class="number" x={x + size / 2} y={y + 30}>
                {short}
              </text>{' '}
              <title>{`${town}: ${said}`}</title>
            </g>
          </a>
        );
      })}
    </svg>
  );
}

export function ShadeLegend(props: { classes: readonly string[]; levels?: boolean }) {
  const { classes, levels } = props;
  const series = classes.map((name, i) => {
    const level = levels ? i / (classes.length - 1 || 1) : undefined;
    return { series: `cell q${i}`, name, level };
  });
  return <Legend series={series} class={levels ? 'shades levels' : 'shades'} />;
}
