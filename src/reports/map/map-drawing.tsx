import { Legend } from '../drawing/charts.js';
import { type MapLayer, shadeOf, shareNames } from './map-layers.js';
import type { DrawnPlace, MapGround, MapScene } from './map-scene.js';

interface MapDrawingProps {
  readonly scene: MapScene;
  readonly layer: MapLayer;
  readonly title: string;
  /** @param place null for the orders of a sector */
  readonly hrefOf: (place: string | null, sector: string) => string;
}

/**
 * A link for each place. Its accessible name has all its visible text, so that people who use speech
 * input can say it.
 */
export function MapDrawing({ scene, layer, title, hrefOf }: MapDrawingProps) {
  const { width, height, bar } = scene;
  return (
    <svg
      class={scene.isClose ? 'map close' : 'map'}
      role="group"
      viewBox={`0 0 ${width} ${height}`}
      aria-labelledby="map-title map-text"
    >
      <title id="map-title">{title}</title>
      <desc id="map-text">
        A circle for each place, sized by the value. The ranking and the data table have the same
        numbers.
      </desc>
      <g aria-hidden="true">
        <GroundShape name="land" ground={scene.ground} class="land" />
        {scene.boxes.map(({ name, ...box }) => (
          <>
            <rect class={name ? 'box' : 'box cut-out'} {...box} />
            {name && (
              <text class="box-name" x={box.x + 5} y={box.y + 13}>
                {name}
              </text>
            )}
          </>
        ))}
        <GroundShape name="dots" ground={scene.ground} class="dots" />
        <GroundShape name="covered" ground={scene.ground} class="dots covered" />
      </g>
      {scene.neighbours.map(({ name, x, y }) => (
        <a href={hrefOf(name, '')}>
          <text class="neighbour" x={x} y={y}>
            {name}
          </text>
        </a>
      ))}
      {scene.places.map((one) => (
        <PlaceLink one={one} layer={layer} href={hrefOf(one.leadsTo, one.place.name)} />
      ))}
      <g aria-hidden="true">
        <path class="bar" d={`M8 ${height - 14}v5h${bar.length}v-5`} />
        <text class="bar-text" x="12" y={height - 16}>
          {`${bar.km} km`}
        </text>
      </g>
    </svg>
  );
}

function GroundShape(props: { name: keyof MapGround; ground: MapScene['ground']; class: string }) {
  const { name, ground, class: look } = props;
  if (typeof ground === 'string') return <use class={look} href={`${ground}#${name}`} />;
  return <path class={look} d={ground[name]} />;
}

function PlaceLink(props: { one: DrawnPlace; layer: MapLayer; href: string }) {
  const { one, layer, href } = props;
  const { place, words, label, r } = one;
  const [x, y] = [Math.round(one.x), Math.round(one.y)];
  const shade = layer.of(place) > 0 ? shadeOf(layer, place) : 'zero';
  const said = `${words}: ${layer.words(place)}`;
  const share = layer.share(place) ?? 0;
  return (
    <a href={href}>
      <title>{said}</title>
      <circle class={one.isOther ? `${shade} other` : shade} cx={x} cy={y} r={r} />
      {share > 0 && r > 9 && (
        <circle class="part" cx={x} cy={y} r={Math.round(r * Math.sqrt(share) * 10) / 10} />
      )}
      {label && (
        <text class={r < 14 ? `on-${shade} small` : `on-${shade}`} x={x} y={y + 4}>
          {label}
        </text>
      )}
    </a>
  );
}

/** What size, colour and dots mean. */
export function MapLegend({ layer }: { layer: MapLayer }) {
  const shades = shareNames.map((name, i) => ({
    series: `${layer.shades}${i}`,
    name,
    level: i / (shareNames.length - 1),
  }));
  return (
    <>
      {layer.legend !== '' && (
        <>
          <p class="legend-title">{layer.legend}</p>
          <Legend series={shades} class="shades levels" />
        </>
      )}
      <Legend
        series={[
          { series: 'covered-dot', name: 'Sector covered by the catalogue' },
          { series: 'other-dot', name: 'Other sector' },
        ]}
        class="dots-legend"
      />
    </>
  );
}
