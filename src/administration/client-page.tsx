import { upperFirst } from '../platform/kernel/text.js';
import { type Mode, modeOf } from '../platform/database/sides.js';
import { tokenMessages, Tokens } from './tokens.js';
import type { ApiClient } from '../clients/api-client.entity.js';
import type { ClientScope } from '../platform/access/scopes.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { ClientInterconnect } from '../clients/clients.dto.js';
import { NewToken } from '../clients/tokens.dto.js';
import { handoverText } from '../clients/handover-text.js';
import type { IssuedToken } from '../clients/tokens.service.js';
import type { Config } from '../platform/config/config.js';
import type { ClientOverview } from './clients/client-overview.service.js';
import { eventWords } from '../platform/notifications/messages/order-event.js';
import type { UndeliveredMessages } from '../platform/notifications/outbox.repository.js';
import type { ShownEndpoint } from '../platform/notifications/webhooks.service.js';
import type { RefusedForm } from '../platform/ui/forms/form-spec.js';
import { inputForm } from '../platform/ui/forms/input-form.js';
import { PostForm, RefusedSummary } from '../platform/ui/forms/form-view.js';
import { type FlashMessage, FlashMessages } from '../platform/ui/flash-messages.js';
import { CopyButton, Notice, Time } from '../platform/ui/parts.js';
import { Facts, Section, Table } from '../platform/ui/table.js';
import { AdminLayout, EnabledSection, More, WebhookState, WithReason } from './admin-layout.js';
import { limitNames, limitWords, nearNetNames, type StandardLimits } from './clients.js';
import { Enquiries, Usage, type UsageProps, Watches } from './client-usage.js';
import { FailureText } from './notifications.controller.js';
import { counted, whole } from '../platform/kernel/counts.js';

const scopeNames: Readonly<Record<ClientScope, string>> = {
  'availability:read': 'availability:read',
  'orders:write': 'orders:write',
  'orders:read': 'orders:read',
  'availability:nearest': 'availability:nearest: the postcode that a price by distance starts from',
  'coverage:read': 'coverage:read: downloads of all covered places, products and prices',
};

export const tokenForm = inputForm(NewToken, {
  label: { label: 'Label', hint: "For example, production, or Grace's tests." },
  scopes: { label: 'Scopes', names: scopeNames, missing: 'Choose at least one scope.' },
  days: {
    label: 'Valid for',
    hint: 'Days, from 1 to 3650.',
    first: '365',
    input: { inputMode: 'numeric', maxLength: 4 },
    missing: 'Enter a whole number of days from 1 to 3,650.',
  },
  test: { label: 'For the sandbox', hint: 'A test token places no real orders.' },
});

export const interconnectForm = inputForm(ClientInterconnect, {
  code: {
    label: 'Code',
    hint: 'What orders name, such as NNI-LON1. A known code gets the new description.',
    missing: 'Enter a code.',
  },
  label: {
    label: 'Description',
    hint: 'Such as Telehouse North, 10G.',
    missing: 'Enter a description.',
  },
});

/** The days for which the tokens of a pair are valid. */
export const PAIR_DAYS = 365;

export interface ShownWebhook {
  readonly endpoint: ShownEndpoint;
  readonly trouble: UndeliveredMessages;
}

export interface ClientProps extends ClientOverview, UsageProps {
  readonly viewer: StaffCaller;
  readonly webhooks: readonly ShownWebhook[];
  readonly now: Date;
  readonly config: Pick<Config, 'publicUrl' | 'salesContact'> & StandardLimits;
  readonly issued?: readonly IssuedToken[];
  readonly said?: FlashMessage | null;
  readonly refused?: RefusedForm;
  /** Why what was sent was not done. */
  readonly conflict?: string;
}

export function ClientPage(props: ClientProps) {
  const { viewer, client, tokens, issued, now, said, refused } = props;
  const place = `/staff/clients/${client.id}`;
  const isUsable = ({ revokedAt, expiresAt }: (typeof tokens)[number]) =>
    !revokedAt && expiresAt > now;
  const [usable, ended] = [tokens.filter(isUsable), tokens.filter((one) => !isUsable(one))];
  return (
    <AdminLayout title={client.name} viewer={viewer} here="clients" said={said}>
      <p class="crumb">
        <a href="/staff/clients">All API clients</a>
      </p>
      {issued && <NewTokens {...props} issued={issued} />}
      {!client.enabled && (
        <Notice kind="bad" title="This client is disabled.">
          <p>All its tokens are refused until you enable it again.</p>
        </Notice>
      )}
      <PriceListWarning {...props} />
      {props.conflict !== undefined && <Notice kind="bad" title={props.conflict} />}
      <RefusedSummary refused={refused} />
      <div class="actions">
        <PostForm
          action={`${place}/tokens/pair`}
          button="Issue test and live tokens"
          kind={usable.length === 0 ? 'primary' : undefined}
        />
        <a class="button" href={`${place}/edit`}>
          Edit
        </a>
        <a href={`/staff/queue?view=all&client=${client.id}`}>All orders of this client</a>
      </div>
      <ClientFacts {...props} />
      <Section title="Tokens">
        {usable.length === 0 ? (
          <p>{tokens.length === 0 ? 'No tokens yet' : 'No usable tokens'}</p>
        ) : (
          <Tokens name={client.name} tokens={usable} place={place} now={now} refused={refused} />
        )}
        {ended.length > 0 && (
          <More summary={`Revoked and expired: ${ended.length}`}>
            <Tokens name={`${client.name}, ended`} tokens={ended} place={place} now={now} />
          </More>
        )}
        <More summary="Issue a single token" open={refused?.at === '' && 'days' in refused.ids}>
          <PostForm
            action={`${place}/tokens`}
            fields={tokenForm.fields}
            refused={refused}
            button="Issue the token"
            kind="primary"
          />
        </More>
      </Section>
      <Interconnects {...props} place={place} />
      <Usage {...props} />
      <Enquiries {...props} />
      <Watches {...props} />
      {props.webhooks.map((webhook) => (
        <Webhook {...props} webhook={webhook} />
      ))}
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

function NewTokens(props: ClientProps & { issued: readonly IssuedToken[] }) {
  const { client, config, issued } = props;
  const { publicUrl, salesContact } = config;
  const text = handoverText({ client, tokens: issued, publicUrl, salesContact });
  const title =
    issued.length === 1
      ? 'Token issued. Copy it now: it is not shown again.'
      : 'Tokens issued. Copy them now: they are not shown again.';
  return (
    <Notice kind="good" title={title}>
      <div class="field handover">
        <label for="handover">{`Text for ${client.contactName}`}</label>
        <p class="hint" id="handover-hint">
          {'Send it to '}
          <a href={`mailto:${client.contactEmail}`}>{client.contactEmail}</a>. If a token is lost,
          issue another and revoke this one: only its hash is stored.
        </p>
        <textarea id="handover" readonly rows={20} aria-describedby="handover-hint">
          {text}
        </textarea>
      </div>
      <p class="actions">
        <CopyButton text={text} label="text" named />
        {issued.map(({ kind, token }) => (
          <CopyButton text={token} label={`${kind} token`} named />
        ))}
      </p>
    </Notice>
  );
}

function PriceListWarning({ client, priceListIsLive }: ClientProps) {
  if (priceListIsLive) return null;
  return (
    <Notice kind="soon" title={`The live catalogue has no price list ${client.priceList}.`}>
      <p>This client gets the prices of standard until a catalogue with this list goes live.</p>
    </Notice>
  );
}

function ClientFacts({ client, config, lastUsedAt, now }: ClientProps) {
  const { contactName, contactEmail, contactPhone, priceList, compatibility, nearNet } = client;
  const phone = contactPhone.replaceAll(/[^+\d]/g, '');
  return (
    <Facts
      of={[
        ['Contact', contactName],
        contactEmail !== '' && ['Email', <a href={`mailto:${contactEmail}`}>{contactEmail}</a>],
        contactPhone !== '' && ['Phone', <a href={`tel:${phone}`}>{contactPhone}</a>],
        ['Price list', priceList],
        ['API version', compatibility],
        ['Prices by distance', nearNetNames[nearNet]],
        ['Limits', limitsInWords(client, config)],
        ['Last used', lastUsedAt ? <Time at={lastUsedAt} now={now} /> : 'Never'],
        ['Added', <Time at={client.createdAt} now={now} />],
      ]}
    />
  );
}

function limitsInWords(client: ApiClient, standard: StandardLimits) {
  const own = limitNames.filter((name) => client[name] !== null);
  if (own.length === 0) return 'Default';
  return own
    .map((name) => `${limitWords[name]}: ${whole(client[name] ?? standard[name])}`)
    .join(', ');
}

/** Without any, only the way to add one: products that start at an interconnect cannot be ordered until then. */
function Interconnects({ client, place, refused }: ClientProps & { place: string }) {
  const isRefused = refused?.at === '' && 'code' in refused.ids;
  const form = (
    <More summary="Add an interconnect" open={isRefused}>
      <PostForm
        action={`${place}/interconnects`}
        fields={interconnectForm.fields}
        refused={isRefused ? refused : undefined}
        button="Add the interconnect"
        kind="primary"
      />
    </More>
  );
  if (client.interconnects.length === 0) return form;
  return (
    <Section title="Interconnects">
      <Table
        caption={`Interconnects of ${client.name}`}
        rows={client.interconnects}
        class="short"
        columns={[
          { name: 'Code', of: ({ code }) => <code>{code}</code>, heads: true },
          { name: 'What it is', of: ({ label }) => label },
          {
            name: <span class="unseen">Remove</span>,
            of: ({ code }) => (
              <PostForm
                action={`${place}/interconnects/remove`}
                hidden={{ code }}
                button={
                  <button type="submit">
                    Remove<span class="unseen">{` ${code}`}</span>
                  </button>
                }
              />
            ),
          },
        ]}
      />
      {form}
    </Section>
  );
}

const webhookNames: Readonly<Record<Mode, string>> = { live: 'webhook', test: 'test webhook' };

function Webhook({ client, webhook, now, refused }: ClientProps & { webhook: ShownWebhook }) {
  const { endpoint, trouble } = webhook;
  const { id } = endpoint;
  const name = webhookNames[modeOf(endpoint)];
  const { failed, waiting, dead } = trouble;
  const action = `/staff/clients/${client.id}/webhook`;
  return (
    <Section title={upperFirst(name)}>
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
              {`, ${counted(endpoint.failures, 'attempt')}`}
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
            button={`Resume the ${name}`}
          />
        </>
      )}
      {endpoint.enabled ? (
        <WithReason
          at={id}
          action={action}
          verb={`Disable the ${name}`}
          hint="Discards waiting messages. You can enable it again; the client sees the reason."
          hidden={{ enabled: 'no', webhook: id }}
          refused={refused}
        />
      ) : (
        <PostForm
          action={action}
          hidden={{ enabled: 'yes', webhook: id }}
          button={`Enable the ${name}`}
        />
      )}
    </Section>
  );
}

type FailedMessage = NonNullable<UndeliveredMessages['failed']>;

function Failure({ failed, now }: { failed: FailedMessage; now: Date }) {
  const attempts = counted(failed.attempts, 'attempt');
  return (
    <>
      <FailureText error={failed.lastError} />
      <span class="muted">
        {`${eventWords(failed.kind)}, ${attempts}, created `}
        <Time at={failed.createdAt} now={now} />
        {'. '}
      </span>
      <a href={`/staff/notifications?state=${failed.state}`}>Show in notifications</a>
    </>
  );
}

export const clientMessages = new FlashMessages({
  ...tokenMessages,
  'client-added': 'Client added. Issue its tokens next.',
  'client-edited': 'Client saved. The changes apply from its next request on.',
  'interconnect-added': 'Interconnect added. Orders can name it from now on.',
  'interconnect-removed': 'Interconnect removed.',
  'client-enabled': 'Client enabled.',
  'client-disabled': 'Client disabled.',
  'webhook-enabled': 'Webhook enabled. Waiting messages go out from now on.',
  'webhook-disabled': 'Webhook disabled.',
});
