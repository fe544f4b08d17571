import type { DiffView, PriceChangeView, PriceChangesView } from '../../catalogue/catalogue.dto.js';
import { listedFields } from '../../catalogue/content/diff.js';
import { inBrief } from '../../catalogue/content/offers.js';
import { whole } from '../shell/parts.js';
import { Table } from '../shell/table.js';

/** Rows of each list; the totals count all. */
const MOST_ROWS = 20;

/** What changes for clients between two versions. */
export function Diff({ diff }: { diff: DiffView }) {
  if (diff.noChange) return <p>Nothing changes for clients.</p>;
  const { postcodes, places, premises, products } = diff;
  return (
    <>
      <Table
        label="Coverage, before and after"
        caption="Coverage, before and after"
        class="short"
        rows={[
          { name: diff.register ? 'Postcodes' : 'Postcodes named in the files', ...postcodes },
          { name: 'Places (sectors to areas)', ...places },
          { name: 'Listed premises', ...premises },
        ]}
        columns={[
          { name: 'Coverage', of: ({ name }) => name, heads: true },
          { name: 'Gained', of: ({ gained }) => whole(gained), class: 'number' },
          {
            name: 'Lost',
            of: ({ lost }) => (lost > 0 ? <span class="late">{whole(lost)}</span> : '0'),
            class: 'number',
          },
          { name: 'Moved to another zone', of: ({ moved }) => whole(moved), class: 'number' },
        ]}
      />
      <p class="hint">{`Postcodes with products: ${whole(postcodes.coveredBefore)} before, ${whole(postcodes.coveredAfter)} after.`}</p>
      <Codes title="New products" codes={products.added} />
      <Codes title="Removed products" codes={products.removed} />
      <Codes title="Changed products" codes={products.changed} />
      {listedFields().map(({ list, heading, field }) => (
        <Prices title={heading} changes={diff[list]} cell={(terms) => inBrief(field, terms)} />
      ))}
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

function Prices(props: {
  title: string;
  changes: PriceChangesView;
  cell: (terms: NonNullable<PriceChangeView['before']>) => string;
}) {
  const { title, changes, cell } = props;
  if (changes.count === 0) return null;
  const rows = changes.list.slice(0, MOST_ROWS);
  return (
    <details>
      <summary>{`${title}: ${whole(changes.count)} ${changes.count === 1 ? 'changes' : 'change'}`}</summary>
      <Table
        label={title}
        caption={changes.count > rows.length ? `The first ${rows.length}` : `All ${rows.length}`}
        captioned
        rows={rows}
        columns={[
          { name: 'Product', of: ({ productCode }) => productCode, heads: true },
          { name: 'Zone', of: ({ zone }) => zone },
          { name: 'Price list', of: ({ priceList }) => priceList },
          { name: 'Before', of: ({ before }) => (before ? cell(before) : 'none'), class: 'number' },
          { name: 'After', of: ({ after }) => (after ? cell(after) : 'none'), class: 'number' },
          {
            name: 'Change',
            of: ({ percent }) => percent !== null && `${percent > 0 ? '+' : ''}${percent} %`,
            class: 'number',
          },
        ]}
      />
    </details>
  );
}
