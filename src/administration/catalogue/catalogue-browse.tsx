import type { StaffCaller } from '../../platform/access/caller.js';
import type { VersionView } from '../../catalogue/catalogue.dto.js';
import type { BrowsedPrice, PriceFilter } from '../../catalogue/content/browse/browse-prices.js';
import { datesInWords, isDated } from '../../catalogue/content/dates.js';
import type { PlaceAround } from '../../catalogue/content/browse/browse-coverage.js';
import { type CoverageRow, EXCLUDED } from '../../catalogue/content/coverage-index.js';
import {
  inWords,
  labelledFields,
  publishPrice,
  publishProduct,
} from '../../catalogue/content/offers.js';
import { type FieldChoice, Labelled, TextField } from '../../platform/ui/forms/fields.js';
import { Empty, Notice, whole } from '../../platform/ui/parts.js';
import { Table } from '../../platform/ui/table.js';
import { AdminLayout } from '../admin-layout.js';
import { addressOf, Pager, versionPath, type VersionTab, VersionTabs } from './catalogue-parts.js';

interface BrowseProps {
  readonly viewer: StaffCaller;
  readonly version: VersionView;
  readonly page: number;
  /** Rows of all pages. */
  readonly count: number;
}

function BrowseLayout(
  props: BrowseProps & {
    readonly here: VersionTab;
    readonly children: import('preact').ComponentChildren;
  },
) {
  const { viewer, version, here, children } = props;
  const live = version.state === 'active' ? ', live' : '';
  return (
    <AdminLayout
      title={`Version ${version.number}${live}: ${here}`}
      viewer={viewer}
      here="catalogue"
    >
      <VersionTabs version={version} here={here} />
      {children}
    </AdminLayout>
  );
}

interface PricesProps extends BrowseProps {
  readonly filter: PriceFilter;
  readonly choices: { readonly zones: readonly string[]; readonly priceLists: readonly string[] };
  readonly rows: readonly BrowsedPrice[];
}

export function PricesPage(props: PricesProps) {
  const { version, filter, choices, rows, page, count } = props;
  const { product, zone, priceList } = filter;
  const path = versionPath(version.number, 'prices');
  const query = { product, zone: zone ?? '', list: priceList ?? '' };
  // Bandwidth is in the name; the term is not.
  const fields = labelledFields().filter(({ name }) => name !== 'bandwidthProvisioned');
  return (
    <BrowseLayout {...props} here="prices">
      <form class="trail" method="get" action={path}>
        <TextField
          name="product"
          label="Product"
          value={product}
          input={{ placeholder: 'ETH-, 1G', maxLength: 120, autocomplete: 'off' }}
        />
        <Choice name="zone" label="Zone" all="All zones" of={choices.zones} value={zone} />
        <Choice
          name="list"
          label="Price list"
          all="All price lists"
          of={choices.priceLists}
          value={priceList}
        />
        <p class="actions">
          <button type="submit">Filter</button>
          {(product !== '' || zone !== null || priceList !== null) && <a href={path}>Clear</a>}
        </p>
      </form>
      {rows.length === 0 ? (
        <Empty title="No price matches." />
      ) : (
        <>
          <p class="hint">
            {`${whole(count)} prices. ${priceList === null ? 'A price list has the prices of standard where it states none.' : `What clients on ${priceList} get.`} Prices exclude VAT.`}
          </p>
          <Table
            label="Prices"
            caption="Prices"
            rows={rows}
            columns={[
              {
                name: 'Product',
                of: ({ product: { code, name } }) => (
                  <>
                    {name} <code class="muted">{code}</code>
                  </>
                ),
                heads: true,
                class: 'words',
              },
              { name: 'Zone', of: ({ price }) => price.zone },
              {
                name: 'Price list',
                of: ({ price, derivation }) =>
                  derivation === null ? (
                    price.priceList
                  ) : (
                    <>
                      {price.priceList}
                      <br />
                      <span class="muted">{derivation}</span>
                    </>
                  ),
              },
              rows.some(({ price }) => isDated(price)) && {
                name: 'Days',
                of: ({ price }) => datesInWords(price) || 'all others',
              },
              ...fields
                .filter(({ name }) => name !== 'network')
                .map((field) => ({
                  name: field.label,
                  of: ({ product, price }: BrowsedPrice) =>
                    inWords(field, { ...publishProduct(product), ...publishPrice(price) }),
                  ...(field.name !== 'basis' && { class: 'number' as const }),
                })),
            ]}
          />
          <Pager page={page} count={count} to={(to) => addressOf(path, { ...query, page: to })} />
        </>
      )}
    </BrowseLayout>
  );
}

function Choice(props: {
  name: string;
  label: string;
  all: string;
  of: readonly string[];
  value: string | null;
}) {
  const { name, label, all, of, value } = props;
  const choices: FieldChoice[] = [
    { value: '', name: all },
    ...of.map((one) => ({ value: one, name: one })),
  ];
  return (
    <Labelled name={name} label={label}>
      <select id={name} name={name}>
        {choices.map((choice) => (
          <option value={choice.value} selected={choice.value === (value ?? '')}>
            {choice.name}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface CoverageProps extends BrowseProps {
  /** As typed. */
  readonly place: string;
  /** Why the place cannot be read. */
  readonly fault: string | null;
  /** The canonical name; null for everything. */
  readonly name: string | null;
  readonly around: readonly PlaceAround[];
  readonly rows: readonly CoverageRow[];
}

export function CoveragePage(props: CoverageProps) {
  const { version, place, fault, name, around, rows, page, count } = props;
  const path = versionPath(version.number, 'coverage');
  const applies = around.find((row) => row.applies);
  return (
    <BrowseLayout {...props} here="coverage">
      <form class="trail" method="get" action={path}>
        <TextField
          name="place"
          label="Place"
          hint="A postcode, sector (EC2A 2), district (EC2) or area (EC)."
          value={place}
          faults={fault === null ? undefined : new Map([['place', fault]])}
          input={{ maxLength: 20, autocomplete: 'off' }}
        />
        <p class="actions">
          <button type="submit">Show</button>
          {place !== '' && <a href={path}>Clear</a>}
        </p>
      </form>
      {name !== null && (
        <>
          <Notice
            kind={applies && applies.zone !== EXCLUDED ? 'good' : 'plain'}
            title={
              !applies
                ? `${name} is outside this version’s coverage.`
                : applies.zone === EXCLUDED
                  ? `${name} is excluded by the row of the ${levelName(applies)} ${applies.place}.`
                  : `${name} is in ${applies.zone}, by the row of the ${levelName(applies)} ${applies.place}.`
            }
          >
            {applies && applies.zone !== EXCLUDED && (
              <p>
                <a href={addressOf(versionPath(version.number, 'prices'), { zone: applies.zone! })}>
                  {`Prices in ${applies.zone}`}
                </a>
              </p>
            )}
          </Notice>
          <Table
            label={`${name} and the places around it`}
            caption={`${name} and the places around it: the first with a row applies`}
            captioned
            class="short"
            rows={around}
            columns={[
              { name: 'Place', of: (row) => row.place, heads: true },
              { name: 'Level', of: levelName },
              {
                name: 'Zone',
                of: ({ zone }) =>
                  zone === null ? <span class="muted">no row</span> : zoneName(zone),
              },
              {
                name: 'Applies',
                of: (row) => (row.applies ? <strong class="ok">applies</strong> : ''),
              },
            ]}
          />
        </>
      )}
      <h2>{name === null ? `All rows: ${whole(count)}` : `Rows in ${name}: ${whole(count)}`}</h2>
      {rows.length === 0 ? (
        <p>No row names this place or a part of it.</p>
      ) : (
        <>
          <Table
            label="Coverage rows"
            caption="Coverage rows, from areas to postcodes"
            class="short"
            rows={rows}
            columns={[
              { name: 'Place', of: (row) => row.place, heads: true },
              { name: 'Level', of: levelName },
              { name: 'Zone', of: ({ zone }) => zoneName(zone) },
            ]}
          />
          <Pager page={page} count={count} to={(to) => addressOf(path, { place, page: to })} />
        </>
      )}
    </BrowseLayout>
  );
}

function levelName({ level }: Pick<CoverageRow, 'level'>): string {
  return level === 'unit' ? 'postcode' : level;
}

function zoneName(zone: string): string {
  return zone === EXCLUDED ? 'excluded' : zone;
}

export interface PremisesRow {
  readonly uprn: string;
  readonly postcode: string;
  readonly name: string;
  readonly zone: string;
}

interface PremisesProps extends BrowseProps {
  /** As typed: a postcode or a UPRN. */
  readonly text: string;
  readonly fault: string | null;
  readonly rows: readonly PremisesRow[];
}

export function PremisesPage(props: PremisesProps) {
  const { version, text, fault, rows, page, count } = props;
  const path = versionPath(version.number, 'premises');
  return (
    <BrowseLayout {...props} here="premises">
      <form class="trail" method="get" action={path}>
        <TextField
          name="at"
          label="Postcode or UPRN"
          value={text}
          faults={fault === null ? undefined : new Map([['at', fault]])}
          input={{ maxLength: 20, autocomplete: 'off' }}
        />
        <p class="actions">
          <button type="submit">Show</button>
          {text !== '' && <a href={path}>Clear</a>}
        </p>
      </form>
      {rows.length === 0 ? (
        <Empty title="No premises are listed here." />
      ) : (
        <>
          <Table
            label="Listed premises"
            caption={`Listed premises: ${whole(count)}`}
            captioned
            rows={rows}
            columns={[
              { name: 'UPRN', of: ({ uprn }) => uprn, heads: true },
              { name: 'Postcode', of: ({ postcode }) => postcode },
              { name: 'Name', of: ({ name }) => name, class: 'words' },
              { name: 'Zone', of: ({ zone }) => zoneName(zone) },
            ]}
          />
          <Pager page={page} count={count} to={(to) => addressOf(path, { at: text, page: to })} />
        </>
      )}
    </BrowseLayout>
  );
}
