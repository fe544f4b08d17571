import {
  clientMessages,
  ClientPage,
  type ClientProps,
  interconnectForm,
  PAIR_DAYS,
  type ShownWebhook,
  tokenForm,
} from './client-page.js';
import { Get, Param, Post } from '@nestjs/common';
import { LIVE, sides } from '../platform/database/sides.js';
import { actorOf, AuditService } from '../platform/audit/audit.service.js';
import { ClientsService } from '../clients/clients.service.js';
import { TokensService } from '../clients/tokens.service.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { Heavy } from '../platform/access/rules.js';
import { usualClientScopes } from '../platform/access/scopes.js';
import { ClientOverviewService } from './clients/client-overview.service.js';
import { ClientUsageService } from './clients/client-usage.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { NotFound } from '../platform/problems/problem.js';
import type { WrittenHtml } from '../platform/http/written.js';
import { Config } from '../platform/config/config.js';
import { OutboxRepository } from '../platform/notifications/outbox.repository.js';
import { WebhooksService } from '../platform/notifications/webhooks.service.js';
import { FollowUpService } from '../queue/lists/follow-up.service.js';
import { OperatorWatchesService } from '../watches/operator-watches.service.js';
import { FormPage } from '../platform/ui/form-page.js';
import { send } from '../platform/ui/forms/input-form.js';
import { page } from '../platform/ui/render.js';
import { reasonForm } from './admin-layout.js';
import { ClientsPage, newClientForm, editForm } from './clients.js';
import { addByForm } from './refusals.js';
import { revokeToken, type TokenPath } from './tokens.js';
import { type Visit, Visited } from '../platform/ui/forms/form.js';
import { StaffPages } from '../platform/ui/staff-pages.js';
import type { ApiClient } from '../clients/api-client.entity.js';
import { ClientChanged } from '../clients/clients.errors.js';
import {
  type RefusedForm,
  type FormField,
  seenIn,
  valuesOf,
  withStored,
} from '../platform/ui/forms/form-spec.js';
import { Notice, Time } from '../platform/ui/parts.js';
import { Facts } from '../platform/ui/table.js';

/** Watches and enquiries on the page of a client. */
const LISTED = 10;

@StaffPages('staff/clients', 'admin')
export class ClientsPagesController {
  constructor(
    private readonly clients: ClientsService,
    private readonly overview: ClientOverviewService,
    private readonly usage: ClientUsageService,
    private readonly tokens: TokensService,
    private readonly webhooks: WebhooksService,
    private readonly outbox: OutboxRepository,
    private readonly watches: OperatorWatchesService,
    private readonly orders: FollowUpService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  @Get()
  async listClients(@Visited() { viewer, query }: Visit) {
    const live = await this.webhooks.list(LIVE);
    const webhooks = new Map(live.map((endpoint) => [endpoint.clientId, endpoint]));
    const rows = (await this.overview.list()).map((row) => {
      return { ...row, webhook: webhooks.get(row.client.id) ?? null };
    });
    return page(<ClientsPage viewer={viewer} rows={rows} query={query} now={this.clock.now()} />);
  }

  @Get('new')
  newClient(@Visited() { viewer }: Visit) {
    return page(<FormPage {...newClientForm(this.overview.priceLists)} viewer={viewer} />);
  }

  @Post()
  addClient(@Visited() { viewer, form }: Visit) {
    const spec = newClientForm(this.overview.priceLists);
    return addByForm(spec, { viewer, form }, clientMessages, 'client-added', (client) =>
      this.clients.add(client, actorOf(viewer)),
    );
  }

  @Get(':id')
  @Heavy()
  async showClient(@Visited() { viewer, query }: Visit, @Param('id') id: string) {
    return draw({ ...(await this.view(viewer, id)), said: clientMessages.in(query) });
  }

  /** Not a redirect: the tokens are shown only in this response. */
  @Post(':id/tokens/pair')
  async issuePair(@Visited() { viewer }: Visit, @Param('id') id: string) {
    const { client } = await this.overview.find(id);
    const request = { holder: { clientId: client.id }, label: '', scopes: usualClientScopes };
    const issued = await this.tokens.issuePair({ ...request, days: PAIR_DAYS }, actorOf(viewer));
    return draw({ ...(await this.view(viewer, id)), issued });
  }

  /** Not a redirect: the token is shown only in this response. */
  @Post(':id/tokens')
  async issueToken(@Visited() { viewer, form }: Visit, @Param('id') id: string) {
    const view = await this.view(viewer, id);
    const sent = await send(tokenForm, form, ({ test, label = '', scopes, days }) => {
      const kind = test ? 'test' : 'live';
      const token = { holder: { clientId: id }, kind, label, scopes, days } as const;
      return this.tokens.issue(token, actorOf(viewer));
    });
    if ('refused' in sent) return draw({ ...view, ...sent });
    return draw({ ...(await this.view(viewer, id)), issued: [sent.result] });
  }

  @Post(':id/tokens/:tokenId/revoke')
  async revokeToken(@Visited() { viewer, form }: Visit, @Param() path: TokenPath) {
    const view = await this.view(viewer, path.id);
    const outcome = await revokeToken(this.tokens, view, path.tokenId, form);
    if (outcome instanceof Object) return draw({ ...view, refused: outcome });
    return clientMessages.redirect(`/staff/clients/${path.id}`, outcome);
  }

  @Post(':id/interconnects')
  async addInterconnect(@Visited() { viewer, form }: Visit, @Param('id') id: string) {
    const sent = await send(interconnectForm, form, (interconnect) =>
      this.clients.addInterconnect(id, interconnect, actorOf(viewer)),
    );
    if ('refused' in sent) return draw({ ...(await this.view(viewer, id)), ...sent });
    return clientMessages.redirect(`/staff/clients/${id}`, 'interconnect-added');
  }

  @Post(':id/interconnects/remove')
  async removeInterconnect(@Visited() { viewer, form }: Visit, @Param('id') id: string) {
    await this.clients.removeInterconnect(id, form.text('code'), actorOf(viewer));
    return clientMessages.redirect(`/staff/clients/${id}`, 'interconnect-removed');
  }

  @Post(':id/enabled')
  async setEnabled(@Visited() { viewer, form }: Visit, @Param('id') id: string) {
    await this.view(viewer, id);
    const enabled = form.text('enabled') === 'yes';
    await this.clients.setEnabled(id, enabled, actorOf(viewer));
    return clientMessages.redirect(
      `/staff/clients/${id}`,
      enabled ? 'client-enabled' : 'client-disabled',
    );
  }

  @Post(':id/webhook')
  async setWebhook(@Visited() { viewer, form }: Visit, @Param('id') id: string) {
    const view = await this.view(viewer, id);
    const webhookId = form.text('webhook');
    if (!view.webhooks.some(({ endpoint }) => endpoint.id === webhookId)) {
      throw new NotFound('This client has no such webhook.');
    }
    const path = `/staff/clients/${id}`;
    const set = (reason: string | null) =>
      this.webhooks.setEnabled(webhookId, reason, actorOf(viewer));
    if (form.text('enabled') === 'yes') {
      await set(null);
      return clientMessages.redirect(path, 'webhook-enabled');
    }
    const sent = await send(reasonForm, form, ({ reason }) => set(reason), webhookId);
    if ('refused' in sent) return draw({ ...view, ...sent });
    return clientMessages.redirect(path, 'webhook-disabled');
  }

  /** @throws {NotFound} */
  private async view(viewer: StaffCaller, id: string): Promise<ClientProps> {
    const overview = await this.overview.find(id);
    const usage = await this.usage.of(id);
    const webhooks: ShownWebhook[] = [];
    for (const side of sides) {
      const endpoint = await this.webhooks.ofClient({ clientId: id, ...side });
      if (endpoint) {
        webhooks.push({ endpoint, trouble: await this.outbox.troubleOf(endpoint.id) });
      }
    }
    const watches = await this.watches.list({ clientId: id, ...LIVE }, LISTED);
    const newest = { client: id, kind: 'enquiry', sort: '-received', limit: LISTED } as const;
    const enquiries = await this.orders.list(newest, viewer);
    const { config } = this;
    const now = this.clock.now();
    return { viewer, ...overview, usage, webhooks, watches, enquiries, config, now };
  }
}

function draw(props: ClientProps): WrittenHtml {
  return page(<ClientPage {...props} />, props.refused && 422);
}

/** What a colleague has saved since the form was opened. */
interface EditConflict {
  readonly by: string;
  readonly at: Date | null;
  /** The fields that both have changed, with the stored value. */
  readonly theirs: readonly FormField[];
  /** The fields that only the colleague has changed: the form has the stored values. */
  readonly taken: readonly FormField[];
  readonly now: Date;
}

interface ClientEditProps {
  readonly viewer: StaffCaller;
  readonly client: ApiClient;
  readonly fields: readonly FormField[];
  /** The version that the form replaces, and its values, as JSON. */
  readonly version: number;
  readonly seen: string;
  readonly refused?: RefusedForm;
  readonly conflict?: EditConflict;
  /** Why else what was sent was not saved. */
  readonly reason?: string;
}

/** The name of the draft of the form. */
function draftOfEdit({ id }: Pick<ApiClient, 'id'>): string {
  return `clients/${id}/edit`;
}

function ClientEditPage(props: ClientEditProps) {
  const { viewer, client, fields, version, seen, refused, conflict } = props;
  return (
    <FormPage
      title={`Edit ${client.name}`}
      viewer={viewer}
      here="clients"
      draft={draftOfEdit(client)}
      action={`/staff/clients/${client.id}/edit`}
      hidden={{ version: Number.isNaN(version) ? '' : version, seen }}
      fields={fields}
      refused={refused}
      conflict={props.reason}
      button="Save"
      cancel={`/staff/clients/${client.id}`}
      intro={conflict && <Conflict {...conflict} />}
    />
  );
}

function drawEdit(props: ClientEditProps, status?: number): WrittenHtml {
  return page(<ClientEditPage {...props} />, status);
}

function Conflict({ by, at, theirs, taken, now }: EditConflict) {
  return (
    <Notice kind="bad" title={`${by} has edited this client since you opened the form.`}>
      <p>
        {'Your changes are not saved. '}
        {by}
        {' saved '}
        {at ? <Time at={at} now={now} /> : 'meanwhile'}
        {'. '}
        {taken.length > 0 &&
          `You have not changed ${labelsOf(taken)}: the form now has what is saved. `}
        {theirs.length > 0 && 'These saved values differ from yours:'}
      </p>
      {theirs.length > 0 && (
        <Facts of={theirs.map(({ label, first }) => [label, first || '(empty)'] as const)} />
      )}
      <p>
        {theirs.length > 0
          ? 'To replace these values with yours, save again.'
          : 'To save your changes, save again.'}
      </p>
    </Notice>
  );
}

function labelsOf(fields: readonly FormField[]): string {
  return fields.map(({ label }) => label).join(', ');
}

/** The form that edits an API client. */
@StaffPages('staff/clients/:id/edit', 'admin')
export class ClientEditPagesController {
  constructor(
    private readonly clients: ClientsService,
    private readonly overview: ClientOverviewService,
    private readonly audit: AuditService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  @Get()
  async showClientForm(@Visited() { viewer }: Visit, @Param('id') id: string) {
    const { client } = await this.overview.find(id);
    const { fields } = this.formOf(client);
    const seen = JSON.stringify(valuesOf(fields));
    return drawEdit({ viewer, client, fields, version: client.version, seen });
  }

  @Post()
  async editClient(@Visited() { viewer, form }: Visit, @Param('id') id: string) {
    const { client } = await this.overview.find(id);
    const asked = this.formOf(client);
    const sent = await send(asked, form, ({ version, lookupsPerSecond, ...details }) => {
      const { lookupsPerMinute, ordersPerMinute, inFlight } = details;
      const limits = {
        lookupsPerMinute: lookupsPerMinute ?? null,
        lookupBurst: lookupsPerSecond ?? null,
        ordersPerMinute: ordersPerMinute ?? null,
        inFlight: inFlight ?? null,
      };
      return this.clients.edit(id, { ...details, ...limits }, actorOf(viewer), version);
    });
    if ('result' in sent) {
      return clientMessages.redirect(`/staff/clients/${id}`, 'client-edited', draftOfEdit(client));
    }
    const { problem, refused, status, conflict: reason } = sent;
    if (problem instanceof ClientChanged) return this.drawConflict(viewer, id, refused);
    const { fields } = asked;
    const [version, seen] = [form.number('version'), form.text('seen')];
    return drawEdit({ viewer, client, fields, refused, version, seen, reason }, status);
  }

  /** What the member has changed stays as typed; the rest is as the colleague saved it. To save again replaces it. */
  private async drawConflict(viewer: StaffCaller, id: string, sent: RefusedForm) {
    const { client } = await this.overview.find(id);
    const { fields } = this.formOf(client);
    const { form } = sent;
    const about = { subjectType: 'client', subjectId: id, action: 'edited', limit: 1 };
    const [latest] = await this.audit.list(about);
    const changed = fields.filter(({ name, first = '' }) => {
      return seenIn(form, name) !== first && form.text(name) !== first;
    });
    const taken = changed.filter(({ name }) => form.text(name) === seenIn(form, name));
    const conflict = {
      by: latest?.actorName ?? 'A colleague',
      at: latest?.at ?? null,
      theirs: changed.filter((field) => !taken.includes(field)),
      taken,
      now: this.clock.now(),
    };
    const { version } = client;
    const merged = withStored(form, fields, version);
    const refused = { ...sent, form: merged, faults: new Map() };
    const seen = merged.text('seen');
    return drawEdit({ viewer, client, fields, refused, conflict, version, seen }, 409);
  }

  private formOf(client: ApiClient) {
    return editForm(client, this.overview.priceLists, this.config);
  }
}
