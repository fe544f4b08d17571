import type { VersionView } from '../../catalogue/catalogue.dto.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import {
  changeLists,
  type ChangeSection,
  type ListedChange,
} from '../../catalogue/content/change-lists.js';
import type { CatalogueDiff } from '../../catalogue/content/diff.js';
import { inWords } from '../../catalogue/content/offers.js';
import type { AffectedOrder } from '../../orders/views/replay.service.js';
import { Empty } from '../../platform/ui/parts.js';
import { Table, type TableColumn } from '../../platform/ui/table.js';
import { AdminLayout } from '../admin-layout.js';
import {
  addressOf,
  PAGE_ROWS,
  Pager,
  percentOrNone,
  readPage,
  versionPath,
  VersionTabs,
} from './catalogue-parts.js';
import { OrdersTable } from './catalogue-preview.js';
import { whole } from '../../platform/kernel/counts.js';

interface ChangesProps {
  readonly viewer: StaffCaller;
  readonly version: VersionView;
  readonly from: number | null;
  readonly diff: CatalogueDiff | null;
  /** Open orders whose terms would differ. */
  readonly orders: readonly AffectedOrder[];
  /** As in the address. */
  readonly list: string;
  readonly pageText: string;
  /** Compared with the version that is live, or with the one that was live before. */
  readonly tab: 'changes' | 'published-changes';
}

/** The list of open orders is no part of the comparison. */
type ListOfChanges = Pick<ChangeSection, 'name' | 'heading' | 'count'> &
  Partial<Pick<ChangeSection, 'slice'>>;

/** Every row that a version changes, one list and 100 rows at a time. */
export function ChangesPage(props: ChangesProps) {
  const { viewer, version, from, diff, orders, list, pageText, tab } = props;
  const { number } = version;
  const all: ListOfChanges[] = [
    ...(diff ? changeLists(diff) : []),
    { name: 'orders', heading: 'Open orders', count: orders.length },
  ];
  const lists = all.filter(({ count }) => count > 0);
  const chosen = lists.find(({ name }) => name === list) ?? lists[0];
  const page = readPage(pageText, chosen?.count ?? 0);
  const path = versionPath(number, tab);
  const isLive = tab === 'changes';
  const first = (page - 1) * PAGE_ROWS;
  const last = first + PAGE_ROWS;
  const rows = [...(chosen?.slice?.(first, last, inWords) ?? [])];
  return (
    <AdminLayout title={`Version ${number}: changes`} viewer={viewer} here="catalogue">
      <VersionTabs version={version} here={tab} />
      {!chosen ? (
        <Empty
          title={
            from === null
              ? isLive
                ? 'No version is live, so there is nothing to compare with.'
                : 'This was the first version, so there is nothing to compare with.'
              : isLive
                ? `Nothing changes for clients, compared with version ${from}.`
                : `It changed nothing for clients, compared with version ${from}, which was live before.`
          }
        />
      ) : (
        <>
          <p>
            {`Compared with version ${from}, which ${isLive ? 'is live' : 'was live before'}. `}
            {isLive && (
              <a href={versionPath(number, 'changes.csv')} download>
                Download all changes (CSV)
              </a>
            )}
          </p>
          <nav aria-label="Lists of changes">
            <ul class="bare tabs">
              {lists.map(({ name, heading, count }) => (
                <li>
                  <a
                    href={addressOf(path, { list: name })}
                    aria-current={name === chosen.name ? 'page' : undefined}
                  >
                    {`${heading} ${whole(count)}`}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          {chosen.slice ? (
            <Table
              label={chosen.heading}
              caption={
                rows[0]?.percent === undefined
                  ? chosen.heading
                  : `${chosen.heading}, biggest change first`
              }
              captioned
              rows={rows}
              columns={columnsOf(rows)}
            />
          ) : (
            <OrdersTable orders={orders.slice(first, last)} />
          )}
          <Pager
            page={page}
            count={chosen.count}
            to={(to) => addressOf(path, { list: chosen.name, page: to })}
          />
        </>
      )}
    </AdminLayout>
  );
}

function columnsOf(rows: readonly ListedChange[]): (TableColumn<ListedChange> | false)[] {
  const [row] = rows;
  const isPrice = row?.priceList !== '';
  const isAmount = row?.percent !== undefined;
  const align = isAmount ? ({ class: 'number' } as const) : {};
  return [
    { name: isPrice ? 'Product' : 'What', of: ({ subject }) => subject, heads: true },
    isPrice && { name: 'Zone', of: ({ zone }) => zone },
    isPrice && { name: 'Price list', of: ({ priceList }) => priceList },
    rows.some(({ dates }) => dates) && { name: 'Days', of: ({ dates }) => dates },
    { name: 'Change', of: ({ change }) => change },
    { name: 'Before', of: ({ before }) => before || 'none', ...align },
    { name: 'After', of: ({ after }) => after || 'none', ...align },
    isAmount && {
      name: 'Per cent',
      of: ({ percent }) => percentOrNone(percent),
      class: 'number',
    },
  ];
}
