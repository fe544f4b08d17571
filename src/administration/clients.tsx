import type { ApiClient } from '../clients/api-client.entity.js';
import { ClientDetails, ClientEdit } from '../clients/clients.dto.js';
import { lastDayOfOlder } from '../platform/kernel/client-options.js';
import type { ClientLimits, StaffCaller } from '../platform/access/caller.js';
import type { ClientOverview } from './clients/client-overview.service.js';
import type { ShownEndpoint } from '../platform/notifications/webhooks.service.js';
import type { FieldChoice } from '../platform/ui/forms/fields.js';
import type { Form } from '../platform/ui/forms/form.js';
import type { FormPageSpec } from '../platform/ui/form-page.js';
import { type InputForm, inputForm, type InputWords } from '../platform/ui/forms/input-form.js';
import { Empty, Time } from '../platform/ui/parts.js';
import { Table, type TableColumn } from '../platform/ui/table.js';
import { AdminLayout, EnabledState, WebhookState } from './admin-layout.js';
import { whole } from '../platform/kernel/counts.js';

/** The words of the details of a client. @param priceLists those of the live catalogue */
function wordsOf(priceLists: readonly string[], client?: ApiClient) {
  return {
    name: {
      label: 'Company name',
      first: client?.name,
      input: { autofocus: true },
      missing: 'Enter the company name.',
    },
    contactName: {
      label: 'Contact name',
      first: client?.contactName,
      missing: 'Enter a contact name.',
    },
    contactEmail: {
      label: 'Email',
      hint: 'For emails about tokens, webhooks, offers and extra charges.',
      input: { type: 'email' },
      first: client?.contactEmail,
      missing: 'Enter an email address.',
    },
    contactPhone: {
      label: 'Phone',
      input: { type: 'tel' },
      first: client?.contactPhone,
      missing: 'Enter a phone number.',
    },
    priceList: {
      label: 'Price list',
      hint: 'The prices this client sees.',
      choices: priceListChoices(priceLists, client?.priceList ?? STANDARD),
      first: client?.priceList,
      missing: 'Choose a price list.',
    },
    compatibility: {
      label: 'API version',
      hint: '0.2 adds the misspelt key bandwidthCapactity, and leaves out products whose bandwidth is not a whole number of Gbit/s.',
      names: { '0.3': '0.3', '0.2': `0.2, until ${lastDayOfOlder}` },
      first: client?.compatibility ?? '0.3',
      missing: 'Choose an API version.',
    },
    nearNet: {
      label: 'Prices by distance',
      hint: 'Who sees them, where a catalogue has build bands.',
      names: nearNetNames,
      first: client?.nearNet ?? 'default',
    },
    messageEmails: {
      label: 'Emails with messages about orders',
      hint: 'Without a webhook, its contact gets them in any case.',
      names: { on: 'On', off: 'Off' },
      first: client?.messageEmails ?? 'on',
    },
  } satisfies InputWords<ClientDetails>;
}

export const nearNetNames = {
  default: 'Default of this service',
  staff: 'Staff only',
  all: 'Staff and the client',
  off: 'No one',
} as const;

const STANDARD = 'standard';

/** The client's own list comes first, also where the live catalogue does not have it. */
function priceListChoices(priceLists: readonly string[], own: string): FieldChoice[] {
  const others = priceLists.filter((name) => name !== own);
  const isKnown = priceLists.length === 0 || priceLists.length > others.length;
  const name = isKnown ? own : `${own} (not in the live catalogue)`;
  return [{ value: own, name }, ...others.map((value) => ({ value, name: value }))];
}

export function newClientForm(priceLists: readonly string[]) {
  const form = inputForm(ClientDetails, wordsOf(priceLists));
  return {
    title: 'Add an API client',
    here: 'clients',
    action: '/staff/clients',
    draft: 'clients/new',
    button: 'Add',
    cancel: '/staff/clients',
    form,
    fields: form.fields,
    folded: new Set(['compatibility', 'nearNet', 'messageEmails']),
  } satisfies FormPageSpec & { readonly form: unknown };
}

export const limitWords = {
  lookupsPerMinute: 'Checks per minute',
  lookupBurst: 'Checks per second',
  ordersPerMinute: 'Orders per minute',
  inFlight: 'Concurrent requests',
} as const;
export const limitNames = Object.keys(limitWords) as readonly (keyof typeof limitWords)[];

/** The limits of clients without individual limits. */
export type StandardLimits = Readonly<Record<keyof ClientLimits, number>>;

/** The form of a client, with all that can be edited. */
export function editForm(
  client: ApiClient,
  priceLists: readonly string[],
  standard: StandardLimits,
): InputForm<ClientEdit> {
  const limit = (name: keyof ClientLimits) =>
    ({
      label: limitWords[name],
      hint: `Leave blank for the default (${whole(standard[name])}).`,
      first: String(client[name] ?? ''),
      input: { inputMode: 'numeric' },
    }) as const;
  return inputForm(ClientEdit, {
    ...wordsOf(priceLists, client),
    lookupsPerMinute: limit('lookupsPerMinute'),
    lookupsPerSecond: limit('lookupBurst'),
    ordersPerMinute: limit('ordersPerMinute'),
    inFlight: limit('inFlight'),
  });
}

export interface ClientRow extends ClientOverview {
  /** Its live webhook. */
  readonly webhook: Pick<ShownEndpoint, 'enabled' | 'pausedAt'> | null;
}

const orders = {
  name: (a: ClientRow, b: ClientRow) => a.client.name.localeCompare(b.client.name, 'en-GB'),
  '-used': (a: ClientRow, b: ClientRow) => usedAt(b) - usedAt(a),
  used: (a: ClientRow, b: ClientRow) => usedAt(a) - usedAt(b),
} as const;
type ClientSort = keyof typeof orders;

function usedAt({ lastUsedAt }: ClientRow): number {
  return lastUsedAt?.getTime() ?? 0;
}

/** From this number on, the list has a search field. */
const MANY = 10;

interface ClientsProps {
  readonly viewer: StaffCaller;
  readonly rows: readonly ClientRow[];
  readonly now: Date;
  readonly query: Form;
}

export function ClientsPage({ viewer, rows, now, query }: ClientsProps) {
  const wanted = query.text('sort');
  const sort: ClientSort = Object.hasOwn(orders, wanted) ? (wanted as ClientSort) : 'name';
  const words = query.text('q').slice(0, 100);
  const found = rows.filter((row) => matches(row, words)).sort(orders[sort]);
  const title =
    words === '' ? `API clients ${rows.length}` : `API clients ${found.length} of ${rows.length}`;
  return (
    <AdminLayout title={title} viewer={viewer} here="clients">
      <div class="actions">
        <a class="button primary" href="/staff/clients/new">
          Add an API client
        </a>
        {(rows.length >= MANY || words !== '') && <SearchForm words={words} sort={sort} />}
      </div>
      {rows.length === 0 ? (
        <Empty title="There are no API clients yet.">
          <p>Add the first one, then issue its tokens.</p>
        </Empty>
      ) : found.length === 0 ? (
        <Empty title="No API client matches.">
          <p>
            Try a part of the company, contact, email or price list.{' '}
            <a href="/staff/clients">Show all</a>
          </p>
        </Empty>
      ) : (
        <Table caption="API clients" rows={found} columns={clientColumns(sort, words, now)} />
      )}
    </AdminLayout>
  );
}

function matches({ client }: ClientRow, words: string): boolean {
  const { name, contactName, contactEmail, priceList } = client;
  const text = `${name} ${contactName} ${contactEmail} ${priceList}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function SearchForm({ words, sort }: { words: string; sort: ClientSort }) {
  return (
    <form class="search-list" action="/staff/clients">
      {sort !== 'name' && <input type="hidden" name="sort" value={sort} />}
      <label class="unseen" for="q">
        Search API clients
      </label>
      <input id="q" type="search" name="q" maxLength={100} value={words} autocomplete="off" />
      <button type="submit">Search clients</button>
    </form>
  );
}

function clientColumns(sort: ClientSort, words: string, now: Date): TableColumn<ClientRow>[] {
  const link = (name: string, to: ClientSort, arrow: string) => {
    const fields = new URLSearchParams({ sort: to, ...(words !== '' && { q: words }) });
    return (
      <a href={`/staff/clients?${fields.toString()}`}>
        {name}
        {arrow && <span aria-hidden="true">{` ${arrow}`}</span>}
      </a>
    );
  };
  const isByUse = sort !== 'name';
  return [
    {
      name: link('Name', 'name', isByUse ? '' : '↑'),
      of: ({ client }) => <a href={`/staff/clients/${client.id}`}>{client.name}</a>,
      class: 'words',
      heads: true,
      ...(!isByUse && { sorted: 'ascending' as const }),
    },
    { name: 'Contact', of: ({ client }) => client.contactName, class: 'words' },
    {
      name: 'Price list',
      of: ({ client, priceListIsLive }) => (
        <>
          {client.priceList}
          {!priceListIsLive && <div class="soon">Not in the live catalogue</div>}
        </>
      ),
    },
    { name: 'Tokens', of: ({ usableTokens }) => usableTokens, class: 'number' },
    {
      name: link(
        'Last used',
        sort === '-used' ? 'used' : '-used',
        isByUse ? (sort === 'used' ? '↑' : '↓') : '',
      ),
      of: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} now={now} /> : 'Never'),
      ...(isByUse && {
        sorted: sort === 'used' ? ('ascending' as const) : ('descending' as const),
      }),
    },
    {
      name: 'Webhook',
      of: ({ webhook }) => (webhook === null ? 'None' : <WebhookState of={webhook} />),
    },
    { name: 'State', of: ({ client }) => <EnabledState {...client} /> },
  ];
}
