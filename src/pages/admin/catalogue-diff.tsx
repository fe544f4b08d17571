import type { DiffView, PriceChangeView, PriceChangesView } from '../../catalogue/catalogue.dto.js';
import { listedFields } from '../../catalogue/content/diff.js';
import { inBrief } from '../../catalogue/content/offers.js';
import { whole } from '../shell/parts.js';
import { Scroll } from './scroll.js';

/** Rows of a list that are shown; the numbers are whole. */
const MOST_ROWS = 20;

/** What changes for clients from one version to another: the numbers first, then the first rows. */
export function Diff({ diff }: { diff: DiffView }) {
  if (diff.noChange) return <p>Nothing changes for clients.</p>;
  const { postcodes, places, products } = diff;
  return (
    <>
      <Scroll label="Coverage, before and after">
        <table class="short">
          <caption class="unseen">Coverage, before and after</caption>
          <thead>
            <tr>
              <th scope="col">Coverage</th>
              <th scope="col" class="number">
                Gained
              </th>
              <th scope="col" class="number">
                Lost
              </th>
              <th scope="col" class="number">
                Moved to another zone
              </th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">{diff.register ? 'Postcodes' : 'Postcodes named in the files'}</th>
              <Counts {...postcodes} />
            </tr>
            <tr>
              <th scope="row">Places (sectors to areas)</th>
              <Counts {...places} />
            </tr>
          </tbody>
        </table>
      </Scroll>
      <p class="hint">{`Postcodes in which something is sold: ${whole(postcodes.coveredBefore)} before, ${whole(postcodes.coveredAfter)} after.`}</p>
      <Codes title="New products" codes={products.added} />
      <Codes title="Products that go" codes={products.removed} />
      <Codes title="Products that change" codes={products.changed} />
      {listedFields().map(({ list, heading, field }) => (
        <Prices title={heading} changes={diff[list]} cell={(terms) => inBrief(field, terms)} />
      ))}
    </>
  );
}

function Counts(counts: { gained: number; lost: number; moved: number }) {
  return (
    <>
      <td class="number">{whole(counts.gained)}</td>
      <td class={counts.lost > 0 ? 'number late' : 'number'}>{whole(counts.lost)}</td>
      <td class="number">{whole(counts.moved)}</td>
    </>
  );
}

function Codes({ title, codes }: { title: string; codes: readonly string[] }) {
  if (codes.length === 0) return null;
  const more = codes.length - MOST_ROWS;
  return (
    <p>
      {`${title} (${whole(codes.length)}): ${codes.slice(0, MOST_ROWS).join(', ')}${more > 0 ? ` and ${whole(more)} more` : ''}`}
    </p>
  );
}

type Terms = NonNullable<PriceChangeView['before']>;

function Prices(props: {
  title: string;
  changes: PriceChangesView;
  cell: (terms: Terms) => string;
}) {
  const { title, changes, cell } = props;
  if (changes.count === 0) return null;
  const rows = changes.list.slice(0, MOST_ROWS);
  return (
    <details>
      <summary>{`${title}: ${whole(changes.count)} ${changes.count === 1 ? 'changes' : 'change'}`}</summary>
      <Scroll label={title}>
        <table>
          <caption>
            {changes.count > rows.length ? `The first ${rows.length}` : `All ${rows.length}`}
          </caption>
          <thead>
            <tr>
              <th scope="col">Product</th>
              <th scope="col">Zone</th>
              <th scope="col">Price list</th>
              <th scope="col" class="number">
                Before
              </th>
              <th scope="col" class="number">
                After
              </th>
              <th scope="col" class="number">
                Change
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                <th scope="row">{row.productCode}</th>
                <td>{row.zone}</td>
                <td>{row.priceList}</td>
                <td class="number">{row.before ? cell(row.before) : 'none'}</td>
                <td class="number">{row.after ? cell(row.after) : 'none'}</td>
                <td class="number">
                  {row.percent === null ? '' : `${row.percent > 0 ? '+' : ''}${row.percent} %`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}
