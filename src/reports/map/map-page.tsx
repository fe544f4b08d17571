import { areaWords } from '../sector-places.js';
import { percent } from '../drawing/chart-scale.js';
import {
  amounts,
  count,
  orNull,
  printed,
  type PrintedColumn,
  share,
  text,
} from '../drawing/columns.js';
import { periodQuery } from '../drawing/period.js';
import { amountsByCurrency } from '../report-figures.js';
import { Numbers, PeriodForm, periodWords, type ReportPageProps } from '../screens/report-page.js';
import { Layout } from '../../platform/ui/layout.js';
import { Empty } from '../../platform/ui/parts.js';
import { MapDrawing, MapLegend } from './map-drawing.js';
import { type LayerName, type MapLayer, mapLayers } from './map-layers.js';
import {
  aroundSector,
  type MapLevel,
  type MapPlace,
  shareCovered,
  shareNotServed,
} from './map-places.js';
import type { MapScene } from './map-scene.js';
import { whole } from '../../platform/kernel/counts.js';

const MOST_LEADERS = 10;
const MOST_GAPS = 8;

/** What the map shows: the country, an area or a district. */
export interface MapView {
  /** Null for the country. */
  readonly place: string | null;
  /** Of the circles. */
  readonly level: MapLevel;
  readonly layer: LayerName;
  /** Whether places can have a price by distance. */
  readonly hasReach: boolean;
  /** Null where no positions are known. */
  readonly scene: MapScene | null;
  /** Everything that belongs to the view, with or without a circle. */
  readonly places: readonly MapPlace[];
  /** Those on the map around it. */
  readonly others: readonly MapPlace[];
  /** Its sectors with checks that found no product, most first. */
  readonly gaps: readonly MapPlace[];
}

export function MapPage(props: ReportPageProps & { view: MapView }) {
  const { viewer, chosen, view } = props;
  const { place, layer, scene, gaps } = view;
  const places = [...view.places, ...view.others];
  const { name, definition } = mapLayers[layer];
  const base = place === null ? '/staff/map' : `/staff/map/${place}`;
  const query = periodQuery(chosen.period);
  const withLayer = (one: LayerName) => (one === 'demand' ? query : `measure=${one}&${query}`);
  const hrefOf = (to: string | null, sector = '') =>
    to === null
      ? `/staff/search?q=${encodeURIComponent(sector).replace('%20', '+')}`
      : `/staff/map/${to}?${withLayer(layer)}`;
  const where = place === null ? 'United Kingdom' : placeWords(place);
  const layers = (Object.entries(mapLayers) as [LayerName, MapLayer][]).filter(
    ([one]) => one !== 'reach' || view.hasReach,
  );
  const title = `${name} by ${view.level} of ${where}`;
  return (
    <Layout title={`Map: ${where}`} viewer={viewer} here="map">
      {place !== null && <Breadcrumbs place={place} hrefOf={hrefOf} query={withLayer(layer)} />}
      <nav class="tabs" aria-label="Layer">
        {layers.map(([one, { name: words }]) => (
          <a href={`${base}?${withLayer(one)}`} aria-current={one === layer ? 'page' : undefined}>
            {words}
          </a>
        ))}
      </nav>
      <PeriodForm
        chosen={chosen}
        path={base}
        filters={['client']}
        kept={layer === 'demand' ? {} : { measure: layer }}
      />
      <Figures places={view.places} />
      <div class="map-and-side">
        <section class="map-gaps" aria-labelledby="gaps">
          <h2 id="gaps">Most requested, not served</h2>
          <Gaps gaps={gaps} hrefOf={hrefOf} />
        </section>
        <div class="map-main">
          <p class="hint">{`${definition} ${layer === 'coverage' || layer === 'reach' ? 'Now.' : `${periodWords(chosen.period)}.`}`}</p>
          {scene ? (
            <>
              <p class="skip-map">
                <a href="#leaders">Skip map</a>
              </p>
              <MapDrawing scene={scene} layer={mapLayers[layer]} title={title} hrefOf={hrefOf} />
              <MapLegend layer={mapLayers[layer]} />
            </>
          ) : (
            <Empty title="No map of this place">
              The positions of its postcodes are not known. The data table has all numbers.
            </Empty>
          )}
        </div>
        <section class="map-lists" id="leaders" tabIndex={-1} aria-labelledby="leaders-title">
          <h2 id="leaders-title">{topOf[view.level]}</h2>
          <Leaders places={places} layer={mapLayers[layer]} level={view.level} hrefOf={hrefOf} />
          <p class="export">
            <a href={`${base}.csv?${withLayer(layer)}`}>Export as CSV</a>
            {place === null && (
              <>
                {' · '}
                <a href={`/staff/map.csv?by=sector&${withLayer(layer)}`}>All sectors as CSV</a>
              </>
            )}
          </p>
          {place !== null && (
            <p>
              <a
                href={
                  view.level === 'district'
                    ? `/staff/queue?view=all&area=${place}`
                    : `/staff/search?q=${place}`
                }
              >
                {`Orders of ${place}`}
              </a>
            </p>
          )}
        </section>
      </div>
      <Numbers title={title} columns={placeTable(places, layer, hrefOf)} />
      <p class="hint attribution">
        Contains OS data © Crown copyright and database right 2025. Contains Royal Mail data © Royal
        Mail copyright and database right 2025. Contains National Statistics data © Crown copyright
        and database right 2025. Coast: Natural Earth.
      </p>
    </Layout>
  );
}

const topOf: Readonly<Record<MapLevel, string>> = {
  area: 'Top areas',
  district: 'Top districts',
  sector: 'Top sectors on this map',
};

type HrefOf = (to: string | null, sector?: string) => string;

function Breadcrumbs(props: { place: string; hrefOf: HrefOf; query: string }) {
  const { place, hrefOf, query } = props;
  const area = aroundSector.area(place);
  return (
    <nav class="breadcrumbs" aria-label="Larger places">
      <a href={`/staff/map?${query}`}>United Kingdom</a>
      {area !== place && (
        <>
          {' › '}
          <a href={hrefOf(area)}>{areaWords(area)}</a>
        </>
      )}
      {' › '}
      <span>{placeWords(place)}</span>
    </nav>
  );
}

function Figures({ places }: { places: readonly MapPlace[] }) {
  const total = (of: (place: MapPlace) => number) => places.reduce((sum, one) => sum + of(one), 0);
  const [checks, notServed] = [total((one) => one.checks), total((one) => one.notServed)];
  const [postcodes, covered] = [total((one) => one.postcodes), total((one) => one.covered)];
  const shareOf = (part: number, all: number) => (all === 0 ? '–' : percent(part / all));
  const figures = [
    ['Checks', whole(checks)],
    ['Not served', shareOf(notServed, checks)],
    ['Watched', whole(total((one) => one.watched))],
    ['Orders', whole(total((one) => one.orders))],
    ['Postcodes covered', shareOf(covered, postcodes)],
  ];
  return (
    <dl class="figures">
      {figures.map(([name, figure]) => (
        <div>
          <dt>{name}</dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  );
}

function Gaps({ gaps, hrefOf }: { gaps: readonly MapPlace[]; hrefOf: HrefOf }) {
  if (gaps.length === 0) return <p class="hint">Every check here found a product.</p>;
  return (
    <ol class="leaders">
      {gaps.slice(0, MOST_GAPS).map((one) => {
        const share = shareCovered(one);
        return (
          <li>
            <a href={hrefOf(aroundSector.district(one.name))}>{one.name}</a>{' '}
            <span class="muted">
              {mapLayers.lost.words(one)}
              {share !== null && `, ${percent(share)} covered`}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function Leaders(props: {
  places: readonly MapPlace[];
  layer: MapLayer;
  level: MapLevel;
  hrefOf: HrefOf;
}) {
  const { places, layer, level, hrefOf } = props;
  const { rank = layer.of } = layer;
  const leaders = places
    .filter((one) => rank(one) > 0)
    .sort((a, b) => rank(b) - rank(a))
    .slice(0, MOST_LEADERS);
  if (leaders.length === 0) {
    return (
      <Empty title="Nothing to show">No checks or orders in this period. Choose another.</Empty>
    );
  }
  return (
    <ol class="leaders">
      {leaders.map((one) => (
        <li>
          <a href={level === 'sector' ? hrefOf(null, one.name) : hrefOf(one.name)}>
            {placeWords(one.name)}
          </a>{' '}
          <span class="muted">{layer.words(one)}</span>
        </li>
      ))}
    </ol>
  );
}

/** "AB Aberdeen", or the name of a smaller place. */
export function placeWords(name: string): string {
  return /\d/.test(name) ? name : areaWords(name);
}

const columns = {
  name: text('Place', 'The area, district or sector.'),
  checks: count('Checks', 'Checks made.'),
  notServed: count('Not served', 'Of these, those without any product.'),
  shareNotServed: share('% not served', 'Of the checks.', 'Share not served'),
  byStaff: count('By phone', 'Of the checks, those that staff made on the phone.'),
  watched: count('Watched', 'Watches that are open now.'),
  orders: count('Orders', 'Orders received.'),
  amounts: amounts('per month', 'Their monthly prices, by currency.'),
  postcodes: orNull(count('Postcodes', 'Postcodes in use.')),
  shareCovered: share('% covered', 'Of the postcodes.', 'Share covered'),
};

/** On the layer that counts them. */
const reachColumns = {
  reached: count('Near the network', 'Postcodes that get a price by distance.'),
};

/** @param hrefOf the page of a place */
export function placeTable(
  places: readonly MapPlace[],
  layer: LayerName,
  hrefOf: HrefOf,
): PrintedColumn[] {
  const rows = sortedPlaces(places).map((place) => ({
    ...place,
    shareNotServed: shareNotServed(place),
    amounts: amountsByCurrency(place.amounts),
    postcodes: place.postcodes || null,
    shareCovered: shareCovered(place),
  }));
  const [, ...others] = printed(columns, rows);
  const cells = rows.map(({ name }) => ({
    text: placeWords(name),
    href: name.includes(' ') ? hrefOf(null, name) : hrefOf(name),
    value: name,
  }));
  const reached = layer === 'reach' ? printed(reachColumns, rows) : [];
  return [{ name: 'Place', cells }, ...others, ...reached];
}

/** The table with the positions on the National Grid, in metres. */
export function exportTable(places: readonly MapPlace[], layer: LayerName): PrintedColumn[] {
  const metres = (value: number | undefined) =>
    value === undefined ? null : Math.round(value) * 100;
  const rows = sortedPlaces(places);
  return [
    ...placeTable(places, layer, () => ''),
    { name: 'Easting', cells: rows.map(({ at }) => metres(at?.x)) },
    { name: 'Northing', cells: rows.map(({ at }) => metres(at?.y)) },
  ];
}

function sortedPlaces(places: readonly MapPlace[]): MapPlace[] {
  return places.toSorted(
    (a, b) => b.checks - a.checks || b.orders - a.orders || b.postcodes - a.postcodes,
  );
}
