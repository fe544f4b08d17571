import type { AccessToken } from '../../clients/access-token.entity.js';
import type { ApiClient } from '../../clients/api-client.entity.js';
import type { IssuedToken } from '../../clients/tokens.service.js';
import type { ClientLimits, StaffCaller } from '../../access/caller.js';
import type { RefusedForm } from '../forms/form-spec.js';
import { Fields, PostForm, RefusedSummary } from '../forms/form-view.js';
import { Copyable, Empty, Notice, Time } from '../shell/parts.js';
import type { FlashMessage } from '../shell/flash-messages.js';
import { Facts, Section } from '../shell/table.js';
import { AdminLayout, ListPage, EnabledSection, EnabledState } from './admin-layout.js';
import { limitFields, tokenFields } from './client-forms.js';
import { Webhook, type WebhookProps } from './client-webhook.js';
import { Tokens } from './tokens.js';

export interface ClientRow {
  readonly client: ApiClient;
  /** Tokens that are accepted now. */
  readonly usable: number;
  readonly lastUsedAt: Date | null;
  readonly webhook: boolean | null;
}

interface ClientsProps {
  readonly viewer: StaffCaller;
  readonly rows: readonly ClientRow[];
  readonly now: Date;
}

export function ClientsPage({ viewer, rows, now }: ClientsProps) {
  return (
    <ListPage
      title={`API clients ${rows.length}`}
      viewer={viewer}
      here="clients"
      add={{ href: '/staff/clients/new', text: 'Add an API client' }}
      empty={
        <Empty title="There are no API clients yet.">
          <p>Add the first one; its tokens are issued on its page.</p>
        </Empty>
      }
      caption="API clients by name"
      rows={rows}
      columns={[
        {
          name: 'Name',
          of: ({ client }) => <a href={`/staff/clients/${client.id}`}>{client.name}</a>,
          class: 'words',
          heads: true,
        },
        { name: 'Contact', of: ({ client }) => client.contactName, class: 'words' },
        { name: 'Price list', of: ({ client }) => client.priceList },
        { name: 'Tokens', of: ({ usable }) => usable, class: 'number' },
        {
          name: 'Last used',
          of: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} now={now} /> : 'Never'),
        },
        {
          name: 'Webhook',
          of: ({ webhook }) => (webhook === null ? 'None' : <EnabledState enabled={webhook} />),
        },
        { name: 'State', of: ({ client }) => <EnabledState {...client} /> },
      ]}
    />
  );
}

export interface ClientProps extends WebhookProps {
  readonly viewer: StaffCaller;
  readonly tokens: readonly AccessToken[];
  /** The limits of clients that have none of their own. */
  readonly standard: Readonly<Record<keyof ClientLimits, number>>;
  readonly issued?: IssuedToken;
  readonly said?: FlashMessage | null;
  readonly refused?: RefusedForm;
}

export function ClientPage(props: ClientProps) {
  const { viewer, client, tokens, issued, now, said, refused } = props;
  const place = `/staff/clients/${client.id}`;
  return (
    <AdminLayout title={client.name} viewer={viewer} here="clients" said={said}>
      <p class="crumb">
        <a href="/staff/clients">All API clients</a>
      </p>
      {issued && <NewToken issued={issued} now={now} />}
      {!client.enabled && (
        <Notice kind="bad" title="This client is disabled.">
          <p>All its tokens are refused until it is enabled again.</p>
        </Notice>
      )}
      <RefusedSummary refused={refused} />
      <ClientFacts {...props} />
      <Section title="Tokens">
        {tokens.length === 0 ? (
          <p>No tokens yet</p>
        ) : (
          <Tokens name={client.name} place={place} {...{ tokens, now, refused }} />
        )}
      </Section>
      <Section title="Issue a token">
        <PostForm
          action={`${place}/tokens`}
          fields={tokenFields}
          refused={refused}
          button="Issue the token"
          kind="primary"
        />
      </Section>
      <Section title="Limits">
        <PostForm action={`${place}/limits`} button={<button type="submit">Save limits</button>}>
          <div class="side-by-side">
            <Fields of={limitFields(props)} refused={refused} />
          </div>
        </PostForm>
      </Section>
      <Webhook {...props} />
      <EnabledSection
        enabled={client.enabled}
        what="client"
        action={`${place}/enabled`}
        hint={
          client.enabled
            ? 'Blocks all tokens of this client, on every instance within 5 seconds. Its orders stay.'
            : 'Lets its tokens in again.'
        }
      />
    </AdminLayout>
  );
}

function NewToken({ issued, now }: { issued: IssuedToken; now: Date }) {
  return (
    <Notice kind="good" title="The token is issued. It is shown only now: copy it.">
      <p>
        <Copyable text={issued.token} label="the token" />
      </p>
      <p class="hint">
        {'It is valid until '}
        <Time at={issued.expiresAt} now={now} />. Only its hash is stored; if it is lost, issue
        another and revoke this one.
      </p>
    </Notice>
  );
}

function ClientFacts({ client, now }: ClientProps) {
  const { contactName, contactEmail, contactPhone, priceList, legacyFieldNames, id } = client;
  const phone = contactPhone.replaceAll(/[^+\d]/g, '');
  return (
    <Facts
      of={[
        ['Contact', contactName],
        ['Email', <a href={`mailto:${contactEmail}`}>{contactEmail}</a>],
        ['Phone', <a href={`tel:${phone}`}>{contactPhone}</a>],
        ['Price list', priceList],
        ['Field names', legacyFieldNames ? 'Also those of version 0.2.0' : 'As documented'],
        ['Added', <Time at={client.createdAt} now={now} />],
        ['Id', <Copyable text={id} label="the id" />],
        ['Orders', <a href={`/staff/queue?view=all&client=${id}`}>All orders of this client</a>],
      ]}
    />
  );
}
