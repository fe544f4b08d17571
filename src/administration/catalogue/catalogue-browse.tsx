import type { StaffCaller } from '../../platform/access/caller.js';
import type { VersionView } from '../../catalogue/catalogue.dto.js';
import { FROM_THE_START, type PricesOfZone } from '../../catalogue/content/browse/browse-prices.js';
import { STANDARD } from '../../catalogue/content/cells.js';
import { marginInWords, type SupplierCost } from '../../catalogue/content/review/margins.js';
import type { Offer } from '../../catalogue/content/offer-fields.js';
import { dayInWords } from '../../catalogue/content/dates.js';
import type { VolumeRow, PriceListRow } from '../../catalogue/content/price-list-fields.js';
import type { PlaceAround } from '../../catalogue/content/browse/browse-coverage.js';
import { type CoverageRow, EXCLUDED } from '../../catalogue/content/coverage-index.js';
import { type FieldChoice, Labelled, TextField } from '../../platform/ui/forms/fields.js';
import { partsOf, zoneInWords } from '../../catalogue/content/coverage-codec.js';
import { Empty, Notice } from '../../platform/ui/parts.js';
import { Section, Table } from '../../platform/ui/table.js';
import { OfferMatrices } from '../../telephone/offer-matrix-view.js';
import { AdminLayout } from '../admin-layout.js';
import { addressOf, Pager, versionPath, type VersionTab, VersionTabs } from './catalogue-parts.js';
import { whole } from '../../platform/kernel/counts.js';

interface BrowseProps {
  readonly viewer: StaffCaller;
  readonly version: VersionView;
  readonly page: number;
  /** Rows of all pages. */
  readonly count: number;
}

function BrowseLayout(
  props: Pick<BrowseProps, 'viewer' | 'version'> & {
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

interface PricesProps extends Omit<BrowseProps, 'page' | 'count'> {
  readonly choices: { readonly zones: readonly string[]; readonly priceLists: readonly string[] };
  /** Null for a version without prices. */
  readonly prices: PricesOfZone | null;
  /** Whether each price says where it comes from. */
  readonly withOrigin: boolean;
  readonly now: Date;
  /** Of the zone of a supplier, by product, for those who may see margins. */
  readonly costs: ReadonlyMap<string, SupplierCost>;
  /** Discounts for the lines of quotes, on this list or on all. */
  readonly volume: readonly VolumeRow[];
}

/** The prices of a zone on a list, as staff see them when they check a postcode. */
export function PricesPage(props: PricesProps) {
  const { version, choices, prices, withOrigin, now, costs } = props;
  const path = versionPath(version.number, 'prices');
  if (prices === null) {
    return (
      <BrowseLayout {...props} here="prices">
        <Empty title="This version has no prices." />
      </BrowseLayout>
    );
  }
  const { zone, priceList, day, changeDays, offers, rule, originOf } = prices;
  const query = { zone, list: priceList, day: day || FROM_THE_START };
  const days = changeDays.map((change) => ({ value: change, name: `from ${dayInWords(change)}` }));
  return (
    <BrowseLayout {...props} here="prices">
      <form class="trail" method="get" action={path}>
        <Choice name="zone" label="Zone" of={choices.zones.map(named)} value={zone} />
        <Choice
          name="list"
          label="Price list"
          of={choices.priceLists.map(named)}
          value={priceList}
        />
        {days.length > 0 && (
          <Choice
            name="day"
            label="Day"
            of={[{ value: FROM_THE_START, name: `before ${dayInWords(changeDays[0]!)}` }, ...days]}
            value={query.day}
          />
        )}
        <p class="actions">
          <button type="submit">Show</button>
        </p>
      </form>
      <p class="hint">
        {`Prices per month, excluding VAT. `}
        {rule !== null && `${ruleInWords(rule)} `}
        {rule === null &&
          priceList !== STANDARD &&
          'Where a list has no price of its own, the standard price applies. '}
        {offers.length > 0 && (
          <a href={addressOf(path, { ...query, origin: withOrigin ? '' : 'shown' })}>
            {withOrigin ? 'Hide codes and calculation' : 'Show codes and calculation'}
          </a>
        )}
      </p>
      {offers.length === 0 ? (
        <Empty title={`Nothing is sold in ${zone} on this day.`} />
      ) : (
        <OfferMatrices
          offers={offers}
          place={`in ${zone}`}
          now={now}
          more={(offer) => (
            <>
              <MarginOf offer={offer} cost={costs.get(offer.productCode)} />
              {withOrigin && (
                <>
                  {offer.productCode}
                  <br />
                  {originOf(offer)}
                </>
              )}
            </>
          )}
        />
      )}
      <Volume rows={props.volume} />
    </BrowseLayout>
  );
}

function Volume({ rows }: { rows: readonly VolumeRow[] }) {
  if (rows.length === 0) return null;
  return (
    <Section title="Discounts for quotes with many lines">
      <Table
        caption="Discounts for quotes with many lines"
        rows={rows}
        columns={[
          {
            name: 'Price list',
            of: ({ priceList }) => (priceList === '*' ? 'all without rows' : priceList),
            heads: true,
          },
          { name: 'Products', of: ({ products }) => <code>{products}</code> },
          {
            name: 'Lines of one service',
            of: ({ fromLines }) => `from ${whole(fromLines)}`,
            class: 'number',
          },
          { name: 'Off the monthly price', of: ({ percent }) => `${percent} %`, class: 'number' },
        ]}
      />
    </Section>
  );
}

function MarginOf({ offer, cost }: { offer: Offer; cost: SupplierCost | undefined }) {
  if (!cost) return null;
  return (
    <>
      {marginInWords(offer.amountMinor, cost.costMinor, offer.currency)}
      <br />
    </>
  );
}

const named = (value: string): FieldChoice => ({ value, name: value });

/** `gold: standard − 12 %, rounded to 0.50.` */
function ruleInWords({ priceList, basedOn, percent, roundTo }: PriceListRow): string {
  const change = `${percent < 0 ? '−' : '+'} ${Math.abs(percent)} %`;
  const step = roundTo === null ? '' : `, rounded to ${roundTo.toFixed(2)}`;
  return `${priceList} is ${basedOn} ${change}${step}.`;
}

function Choice(props: { name: string; label: string; of: readonly FieldChoice[]; value: string }) {
  const { name, label, of, value } = props;
  return (
    <Labelled name={name} label={label}>
      <select id={name} name={name}>
        {of.map((choice) => (
          <option value={choice.value} selected={choice.value === value}>
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
                  : `${name} is in ${zoneInWords(applies.zone!)}, by the row of the ${levelName(applies)} ${applies.place}.`
            }
          >
            {applies && applies.zone !== EXCLUDED && (
              <ul>
                {partsOf(applies.zone!).map((zone) => (
                  <li>
                    <a href={addressOf(versionPath(version.number, 'prices'), { zone })}>
                      {`Prices in ${zone}`}
                    </a>
                  </li>
                ))}
              </ul>
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
  return zone === EXCLUDED ? 'excluded' : zoneInWords(zone);
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
