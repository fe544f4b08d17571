import type { VersionView } from '../../../catalogue/catalogue.dto.js';
import type { StaffCaller } from '../../../access/caller.js';
import { changeLists, type ListedChange } from '../../../catalogue/content/browse/change-lists.js';
import type { CatalogueDiff } from '../../../catalogue/content/diff.js';
import { inWords } from '../../../catalogue/content/offers.js';
import { Empty, whole } from '../../shell/parts.js';
import { Table, type TableColumn } from '../../shell/table.js';
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

interface ChangesProps {
  readonly viewer: StaffCaller;
  readonly version: VersionView;
  readonly from: number | null;
  readonly diff: CatalogueDiff | null;
  /** As in the address. */
  readonly list: string;
  readonly pageText: string;
}

/** Every row that a version changes, one list and 100 rows at a time. */
export function ChangesPage({ viewer, version, from, diff, list, pageText }: ChangesProps) {
  const { number } = version;
  const lists = diff ? changeLists(diff).filter(({ count }) => count > 0) : [];
  const chosen = lists.find(({ name }) => name === list) ?? lists[0];
  const page = readPage(pageText, chosen?.count ?? 0);
  const path = versionPath(number, 'changes');
  const first = (page - 1) * PAGE_ROWS;
  const rows = chosen ? [...chosen.slice(first, first + PAGE_ROWS, inWords)] : [];
  return (
    <AdminLayout title={`Version ${number}: changes`} viewer={viewer} here="catalogue">
      <VersionTabs version={version} here="changes" />
      {!chosen ? (
        <Empty
          title={
            from === null
              ? 'No version is live, so there is nothing to compare with.'
              : `Nothing changes for clients, compared with version ${from}.`
          }
        />
      ) : (
        <>
          <p>
            {`Compared with version ${from}, which is live. `}
            <a href={versionPath(number, 'changes.csv')} download>
              Download all changes (CSV)
            </a>
          </p>
          <nav class="states" aria-label="Lists of changes">
            <ul class="bare">
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
          <Table
            label={chosen.heading}
            caption={chosen.heading}
            rows={rows}
            columns={columnsOf(rows)}
          />
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
