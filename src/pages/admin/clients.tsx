import type { AccessToken } from '../../clients/access-token.entity.js';
import type { ApiClient } from '../../clients/api-client.entity.js';
import type { IssuedToken } from '../../clients/tokens.service.js';
import { compatibilities } from '../../kernel/compatibility.js';
import { clientRules, labelRule } from '../../clients/client-rules.js';
import type { ClientLimits, StaffCaller } from '../../access/caller.js';
import { clientScopes } from '../../access/scopes.js';
import type { UndeliveredMessages } from '../../notifications/outbox.repository.js';
import type { ShownEndpoint } from '../../notifications/webhooks.service.js';
import type { FormPageSpec } from '../forms/form-page.js';
import { fieldsOf, type FormField, numberField, type RefusedForm } from '../forms/form-spec.js';
import { Fields, PostForm, RefusedSummary } from '../forms/form-view.js';
import { Copyable, Empty, Notice, Time } from '../shell/parts.js';
import type { FlashMessage } from '../shell/flash-messages.js';
import { Facts, Section } from '../shell/table.js';
import { AdminLayout, EnabledSection, EnabledState, ListPage, WithReason } from './admin-layout.js';
import { Tokens } from './tokens.js';

export const newClientForm = {
  title: 'Add an API client',
  here: 'clients',
  action: '/staff/clients',
  button: 'Add',
  cancel: '/staff/clients',
  fields: [
    ...fieldsOf(clientRules, {
      name: { label: 'Name of the company' },
      contactName: { label: 'Contact name' },
      contactEmail: { label: 'Email', input: { type: 'email' } },
      contactPhone: { label: 'Phone', input: { type: 'tel' } },
      priceList: {
        label: 'Price list',
        hint: 'The name in prices.csv of the catalogue.',
        first: 'standard',
      },
    }),
    {
      kind: 'choice',
      name: 'compatibility',
      label: 'API version',
      hint: '0.2 adds the misspelt key bandwidthCapactity, and leaves out products whose bandwidth is not a whole number of Gbit/s.',
      first: '0.3',
      choices: compatibilities.map((version) => ({ value: version, name: version })),
    },
  ],
} satisfies FormPageSpec;

export const tokenFields: readonly FormField[] = [
  {
    ...labelRule,
    label: 'Label',
    hint: "For example, production, or Grace's tests.",
  },
  {
    kind: 'ticks',
    name: 'scope',
    label: 'Scopes',
    choices: clientScopes.map((scope) => ({ value: scope, name: scope })),
    missing: 'Choose at least one scope.',
  },
  numberField(
    { name: 'days', label: 'Valid for', hint: 'Days, from 1 to 3650.', first: '365' },
    { from: 1, to: 3_650 },
  ),
  {
    kind: 'tick',
    name: 'test',
    label: 'For the sandbox',
    hint: 'A test token places no real orders.',
  },
];

const limits = {
  lookupsPerMinute: 'Checks per minute',
  lookupBurst: 'Checks per second',
  ordersPerMinute: 'Orders per minute',
  inFlight: 'Concurrent requests',
} as const;
export const limitNames = Object.keys(limits) as readonly (keyof typeof limits)[];

export function limitFields({
  client,
  standard,
}: Pick<ClientProps, 'client' | 'standard'>): FormField[] {
  return limitNames.map((name) =>
    numberField(
      {
        name,
        label: limits[name],
        hint: `Default: ${standard[name].toLocaleString('en-GB')}`,
        first: String(client[name] ?? ''),
      },
      { from: 1, to: name === 'inFlight' ? 100_000 : 10_000_000, optional: true },
    ),
  );
}

interface ClientRow {
  readonly client: ApiClient;
  /** Tokens that are neither revoked nor expired. */
  readonly usable: number;
  readonly lastUsedAt: Date | null;
  readonly liveWebhook: Pick<ShownEndpoint, 'enabled' | 'pausedAt'> | null;
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
          <p>Add the first one, then issue its tokens.</p>
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
          of: ({ liveWebhook }) => <WebhookState of={liveWebhook} />,
        },
        { name: 'State', of: ({ client }) => <EnabledState {...client} /> },
      ]}
    />
  );
}

export interface ShownWebhook {
  readonly endpoint: ShownEndpoint;
  readonly trouble: UndeliveredMessages;
}

export interface ClientProps {
  readonly viewer: StaffCaller;
  readonly client: ApiClient;
  readonly tokens: readonly AccessToken[];
  readonly webhooks: readonly ShownWebhook[];
  readonly now: Date;
  /** The limits of clients without individual limits. */
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
          <p>All its tokens are refused until you enable it again.</p>
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
      <Webhooks {...props} />
      <EnabledSection
        enabled={client.enabled}
        what="client"
        action={`${place}/enabled`}
        hint={
          client.enabled
            ? 'Blocks all tokens of this client within 5 seconds. Its orders stay.'
            : 'Accepts its tokens again.'
        }
      />
    </AdminLayout>
  );
}

function NewToken({ issued, now }: { issued: IssuedToken; now: Date }) {
  return (
    <Notice kind="good" title="Token issued. Copy it now: it is not shown again.">
      <p>
        <Copyable text={issued.token} label="the token" />
      </p>
      <p class="hint">
        {'It is valid until '}
        <Time at={issued.expiresAt} now={now} />. If it is lost, issue another and revoke this one:
        only its hash is stored.
      </p>
    </Notice>
  );
}

function ClientFacts({ client, now }: ClientProps) {
  const { contactName, contactEmail, contactPhone, priceList, compatibility, id } = client;
  const phone = contactPhone.replaceAll(/[^+\d]/g, '');
  return (
    <Facts
      of={[
        ['Contact', contactName],
        ['Email', <a href={`mailto:${contactEmail}`}>{contactEmail}</a>],
        ['Phone', <a href={`tel:${phone}`}>{contactPhone}</a>],
        ['Price list', priceList],
        ['API version', compatibility],
        ['Added', <Time at={client.createdAt} now={now} />],
        ['Id', <Copyable text={id} label="the id" />],
        ['Orders', <a href={`/staff/queue?view=all&client=${id}`}>All orders of this client</a>],
      ]}
    />
  );
}

function Webhooks(props: ClientProps) {
  if (props.webhooks.length > 0) {
    return props.webhooks.map((webhook) => <Webhook {...props} webhook={webhook} />);
  }
  return (
    <Section title="Webhook">
      <p class="hint">
        None. The client registers one with a token that has <code>orders:write</code>, or an
        operator with <code>webhooks add</code>.
      </p>
    </Section>
  );
}

function Webhook({ client, webhook, now, refused }: ClientProps & { webhook: ShownWebhook }) {
  const { endpoint, trouble } = webhook;
  const { id, isTest } = endpoint;
  const { failed, waiting, dead } = trouble;
  const action = `/staff/clients/${client.id}/webhook`;
  return (
    <Section title={isTest ? 'Test webhook' : 'Webhook'}>
      <Facts
        of={[
          ['Goes to', new URL(endpoint.url).host],
          [
            'State',
            endpoint.enabled ? (
              <WebhookState of={endpoint} />
            ) : (
              <span class="late">{`Disabled: ${endpoint.disabledReason ?? ''}`}</span>
            ),
          ],
          endpoint.failingSince !== null && [
            'Failing since',
            <>
              <Time at={endpoint.failingSince} now={now} />
              {`, ${endpoint.failures === 1 ? 'one attempt' : `${endpoint.failures} attempts`}`}
            </>,
          ],
          ['Undelivered', waiting + dead === 0 ? 'None' : `${waiting} waiting, ${dead} failed`],
          failed !== null && ['Last failure', <Failure failed={failed} now={now} />],
        ]}
      />
      {endpoint.enabled && endpoint.pausedAt !== null && (
        <>
          <p class="hint">
            It has failed for a day, so it gets one attempt an hour. The first that succeeds resumes
            it.
          </p>
          <PostForm
            action={action}
            hidden={{ enabled: 'yes', webhook: id }}
            button={isTest ? 'Resume the test webhook' : 'Resume the webhook'}
          />
        </>
      )}
      {endpoint.enabled ? (
        <WithReason
          at={id}
          action={action}
          verb="Disable"
          what={isTest ? 'the test webhook' : 'the webhook'}
          hint="Discards waiting messages. You can enable it again; the client sees the reason."
          hidden={{ enabled: 'no', webhook: id }}
          refused={refused}
        />
      ) : (
        <PostForm
          action={action}
          hidden={{ enabled: 'yes', webhook: id }}
          button={isTest ? 'Enable the test webhook' : 'Enable the webhook'}
        />
      )}
    </Section>
  );
}

function WebhookState({ of }: { of: Pick<ShownEndpoint, 'enabled' | 'pausedAt'> | null }) {
  if (of === null) return <>None</>;
  if (of.enabled && of.pausedAt !== null) return <span class="late">Paused</span>;
  return <EnabledState enabled={of.enabled} />;
}

type FailedMessage = NonNullable<UndeliveredMessages['failed']>;

function Failure({ failed, now }: { failed: FailedMessage; now: Date }) {
  const attempts = failed.attempts === 1 ? 'one attempt' : `${failed.attempts} attempts`;
  return (
    <>
      {`${failed.kind}, ${attempts}: ${failed.lastError ?? ''} `}
      <a href={`/staff/notifications?state=${failed.state}`}>Show</a>
      <span class="muted">
        {'. Created '}
        <Time at={failed.createdAt} now={now} />
      </span>
    </>
  );
}
