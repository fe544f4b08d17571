import { Get, Param, Post } from '@nestjs/common';
import { actorOf } from '../../audit/audit.service.js';
import { ClientsService } from '../../clients/clients.service.js';
import { TokensService } from '../../clients/tokens.service.js';
import { Staff, type ClientLimits, type StaffCaller } from '../../access/caller.js';
import { clientScopes } from '../../access/scopes.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../problems/problem.js';
import type { WrittenHtml } from '../../http/written-html.js';
import { Config } from '../../config/config.js';
import { OutboxRepository } from '../../notifications/outbox.repository.js';
import { WebhooksService } from '../../notifications/webhooks.service.js';
import { FormPage } from '../forms/form-page.js';
import { checkForm } from '../forms/form-spec.js';
import { page } from '../shell/render.js';
import { redirectTo, flashIn } from '../shell/flash-messages.js';
import { reasonFields } from './admin-layout.js';
import {
  ClientPage,
  type ClientProps,
  ClientsPage,
  limitFields,
  limitNames,
  newClientForm,
  type ShownWebhook,
  tokenFields,
} from './clients.js';
import { addByForm } from './refusals.js';
import { revokeToken, type TokenPath } from './tokens.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';

@StaffPages('staff/clients', 'admin')
export class ClientsPagesController {
  constructor(
    private readonly clients: ClientsService,
    private readonly tokens: TokensService,
    private readonly webhooks: WebhooksService,
    private readonly outbox: OutboxRepository,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  @Get()
  async listClients(@Staff() viewer: StaffCaller) {
    const now = this.clock.now();
    const [clients, tokens] = [await this.clients.list(), await this.tokens.list()];
    const live = (await this.webhooks.list()).filter(({ isTest }) => !isTest);
    const webhooks = new Map(live.map((endpoint) => [endpoint.clientId, endpoint]));
    const rows = clients.map((client) => {
      const own = tokens.filter(({ clientId }) => clientId === client.id);
      return {
        client,
        usable: own.filter(({ revokedAt, expiresAt }) => !revokedAt && expiresAt > now).length,
        lastUsedAt: own.map(({ lastUsedAt }) => lastUsedAt).reduce(later, null),
        liveWebhook: webhooks.get(client.id) ?? null,
      };
    });
    return page(<ClientsPage viewer={viewer} rows={rows} now={now} />);
  }

  @Get('new')
  newClient(@Staff() viewer: StaffCaller) {
    return page(<FormPage {...newClientForm} viewer={viewer} />);
  }

  @Post()
  addClient(@Staff() viewer: StaffCaller, @SentForm() form: Form) {
    const client = {
      name: form.text('name'),
      contactName: form.text('contactName'),
      contactEmail: form.text('contactEmail'),
      contactPhone: form.text('contactPhone'),
      priceList: form.text('priceList'),
      compatibility: form.text('compatibility') === '0.2' ? ('0.2' as const) : ('0.3' as const),
    };
    return addByForm(newClientForm, { viewer, form }, 'name', 'client-added', () =>
      this.clients.add(client, actorOf(viewer)),
    );
  }

  @Get(':id')
  async showClient(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @QueryForm() query: Form,
  ) {
    return draw({ ...(await this.view(viewer, id)), said: flashIn(query) });
  }

  /** Not a redirect: the token is shown only in this response. */
  @Post(':id/tokens')
  async issueToken(@Staff() viewer: StaffCaller, @Param('id') id: string, @SentForm() form: Form) {
    const view = await this.view(viewer, id);
    const refused = checkForm(tokenFields, form);
    if (refused) return draw({ ...view, refused });
    const issued = await this.tokens.issue(
      {
        holder: { clientId: id },
        kind: form.has('test') ? 'test' : 'live',
        label: form.text('label'),
        scopes: clientScopes.filter((scope) => form.all('scope').includes(scope)),
        days: form.number('days'),
      },
      actorOf(viewer),
    );
    return draw({ ...(await this.view(viewer, id)), issued });
  }

  @Post(':id/tokens/:tokenId/revoke')
  async revokeToken(
    @Staff() viewer: StaffCaller,
    @Param() path: TokenPath,
    @SentForm() form: Form,
  ) {
    const view = await this.view(viewer, path.id);
    const outcome = await revokeToken(this.tokens, view, path.tokenId, form);
    if (outcome instanceof Object) return draw({ ...view, refused: outcome });
    return redirectTo(`/staff/clients/${path.id}`, outcome);
  }

  @Post(':id/limits')
  async setLimits(@Staff() viewer: StaffCaller, @Param('id') id: string, @SentForm() form: Form) {
    const view = await this.view(viewer, id);
    const refused = checkForm(limitFields(view), form);
    if (refused) return draw({ ...view, refused });
    const limits: Partial<Record<keyof ClientLimits, number | null>> = {};
    for (const name of limitNames) limits[name] = form.text(name) ? form.number(name) : null;
    await this.clients.setLimits(id, limits, actorOf(viewer));
    return redirectTo(`/staff/clients/${id}`, 'client-limits');
  }

  @Post(':id/enabled')
  async setEnabled(@Staff() viewer: StaffCaller, @Param('id') id: string, @SentForm() form: Form) {
    await this.view(viewer, id);
    const enabled = form.text('enabled') === 'yes';
    await this.clients.setEnabled(id, enabled, actorOf(viewer));
    return redirectTo(`/staff/clients/${id}`, enabled ? 'client-enabled' : 'client-disabled');
  }

  @Post(':id/webhook')
  async setWebhook(@Staff() viewer: StaffCaller, @Param('id') id: string, @SentForm() form: Form) {
    const view = await this.view(viewer, id);
    const webhookId = form.text('webhook');
    if (!view.webhooks.some(({ endpoint }) => endpoint.id === webhookId)) {
      throw new NotFound('This client has no such webhook.');
    }
    const enabled = form.text('enabled') === 'yes';
    const refused = enabled ? null : checkForm(reasonFields, form, webhookId);
    if (refused) return draw({ ...view, refused });
    const reason = enabled ? null : form.text('reason');
    await this.webhooks.setEnabled(webhookId, reason, actorOf(viewer));
    return redirectTo(`/staff/clients/${id}`, enabled ? 'webhook-enabled' : 'webhook-disabled');
  }

  /** @throws {NotFound} */
  private async view(viewer: StaffCaller, id: string): Promise<ClientProps> {
    const client = (await this.clients.list()).find((one) => one.id === id);
    if (!client) throw new NotFound('There is no such API client.');
    const tokens = await this.tokens.list({ clientId: id });
    const webhooks: ShownWebhook[] = [];
    for (const isTest of [false, true]) {
      const endpoint = await this.webhooks.ofClient({ clientId: id, isTest });
      if (endpoint) {
        webhooks.push({ endpoint, trouble: await this.outbox.troubleOf(endpoint.id) });
      }
    }
    return { viewer, client, tokens, webhooks, standard: this.config, now: this.clock.now() };
  }
}

function draw(props: ClientProps): WrittenHtml {
  return page(<ClientPage {...props} />, props.refused ? 422 : undefined);
}

function later(a: Date | null, b: Date | null): Date | null {
  return b && (!a || b > a) ? b : a;
}
