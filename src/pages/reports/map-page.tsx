import type { StaffCaller } from '../../access/caller.js';
import type { AreaDemand } from '../../follow-up/reports/area-demand.service.js';
import { nameOfArea } from './area-tiles.js';
import { number, percent, sum } from './chart-scale.js';
import { Layout } from '../shell/layout.js';
import { type MeasuredMap, measures, measureWords } from './map-measures.js';
import { Empty } from '../shell/parts.js';
import { Table } from '../shell/table.js';
import { type ChosenPeriod, periodQuery } from './period.js';
import { areaWords, CheckBars, type ReportTable, tableOf } from './report-drawings.js';
import { Numbers, PeriodForm, periodWords } from './report-page.js';
import { ShadeLegend, TileMap } from './tile-map.js';

interface MapPageProps {
  readonly viewer: StaffCaller;
  readonly chosen: ChosenPeriod;
  readonly today: string;
}

const MOST_LEADERS = 10;

export function MapPage(props: MapPageProps & { map: MeasuredMap }) {
  const { viewer, chosen, today, map } = props;
  const { measure } = map;
  const { name, definition } = measureWords[measure];
  const query = periodQuery(chosen.period);
  const hrefOf = (area: string) => `/staff/map/${area}?${query}`;
  const nothing = map.areas.every(({ row }) => row.checks + row.orders === 0);
  return (
    <Layout title={`Map: ${name.toLowerCase()}`} viewer={viewer} here="map">
      <nav class="tabs" aria-label="What the map shows">
        {measures.map((one) => (
          <a
            href={`/staff/map?${new URLSearchParams({ measure: one }).toString()}&${query}`}
            aria-current={one === measure ? 'page' : undefined}
          >
            {measureWords[one].name}
          </a>
        ))}
      </nav>
      <PeriodForm chosen={chosen} today={today} path="/staff/map" kept={{ measure }} />
      <div class="map-and-side">
        <div class="map-side">
          <p class="lead">{definition}</p>
          <p class="hint">{periodWords(chosen.period)}.</p>
          {nothing ? (
            <Empty title="Nothing to show">
              No check was made and no order received in these days. Choose others.
            </Empty>
          ) : (
            <>
              <ShadeLegend classes={map.classes} levels />
              <p>
                <a href="#leaders">Skip the map to the list</a>
              </p>
            </>
          )}
        </div>
        <TileMap map={map} hrefOf={hrefOf} />
        <div class="map-lists" id="leaders" tabIndex={-1}>
          {!nothing && <Leaders map={map} hrefOf={hrefOf} />}
          <Numbers title={`${name} by area`} table={areasOf(map, hrefOf)} />
        </div>
      </div>
    </Layout>
  );
}

function Leaders({ map, hrefOf }: { map: MeasuredMap; hrefOf: (area: string) => string }) {
  const { words } = measureWords[map.measure];
  const leaders = ranked(map).slice(0, MOST_LEADERS);
  return (
    <>
      <h2>{map.measure === 'coverage' ? 'Least covered, most asked' : 'Most'}</h2>
      <ol class="leaders">
        {leaders.map(({ area, value, row }) => (
          <li>
            <a href={hrefOf(area)}>{areaWords(area)}</a>{' '}
            <span class="muted">
              {map.measure === 'coverage'
                ? `${percent(value ?? 0)} of ${number(row.checks)}`
                : words(value ?? 0)}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** Highest first; of coverage the areas that lose most. */
function ranked({ areas, measure }: MeasuredMap) {
  const weight = ({ value, row }: MeasuredMap['areas'][number]) =>
    measure === 'coverage' ? row.checksWithoutProduct : (value ?? 0);
  return areas.filter((one) => weight(one) > 0).sort((a, b) => weight(b) - weight(a));
}

function areasOf({ areas }: MeasuredMap, hrefOf: (area: string) => string): ReportTable {
  const known = areas
    .map(({ row }) => row)
    .filter(({ checks, orders }) => checks + orders > 0)
    .sort((a, b) => b.checks - a.checks || b.orders - a.orders);
  return tableOf(known, {
    Area: ({ area }) => ({ text: areaWords(area), href: hrefOf(area) }),
    Checks: ({ checks }) => checks,
    'With nothing to sell': ({ checksWithoutProduct }) => checksWithoutProduct,
    Coverage: ({ checks, checksWithoutProduct }) =>
      checks === 0 ? null : percent((checks - checksWithoutProduct) / checks),
    Orders: ({ orders }) => orders,
  });
}

/** What lies behind a tile: demand by district, the sectors that were not served. */
export function AreaPage(props: MapPageProps & { area: string; demand: AreaDemand }) {
  const { viewer, chosen, today, area, demand } = props;
  const { districts, missed } = demand;
  const town = nameOfArea(area);
  const query = periodQuery(chosen.period);
  const asked = districts.filter(({ checks }) => checks > 0);
  const total = (of: 'checks' | 'checksWithoutProduct' | 'orders') =>
    number(sum(districts.map((row) => row[of])));
  const figures = [
    ['Checks', total('checks')],
    ['With nothing to sell', total('checksWithoutProduct')],
    ['Orders', total('orders')],
  ];
  return (
    <Layout title={town === null ? `Area ${area}` : areaWords(area)} viewer={viewer} here="map">
      <PeriodForm chosen={chosen} today={today} path={`/staff/map/${area}`} />
      <dl class="figures">
        {figures.map(([name, figure]) => (
          <div>
            <dt>{name}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
      <p class="actions">
        <a class="button" href={`/staff/queue?view=all&area=${area}`}>
          {`Orders of ${area}`}
        </a>
        <a href={`/staff/map?${query}`}>Back to the map</a>
      </p>
      <h2>Demand by district</h2>
      {asked.length === 0 ? (
        <Empty title="No check was made here in these days">
          Choose other days, or <a href={`/staff/map?${query}`}>another area</a>.
        </Empty>
      ) : (
        <div class="single-report">
          <CheckBars
            id="districts"
            title={`Checks by district of ${area}`}
            places={asked}
            labelOf={({ district }) => district}
            most={20}
          />
        </div>
      )}
      <Numbers
        title={`Demand by district of ${area}`}
        table={tableOf(districts, {
          District: ({ district }) => district,
          Checks: ({ checks }) => checks,
          'With nothing to sell': ({ checksWithoutProduct }) => checksWithoutProduct,
          'By telephone': ({ checksByStaff }) => checksByStaff,
          Orders: ({ orders }) => orders,
        })}
      />
      <h2>Not served</h2>
      {missed.length === 0 ? (
        <p class="hint">No check of these days found nothing here.</p>
      ) : (
        <Table
          class="short"
          caption={`The sectors of ${area} where checks found nothing to sell, most checks first.`}
          captioned
          rows={missed}
          columns={[
            { name: 'Sector', of: ({ sector }) => sector, heads: true },
            { name: 'Checks', of: ({ checks }) => number(checks), class: 'number' },
          ]}
        />
      )}
    </Layout>
  );
}
