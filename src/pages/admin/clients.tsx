import type { AccessToken } from '../../clients/access-token.entity.js';
import type { ApiClient } from '../../clients/api-client.entity.js';
import type { IssuedToken } from '../../clients/tokens.service.js';
import type { ClientLimits, StaffCaller } from '../../access/caller.js';
import { clientScopes } from '../../access/scopes.js';
import type { WrittenHtml } from '../../http/written-html.js';
import { Checkbox, type Faults, FaultSummary, TextField } from '../forms/fields.js';
import type { Form } from '../forms/form.js';
import { AdminLayout } from './admin-layout.js';
import { Copyable, Empty, Notice, Time } from '../shell/parts.js';
import { page } from '../shell/render.js';
import { Webhook, type WebhookView } from './client-webhook.js';
import { Tokens, type TokensView } from './tokens.js';

export interface ClientRow {
  readonly client: ApiClient;
  /** Tokens that are accepted now. */
  readonly usable: number;
  readonly lastUsedAt: Date | null;
  /** Whether its webhook is enabled; null where it has none. */
  readonly webhook: boolean | null;
}

export function clientsPage(
  viewer: StaffCaller,
  rows: readonly ClientRow[],
  now: Date,
): WrittenHtml {
  return page(
    <AdminLayout title={`API clients ${rows.length}`} viewer={viewer} here="clients">
      <p class="actions">
        <a class="button primary" href="/staff/clients/new">
          Add an API client
        </a>
      </p>
      {rows.length === 0 ? (
        <Empty title="There are no API clients yet.">
          <p>Add the first one; its tokens are issued on its page.</p>
        </Empty>
      ) : (
        <div class="scroll">
          <table>
            <caption class="unseen">API clients by name</caption>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Contact</th>
                <th scope="col">Price list</th>
                <th scope="col" class="number">
                  Tokens
                </th>
                <th scope="col">Last used</th>
                <th scope="col">Webhook</th>
                <th scope="col">State</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ client, usable, lastUsedAt, webhook }) => (
                <tr>
                  <th scope="row" class="words">
                    <a href={`/staff/clients/${client.id}`}>{client.name}</a>
                  </th>
                  <td class="words">{client.contactName}</td>
                  <td>{client.priceList}</td>
                  <td class="number">{usable}</td>
                  <td>{lastUsedAt ? <Time at={lastUsedAt} now={now} /> : 'Never'}</td>
                  <td>
                    {webhook === null ? (
                      'None'
                    ) : webhook ? (
                      'Enabled'
                    ) : (
                      <span class="late">Disabled</span>
                    )}
                  </td>
                  <td>{client.enabled ? 'Enabled' : <span class="late">Disabled</span>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </AdminLayout>,
  );
}

export function newClientPage(viewer: StaffCaller, form?: Form, faults?: Faults): WrittenHtml {
  return page(
    <AdminLayout title="Add an API client" viewer={viewer} here="clients" width="narrow">
      <FaultSummary faults={faults} />
      <form method="post" action="/staff/clients">
        <TextField
          name="name"
          label="Name of the company"
          value={form?.text('name')}
          faults={faults}
          input={{ maxLength: 120, required: true, autocomplete: 'off' }}
        />
        <TextField
          name="contactName"
          label="Whom to contact there"
          value={form?.text('contactName')}
          faults={faults}
          input={{ maxLength: 120, required: true, autocomplete: 'off' }}
        />
        <TextField
          name="contactEmail"
          label="E-mail address"
          value={form?.text('contactEmail')}
          faults={faults}
          input={{ type: 'email', maxLength: 254, required: true, autocomplete: 'off' }}
        />
        <TextField
          name="contactPhone"
          label="Telephone number"
          value={form?.text('contactPhone')}
          faults={faults}
          input={{ type: 'tel', maxLength: 40, required: true, autocomplete: 'off' }}
        />
        <TextField
          name="priceList"
          label="Price list"
          hint="As prices.csv of the catalogue names it."
          value={form?.text('priceList') ?? 'standard'}
          faults={faults}
          input={{ maxLength: 32, required: true, autocomplete: 'off' }}
        />
        <Checkbox
          name="legacyFieldNames"
          value="yes"
          label="Also send the misspelt key of version 0.2.0"
          hint="For clients that were generated from it: bandwidthCapactity."
          checked={form?.has('legacyFieldNames')}
        />
        <p class="actions">
          <button type="submit" class="primary">
            Add
          </button>
          <a href="/staff/clients">Cancel</a>
        </p>
      </form>
    </AdminLayout>,
    faults ? 422 : undefined,
  );
}

export interface ClientView {
  readonly viewer: StaffCaller;
  readonly client: ApiClient;
  readonly tokens: readonly AccessToken[];
  readonly webhook: WebhookView['webhook'];
  readonly now: Date;
  /** The limits of whoever has none of their own. */
  readonly standard: Readonly<Record<keyof ClientLimits, number>>;
  readonly refusedRevocation?: TokensView['refused'];
  readonly refusedWebhook?: WebhookView['refusedWebhook'];
  readonly issued?: IssuedToken;
  readonly done?: string;
  readonly form?: Form;
  readonly faults?: Faults;
}

export function clientPage(view: ClientView): WrittenHtml {
  const { viewer, client, issued, done, faults } = view;
  const { refusedRevocation, refusedWebhook } = view;
  return page(
    <AdminLayout title={client.name} viewer={viewer} here="clients">
      <p class="crumb">
        <a href="/staff/clients">All API clients</a>
      </p>
      {done && <Notice kind="good" title={done} />}
      {issued && <NewToken issued={issued} now={view.now} />}
      {!client.enabled && (
        <Notice kind="bad" title="This client is disabled.">
          <p>All its tokens are refused until it is enabled again.</p>
        </Notice>
      )}
      <FaultSummary
        faults={faultsOfPage(view)}
        ids={{
          scope: idOfScope(clientScopes[0]),
          ...(refusedRevocation && { revocation: `reason-${refusedRevocation.tokenId}` }),
          webhook: 'reason-webhook',
        }}
      />
      <Facts {...view} />
      <section>
        <h2>Tokens</h2>
        {view.tokens.length === 0 ? (
          <p>None was issued yet.</p>
        ) : (
          <Tokens
            name={client.name}
            tokens={view.tokens}
            place={`/staff/clients/${client.id}`}
            now={view.now}
            refused={view.refusedRevocation}
          />
        )}
      </section>
      <IssueToken {...view} />
      <Limits {...view} />
      <Webhook {...view} />
      <section>
        <h2>{client.enabled ? 'Disable' : 'Enable'}</h2>
        <p class="hint">
          {client.enabled
            ? 'Refuses all its tokens from now on, on every instance within 5 seconds. Its orders stay.'
            : 'Lets its tokens in again.'}
        </p>
        <form method="post" action={`/staff/clients/${client.id}/enabled`}>
          <input type="hidden" name="enabled" value={client.enabled ? 'no' : 'yes'} />
          <button type="submit" class={client.enabled ? 'danger' : undefined}>
            {client.enabled ? 'Disable this client' : 'Enable this client'}
          </button>
        </form>
      </section>
    </AdminLayout>,
    faults || refusedRevocation || refusedWebhook ? 422 : undefined,
  );
}

function faultsOfPage({ faults, refusedRevocation, refusedWebhook }: ClientView): Faults {
  return new Map([
    ...(faults ?? []),
    ...(refusedRevocation ? [['revocation', refusedRevocation.fault] as const] : []),
    ...(refusedWebhook ? [['webhook', refusedWebhook.fault] as const] : []),
  ]);
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

function Facts({ client, now }: ClientView) {
  return (
    <dl class="facts">
      <dt>Contact</dt>
      <dd>{client.contactName}</dd>
      <dt>E-mail</dt>
      <dd>
        <a href={`mailto:${client.contactEmail}`}>{client.contactEmail}</a>
      </dd>
      <dt>Telephone</dt>
      <dd>
        <a href={`tel:${client.contactPhone.replaceAll(/[^+\d]/g, '')}`}>{client.contactPhone}</a>
      </dd>
      <dt>Price list</dt>
      <dd>{client.priceList}</dd>
      <dt>Field names</dt>
      <dd>{client.legacyFieldNames ? 'Also those of version 0.2.0' : 'As documented'}</dd>
      <dt>Added</dt>
      <dd>
        <Time at={client.createdAt} now={now} />
      </dd>
      <dt>Id</dt>
      <dd>
        <Copyable text={client.id} label="the id" />
      </dd>
      <dt>Orders</dt>
      <dd>
        <a href={`/staff/queue?view=all&client=${client.id}`}>All orders of this client</a>
      </dd>
    </dl>
  );
}

function idOfScope(scope: string): string {
  return `scope-${scope.replaceAll(':', '-')}`;
}

function IssueToken({ client, form, faults }: ClientView) {
  return (
    <section>
      <h2>Issue a token</h2>
      <form method="post" action={`/staff/clients/${client.id}/tokens`}>
        <TextField
          name="label"
          label="What it is for"
          hint="To tell tokens apart: production, Grace's tests."
          value={form?.text('label')}
          faults={faults}
          input={{ maxLength: 120, autocomplete: 'off' }}
        />
        <fieldset>
          <legend>Scopes</legend>
          {faults?.has('scope') && <p class="fault">{faults.get('scope')}</p>}
          {clientScopes.map((scope) => (
            <Checkbox
              name="scope"
              id={idOfScope(scope)}
              value={scope}
              label={scope}
              checked={form ? form.all('scope').includes(scope) : true}
            />
          ))}
        </fieldset>
        <TextField
          name="days"
          label="Valid for"
          hint="Days, from 1 to 3650."
          value={form?.text('days') ?? '365'}
          faults={faults}
          input={{ inputMode: 'numeric', maxLength: 4, required: true, autocomplete: 'off' }}
        />
        <Checkbox
          name="test"
          value="yes"
          label="For the sandbox"
          hint="A test token places no real orders."
          checked={form?.has('test')}
        />
        <p class="actions">
          <button type="submit" class="primary">
            Issue the token
          </button>
        </p>
      </form>
    </section>
  );
}

function Limits({ client, standard, form, faults }: ClientView) {
  const fields = [
    ['lookupsPerMinute', 'Look-ups a minute'],
    ['lookupBurst', 'Look-ups in one second'],
    ['ordersPerMinute', 'Orders a minute'],
    ['inFlight', 'Requests at the same time'],
  ] as const;
  return (
    <section>
      <h2>Limits</h2>
      <form method="post" action={`/staff/clients/${client.id}/limits`}>
        <div class="side-by-side">
          {fields.map(([name, label]) => (
            <TextField
              name={name}
              label={label}
              hint={`Empty: ${standard[name].toLocaleString('en-GB')}, as everybody.`}
              value={form?.has(name) ? form.text(name) : String(client[name] ?? '')}
              faults={faults}
              input={{ inputMode: 'numeric', maxLength: 8, autocomplete: 'off' }}
            />
          ))}
        </div>
        <p class="actions">
          <button type="submit">Set the limits</button>
        </p>
      </form>
    </section>
  );
}
