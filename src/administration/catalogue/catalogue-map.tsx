import type { MapChanges, PolygonChange } from '../../catalogue/worker/map-changes.js';
import { whole } from '../../platform/kernel/counts.js';
import { Table } from '../../platform/ui/table.js';
import { versionPath } from './catalogue-parts.js';

/** What a version changes on the map of coverage.geojson: a drawing, and the same as a table. */
export function CoverageMap({ number, map }: { number: number; map: MapChanges }) {
  const { size, before, after, gained, lost, polygons } = map;
  const hidden = map.polygonCount - polygons.length;
  return (
    <>
      <h2>Coverage on the map</h2>
      <figure class="coverage-map">
        <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-labelledby="coverage-map-title">
          <title id="coverage-map-title">
            Outlines before and after, with the postcodes gained and lost. The table and the CSV
            file have the same.
          </title>
          {after !== null && <path class="after" d={after} />}
          {before !== null && <path class="before" d={before} />}
          <path class="gained" d={gained} />
          <path class="lost" d={lost} />
        </svg>
        <figcaption>
          <ul class="key">
            <Key class="after" d="M1 2h18v10h-18Z">
              New outline
            </Key>
            <Key class="before" d="M1 2h18v10h-18Z">
              Outline of the live version
            </Key>
            <Key class="gained" d="M10 7h0">
              Postcode gained
            </Key>
            <Key class="lost" d="M10 7h0">
              Postcode lost
            </Key>
          </ul>
          {(before === null || after === null) && (
            <p class="hint">
              There are too many outlines to draw here. Open both files in QGIS to compare them.
            </p>
          )}
        </figcaption>
      </figure>
      <Table
        label="Polygons that change"
        caption="Polygons that change, with the postcodes and the areas in them"
        class="short"
        rows={polygons}
        columns={[
          { name: 'Polygon', of: ({ label }: PolygonChange) => label, heads: true },
          { name: 'Zone', of: ({ zone }) => (zone === '-' ? 'excluded' : zone) },
          { name: 'Postcodes', of: (one) => whole(one.postcodes), class: 'number' },
          { name: 'Gained', of: (one) => whole(one.postcodesGained), class: 'number' },
          {
            name: 'Lost',
            of: ({ postcodesLost: count }) =>
              count > 0 ? <span class="late">{whole(count)}</span> : '0',
            class: 'number',
          },
          { name: 'km²', of: ({ area }) => squareKilometres(area), class: 'number' },
          { name: 'km² gained', of: (one) => squareKilometres(one.areaGained), class: 'number' },
          { name: 'km² lost', of: (one) => squareKilometres(one.areaLost), class: 'number' },
          { name: 'Postcodes at the border', of: ({ border }) => whole(border), class: 'number' },
        ]}
      />
      {hidden > 0 && (
        <p class="hint">{`${whole(hidden)} more polygons change, with fewer postcodes.`}</p>
      )}
      <p>
        <a href={versionPath(number, 'map.csv')} download>
          Download the postcodes that change or are at a border (CSV)
        </a>
      </p>
    </>
  );
}

function Key({ class: of, d, children }: { class: string; d: string; children: string }) {
  return (
    <li>
      <svg viewBox="0 0 20 14" width="20" height="14" aria-hidden="true">
        <path class={of} d={d} />
      </svg>
      {` ${children}`}
    </li>
  );
}

function squareKilometres(area: number): string {
  return area === 0 ? '0' : area < 0.005 ? 'under 0.01' : area.toFixed(2);
}
