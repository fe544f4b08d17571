import { type CalendarDay, changesInWords } from '../../catalogue/content/browse/calendar.js';
import { dayInWords } from '../../catalogue/content/dates.js';
import {
  borderInWords,
  byDistanceInWords,
  changeLists,
} from '../../catalogue/content/change-lists.js';
import { type CatalogueDiff, isNoChange } from '../../catalogue/content/diff.js';
import { AT_ONCE } from '../../catalogue/content/price-changes.js';
import { type BrokenRail, railNames } from '../../catalogue/content/review/guard-rails.js';
import {
  marginPercentInWords,
  type SupplierMargins,
} from '../../catalogue/content/review/margins.js';
import type { MapChanges } from '../../catalogue/worker/map-changes.js';
import { lintRules, type LintWarning } from '../../catalogue/content/lint.js';
import { priceInWords } from '../../platform/kernel/money.js';
import { termsOnLine } from '../../catalogue/content/offers.js';
import type { AffectedOrder, VersionEffect } from '../../orders/views/version-effect.service.js';
import type { HeldTerms } from '../../quotes/held-terms.service.js';
import type { ServedCounts } from '../../watches/watch-evaluation.service.js';
import { Notice } from '../../platform/ui/parts.js';
import { Table } from '../../platform/ui/table.js';
import { upperFirst } from '../../platform/kernel/text.js';
import { CoverageMap } from './catalogue-map.js';
import { percentOrNone, versionPath } from './catalogue-parts.js';
import { counted, whole } from '../../platform/kernel/counts.js';

/** What a version would change, compared with the live version. */
export interface PreviewProps {
  readonly number: number;
  /** The live version; null if there is none. */
  readonly from: number | null;
  /** Null if there is nothing to compare with. */
  readonly diff: CatalogueDiff | null;
  /** As the viewer may read them. */
  readonly rails: readonly BrokenRail[];
  readonly warnings: readonly LintWarning[];
  readonly newWarnings: readonly LintWarning[];
  /** The days to come on which its dates change something. */
  readonly calendar: readonly CalendarDay[];
  /** Null if no version is live. */
  readonly effect: VersionEffect | null;
  /** Open watches that it would serve. */
  readonly served: ServedCounts;
  /** Empty for those who may not see margins. */
  readonly margins: readonly SupplierMargins[];
  /** Null if no polygon of the map changes. */
  readonly map: MapChanges | null;
  /** What the quotes of clients hold after any publication. */
  readonly held: HeldTerms;
}

/** Orders named on the page. The list of changes has all. */
const MOST_ORDERS = 20;

export function Preview(props: PreviewProps) {
  const { number, from, diff, rails, warnings, newWarnings, calendar, effect, served, held } =
    props;
  return (
    <>
      <Rails rails={rails} />
      {diff === null ? (
        <p>No version is live, so there is nothing to compare with.</p>
      ) : isNoChange(diff) ? (
        <p>{`Nothing changes for clients, compared with version ${from}.`}</p>
      ) : (
        <Changes number={number} from={from} diff={diff} />
      )}
      {diff && props.map && <CoverageMap number={number} map={props.map} />}
      {effect && diff && !isNoChange(diff) && <Effect number={number} effect={effect} />}
      {served.watches > 0 && (
        <p>{`Serves ${counted(served.watches, 'watched place')} of ${counted(served.clients, 'API client')}. Those with a webhook, or with an email address while email is on, are notified at once.`}</p>
      )}
      {held.lines > 0 && <p>{heldInWords(held)}</p>}
      <Margins rows={props.margins} />
      <Calendar days={calendar} />
      <Warnings warnings={warnings} fresh={newWarnings} compared={diff !== null} />
    </>
  );
}

function heldInWords({ quotes, lines, gone, dearer }: HeldTerms): string {
  const parts = [
    ...dearer.map(({ currency, lines: count, amount }) => {
      return `${whole(count)} would cost ${priceInWords(amount, currency)} more over their terms`;
    }),
    ...(gone > 0 ? [`${whole(gone)} would not be sold`] : []),
  ];
  const held = `${counted(quotes, 'open quote')} (${counted(lines, 'line')}) ${quotes === 1 ? 'keeps its' : 'keep their'} prices`;
  return parts.length === 0 ? `${held}.` : `${held}: with this version ${parts.join(', ')}.`;
}

function Margins({ rows }: { rows: readonly SupplierMargins[] }) {
  if (rows.length === 0) return null;
  const percent = (value: number | null) => (value === null ? '–' : marginPercentInWords(value));
  return (
    <>
      <h2>Margins of third-party networks</h2>
      <Table
        label="Margins"
        caption="Margins of this version on all price lists, in per cent of the cost"
        captioned
        class="short"
        rows={rows}
        columns={[
          { name: 'Supplier', of: ({ supplier }) => supplier, heads: true },
          { name: 'Prices', of: ({ prices }) => whole(prices), class: 'number' },
          { name: 'Lowest', of: ({ least }) => percent(least), class: 'number' },
          { name: 'Median', of: ({ median }) => percent(median), class: 'number' },
          { name: 'Highest', of: ({ most }) => percent(most), class: 'number' },
          { name: 'Below the floor', of: ({ belowFloor }) => whole(belowFloor), class: 'number' },
        ]}
      />
    </>
  );
}

export function Calendar({ days }: { days: readonly CalendarDay[] }) {
  if (days.length === 0) return null;
  return (
    <>
      <h2>Calendar</h2>
      <Table
        label="Calendar"
        caption="What changes by itself at midnight in London, compared with the day before"
        captioned
        class="short"
        rows={days}
        columns={[
          { name: 'Day', of: ({ day }) => dayInWords(day), heads: true },
          { name: 'Changes', of: changesInWords },
        ]}
      />
    </>
  );
}

function Rails({ rails }: { rails: readonly BrokenRail[] }) {
  if (rails.length === 0) return null;
  return (
    <Notice kind="soon" title="Safety check: this change needs a reason before it is published.">
      <ul>
        {rails.map(({ rail, detail }) => (
          <li>
            <strong>{railNames[rail]}</strong>
            {`: ${detail}`}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Changes({
  number,
  from,
  diff,
}: {
  number: number;
  from: number | null;
  diff: CatalogueDiff;
}) {
  const { postcodes, places, premises, byDistance } = diff;
  const lists = changeLists(diff).filter(({ count }) => count > 0);
  const coverage = [
    { name: diff.register ? 'Postcodes' : 'Postcodes named in the files', ...postcodes.counts },
    { name: 'Places (sectors to areas)', ...places.counts },
    { name: 'Listed premises', ...premises.counts },
  ].filter(({ gained, lost, moved }) => gained + lost + moved > 0);
  const amounts = [
    ...diff.summaries.prices.map((summary) => ({ name: 'Monthly prices', ...summary })),
    ...diff.summaries.setupPrices.map((summary) => ({ name: 'Set-up prices', ...summary })),
  ];
  return (
    <>
      <h2>{`Changes from version ${from}, which is live`}</h2>
      {amounts.length > 0 && (
        <Table
          label="Prices that change"
          caption="Prices that change"
          class="short"
          rows={amounts}
          columns={[
            { name: 'Prices', of: ({ name }) => name, heads: true },
            amounts.some(({ days }) => days) && {
              name: 'Days',
              of: ({ days }) => days || AT_ONCE,
            },
            { name: 'Changes', of: ({ count }) => whole(count), class: 'number' },
            { name: 'Lowest', of: ({ least }) => percentOrNone(least), class: 'number' },
            { name: 'Median', of: ({ median }) => percentOrNone(median), class: 'number' },
            { name: 'Highest', of: ({ most }) => percentOrNone(most), class: 'number' },
            { name: 'New', of: ({ added }) => whole(added), class: 'number' },
            { name: 'Removed', of: ({ removed }) => whole(removed), class: 'number' },
          ]}
        />
      )}
      {coverage.length > 0 && (
        <Table
          label="Coverage that changes"
          caption="Coverage that changes"
          class="short"
          rows={coverage}
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
      )}
      {(postcodes.covered !== postcodes.coveredAfter || byDistance.before !== byDistance.after) && (
        <p class="hint">
          {`Postcodes with products: ${whole(postcodes.covered)} before, ${whole(postcodes.coveredAfter)} after.`}
          {byDistance.before + byDistance.after > 0 && ` ${byDistanceInWords(byDistance)}`}
        </p>
      )}
      {diff.border > 0 && <p class="hint">{borderInWords(diff.border)}</p>}
      <ul class="changes">
        {lists.map(({ name, heading, count }) => (
          <li>
            <a href={versionPath(number, `changes?list=${name}`)}>
              {`${heading}: view ${whole(count)}`}
            </a>
          </li>
        ))}
        <li>
          <a href={versionPath(number, 'changes.csv')} download>
            Download all changes (CSV)
          </a>
        </li>
      </ul>
    </>
  );
}

/** Nothing where no open order and no held price would change. */
function Effect({ number, effect }: { number: number; effect: VersionEffect }) {
  const { openOrders, orders, monthly, heldChecks, heldChanged } = effect;
  if (orders.length === 0 && heldChanged === 0) return null;
  return (
    <>
      <h2>Open orders and held prices</h2>
      <ul>
        {orders.length > 0 && (
          <li>
            {`${whole(orders.length)} of ${counted(openOrders, 'open order')} would ${costInWords(monthly)}. They keep their own terms.`}
          </li>
        )}
        {heldChanged > 0 && (
          <li>
            {`${whole(heldChanged)} of ${counted(heldChecks, 'check')} with a held price would get another answer. They keep theirs until the hold ends.`}
          </li>
        )}
      </ul>
      {orders.length > 0 && <AffectedOrders number={number} orders={orders} />}
    </>
  );
}

/** `cost £902.19 a month more at the new prices`. */
function costInWords(monthly: VersionEffect['monthly']): string {
  const sums = Object.entries(monthly).filter(([, sum]) => sum !== 0);
  if (sums.length === 0) return 'get other terms if placed again';
  const words = sums.map(([currency, sum]) => {
    return `${priceInWords(Math.abs(sum), currency)} a month ${sum > 0 ? 'more' : 'less'}`;
  });
  return `cost ${words.join(' and ')} at the new prices`;
}

function AffectedOrders({ number, orders }: { number: number; orders: readonly AffectedOrder[] }) {
  return (
    <details class="more">
      <summary>{`Open orders with other terms: ${whole(orders.length)}`}</summary>
      <OrdersTable orders={orders.slice(0, MOST_ORDERS)} />
      {orders.length > MOST_ORDERS && (
        <p>
          <a href={versionPath(number, 'changes?list=orders')}>
            {`View all ${whole(orders.length)} orders`}
          </a>
        </p>
      )}
    </details>
  );
}

export function OrdersTable({ orders }: { orders: readonly AffectedOrder[] }) {
  const terms = (offer: AffectedOrder['before']) => (offer ? termsOnLine(offer) : 'not sold');
  return (
    <Table
      caption="Open orders with other terms"
      rows={orders}
      columns={[
        {
          name: 'Order',
          of: ({ reference }) => <a href={`/staff/orders/${reference}`}>{reference}</a>,
          heads: true,
        },
        { name: 'Product', of: ({ productCode }) => <code>{productCode}</code> },
        { name: 'Postcode', of: ({ postcode }) => postcode },
        { name: 'If placed now', of: ({ before }) => terms(before) },
        { name: 'After', of: ({ after }) => terms(after) },
      ]}
    />
  );
}

interface WarningsProps {
  readonly warnings: readonly LintWarning[];
  readonly fresh: readonly LintWarning[];
  readonly compared: boolean;
}

function Warnings({ warnings, fresh, compared }: WarningsProps) {
  if (warnings.length === 0) return null;
  const isNew = new Map(fresh.map(({ rule, count }) => [rule, count]));
  const old = warnings.flatMap(({ rule, count, ...rest }) => {
    const left = count - (isNew.get(rule) ?? 0);
    return compared && left > 0 ? [{ rule, count: left, ...rest }] : [];
  });
  const shown = compared ? fresh : warnings;
  return (
    <>
      {shown.length > 0 && (
        <Notice kind="soon" title={compared ? 'New warnings' : 'Warnings'}>
          <ul>
            {shown.map(({ rule, count, examples }) => (
              <li>{`${upperFirst(lintRules[rule])}: ${whole(count)}. ${examples.slice(0, 3).join('; ')}`}</li>
            ))}
          </ul>
        </Notice>
      )}
      {old.length > 0 && (
        <details class="more">
          <summary>{`Existing warnings: ${old.length}`}</summary>
          <ul>
            {old.map(({ rule, count }) => (
              <li>{`${upperFirst(lintRules[rule])}: ${whole(count)}`}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** `218 price changes and 200 coverage changes`, for a button. */
export function changeInWords(diff: CatalogueDiff | null): string | null {
  if (!diff || isNoChange(diff)) return null;
  const lists = new Map(changeLists(diff).map(({ name, count }) => [name, count]));
  const count = (...names: string[]) =>
    names.reduce((sum, name) => sum + (lists.get(name) ?? 0), 0);
  const isDated = diff.summaries.prices.every(({ days }) => days !== '' && days !== AT_ONCE);
  const parts = [
    { what: isDated ? 'dated price change' : 'price change', of: count('prices') },
    { what: 'coverage change', of: count('postcodes', 'places', 'premises') },
    { what: 'product change', of: count('products') },
  ].filter(({ of }) => of > 0);
  const rest = [...lists.values()].reduce((sum, one) => sum + one, 0);
  if (parts.length === 0) return counted(rest, 'change');
  const words = parts.map(({ what, of }) => counted(of, what));
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
