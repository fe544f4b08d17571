import { wantedInWords } from '../orders/record/order.entity.js';
import { StateMark } from '../orders/staff/state-marks.js';
import { upperFirst } from '../platform/kernel/text.js';
import { Time } from '../platform/ui/parts.js';
import { Facts, Section, Table } from '../platform/ui/table.js';
import type { ApiClient } from '../clients/api-client.entity.js';
import type { FollowUpPage } from '../queue/lists/list.dto.js';
import type { ClientUsage } from './clients/clients.dto.js';
import type { ListedWatch } from '../watches/operator-watches.service.js';
import { whole } from '../platform/kernel/counts.js';

export interface UsageProps {
  readonly client: ApiClient;
  readonly usage: ClientUsage;
  /** The newest ones. */
  readonly watches: readonly ListedWatch[];
  readonly enquiries: Pick<FollowUpPage, 'items' | 'total'>;
  readonly now: Date;
}

/** What the client did lately. */
export function Usage({ client, usage, now }: UsageProps) {
  const { checks, checksWithProducts, orders, won, errors } = usage;
  return (
    <Section title="Last 30 days">
      <Facts
        of={[
          ['Checks', partOf(checks, checksWithProducts, 'found a product')],
          ['Orders', partOf(orders, won, 'are won')],
          ['Ordered', percent(usage.ordersPerCheck, 'of the checks that found a product')],
          ['Won', percent(usage.wonPerOrder, 'of the orders')],
          ['Open now', `${whole(usage.openRequests)} orders and enquiries`],
          errors.length === 0 && ['Errors', 'None'],
        ]}
      />
      {errors.length > 0 && (
        <Table
          caption={`Errors that ${client.name} received in the last 30 days`}
          rows={errors}
          class="short"
          columns={[
            {
              name: 'Error',
              of: ({ code }) => <a href={`/problems/${encodeURIComponent(code)}`}>{code}</a>,
              heads: true,
            },
            { name: 'Token', of: ({ mode }) => (mode === 'test' ? 'Test' : 'Live') },
            { name: 'Times', of: (row) => whole(row.errors), class: 'number' },
            { name: 'Last', of: ({ lastAt }) => <Time at={lastAt} now={now} /> },
          ]}
        />
      )}
    </Section>
  );
}

/** `12, of which 3 are won`; `0` where there is nothing to divide. */
function partOf(all: number, part: number, what: string): string {
  return all === 0 ? '0' : `${whole(all)}, of which ${whole(part)} ${what}`;
}

function percent(ratio: number | null, of: string): string {
  return ratio === null ? '–' : `${(ratio * 100).toFixed(1)} % ${of}`;
}

export function Watches({ watches, now }: UsageProps) {
  if (watches.length === 0) return null;
  return (
    <Section title="Watches">
      <Table
        label="Newest watches"
        caption="The newest watches"
        class="short"
        rows={watches}
        columns={[
          {
            name: 'Postcode',
            of: ({ postcode }) => <a href={`/staff/check?postcode=${postcode}`}>{postcode}</a>,
            heads: true,
          },
          { name: 'UPRN', of: ({ uprn }) => uprn ?? '' },
          { name: 'Reference', of: ({ reference }) => reference ?? '' },
          { name: 'State', of: ({ state }) => upperFirst(state) },
          { name: 'Since', of: (one) => <Time at={one.servedAt ?? one.createdAt} now={now} /> },
        ]}
      />
    </Section>
  );
}

export function Enquiries({ client, enquiries, now }: UsageProps) {
  if (enquiries.items.length === 0) return null;
  return (
    <Section title="Enquiries">
      <Table
        label="Newest enquiries"
        caption="The newest enquiries"
        class="short"
        rows={enquiries.items}
        columns={[
          {
            name: 'Enquiry',
            of: ({ reference }) => <a href={`/staff/orders/${reference}`}>{reference}</a>,
            heads: true,
          },
          { name: 'Postcode', of: ({ postcode }) => postcode },
          { name: 'Wanted', of: ({ wanted }) => wantedInWords(wanted), class: 'words' },
          { name: 'State', of: ({ state }) => <StateMark state={state} /> },
          { name: 'Received', of: ({ receivedAt }) => <Time at={receivedAt} now={now} /> },
        ]}
      />
      {enquiries.total > enquiries.items.length && (
        <p>
          <a href={`/staff/queue?view=all&kind=enquiry&client=${client.id}`}>
            {`All ${whole(enquiries.total)} enquiries`}
          </a>
        </p>
      )}
    </Section>
  );
}
