import type { AreaDemand } from '../../follow-up/reports/area-demand.service.js';
import { sum } from '../../follow-up/reports/report-figures.js';
import { nameOfArea } from './area-tiles.js';
import { percent } from './chart-scale.js';
import { Layout } from '../shell/layout.js';
import { mapMeasures, type MeasuredArea, type MeasuredMap } from './map-measures.js';
import { Empty, whole } from '../shell/parts.js';
import { Table } from '../shell/table.js';
import { periodQuery } from './period.js';
import { areaWords, CheckBars, demandTable, tableOf } from './report-drawings.js';
import { Numbers, PeriodForm, periodWords, type ReportPageProps } from './report-page.js';
import { ShadeLegend, TileMap } from './tile-map.js';

const MOST_LEADERS = 10;

export function MapPage(props: ReportPageProps & { map: MeasuredMap }) {
  const { viewer, chosen, map } = props;
  const { measure } = map;
  const { name, definition } = mapMeasures[measure];
  const query = periodQuery(chosen.period);
  const hrefOf = (area: string) => `/staff/map/${area}?${query}`;
  const known = map.areas
    .filter(({ checks, orders }) => checks + orders > 0)
    .sort((a, b) => b.checks - a.checks || b.orders - a.orders);
  const nothing = known.length === 0;
  return (
    <Layout title={`Map: ${name.toLowerCase()}`} viewer={viewer} here="map">
      <nav class="tabs" aria-label="Measure">
        {Object.entries(mapMeasures).map(([one, { name }]) => (
          <a
            href={`/staff/map?measure=${one}&${query}`}
            aria-current={one === measure ? 'page' : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <PeriodForm chosen={chosen} path="/staff/map" kept={{ measure }} />
      <div class="map-and-side">
        <div class="map-side">
          <p class="lead">{definition}</p>
          <p class="hint">{periodWords(chosen.period)}.</p>
          {nothing ? (
            <Empty title="Nothing to show">
              No checks or orders in this period. Choose another.
            </Empty>
          ) : (
            <>
              <ShadeLegend classes={map.classes} levels />
              <p>
                <a href="#leaders">Skip map</a>
              </p>
            </>
          )}
        </div>
        <TileMap map={map} hrefOf={hrefOf} />
        <div class="map-lists" id="leaders" tabIndex={-1}>
          {!nothing && <Leaders map={map} hrefOf={hrefOf} />}
          <Numbers title={`${name} by area`} table={demandTable(known, query)} />
        </div>
      </div>
    </Layout>
  );
}

/** The highest areas; for coverage, those with the most checks that found nothing. */
function Leaders({ map, hrefOf }: { map: MeasuredMap; hrefOf: (area: string) => string }) {
  const { words } = mapMeasures[map.measure];
  const isCoverage = map.measure === 'coverage';
  const weight = ({ value, checksWithoutProduct }: MeasuredArea) =>
    isCoverage ? checksWithoutProduct : (value ?? 0);
  const leaders = map.areas
    .filter((one) => weight(one) > 0)
    .sort((a, b) => weight(b) - weight(a))
    .slice(0, MOST_LEADERS);
  return (
    <>
      <h2>{isCoverage ? 'Biggest coverage gaps' : 'Top areas'}</h2>
      <ol class="leaders">
        {leaders.map(({ area, value, checks }) => (
          <li>
            <a href={hrefOf(area)}>{areaWords(area)}</a>{' '}
            <span class="muted">
              {isCoverage ? `${percent(value ?? 0)} of ${whole(checks)}` : words(value ?? 0)}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** Demand by district of one area, and its sectors without service. */
export function AreaPage(props: ReportPageProps & { area: string; demand: AreaDemand }) {
  const { viewer, chosen, area, demand } = props;
  const { districts, missed } = demand;
  const town = nameOfArea(area);
  const query = periodQuery(chosen.period);
  const asked = districts.filter(({ checks }) => checks > 0);
  const total = (of: 'checks' | 'checksWithoutProduct' | 'orders') =>
    whole(sum(districts.map((row) => row[of])));
  const figures = [
    ['Checks', total('checks')],
    ['Without a product', total('checksWithoutProduct')],
    ['Orders', total('orders')],
  ];
  return (
    <Layout title={town === null ? `Area ${area}` : areaWords(area)} viewer={viewer} here="map">
      <PeriodForm chosen={chosen} path={`/staff/map/${area}`} />
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
        <Empty title="No checks here in this period">
          Choose another period, or <a href={`/staff/map?${query}`}>another area</a>.
        </Empty>
      ) : (
        <div class="single-report">
          <CheckBars
            id="districts"
            title={`Checks by district of ${area}`}
            places={asked.map((row) => ({ ...row, label: row.district }))}
            most={20}
          />
        </div>
      )}
      <Numbers
        title={`Demand by district of ${area}`}
        table={tableOf(districts, {
          District: ({ district }) => district,
          Checks: ({ checks }) => checks,
          'Without a product': ({ checksWithoutProduct }) => checksWithoutProduct,
          'By phone': ({ checksByStaff }) => checksByStaff,
          Orders: ({ orders }) => orders,
        })}
      />
      <h2>Not served</h2>
      {missed.length === 0 ? (
        <p class="hint">Every check here found a product.</p>
      ) : (
        <Table
          class="short"
          caption={`Sectors of ${area} where checks found no product, most checks first.`}
          captioned
          rows={missed}
          columns={[
            { name: 'Sector', of: ({ sector }) => sector, heads: true },
            { name: 'Checks', of: ({ checks }) => whole(checks), class: 'number' },
          ]}
        />
      )}
    </Layout>
  );
}
