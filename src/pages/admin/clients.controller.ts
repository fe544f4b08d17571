import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { actorOf } from '../../audit/audit.service.js';
import type { AccessToken } from '../../clients/access-token.entity.js';
import type { ApiClient } from '../../clients/api-client.entity.js';
import { clientRules, labelRule, reasonRule } from '../../clients/client-rules.js';
import { ClientsService } from '../../clients/clients.service.js';
import { type IssuedToken, TokensService } from '../../clients/tokens.service.js';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../problems/problem.js';
import { clientScopes, Page } from '../../access/scopes.js';
import { faultsOf } from '../../kernel/text-rules.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { Config } from '../../config/config.js';
import { OutboxQueue } from '../../notifications/outbox-queue.service.js';
import { WebhooksService } from '../../notifications/webhooks.service.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { clientPage, clientsPage, newClientPage } from './clients.js';
import { refusal } from './refusals.js';

const done = new Map([
  ['added', 'The client is added. Issue its first token below.'],
  ['revoked', 'The token is revoked: refused everywhere within 5 seconds.'],
  ['limits', 'The limits are set.'],
  ['enabled', 'The client is enabled.'],
  ['disabled', 'The client is disabled.'],
  ['webhook-enabled', 'The webhook is enabled: what waits goes out from now on.'],
  ['webhook-disabled', 'The webhook is disabled.'],
]);

/** API clients and their tokens. */
@Controller('staff/clients')
@ApiExcludeController()
export class ClientsPagesController {
  constructor(
    private readonly clients: ClientsService,
    private readonly tokens: TokensService,
    private readonly webhooks: WebhooksService,
    private readonly outbox: OutboxQueue,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Page('admin')
  async listClients(@Staff() viewer: StaffCaller): Promise<WrittenHtml> {
    const now = this.clock.now();
    const [clients, tokens] = [await this.clients.list(), await this.tokens.list()];
    const webhooks = new Map(
      (await this.webhooks.list()).map(({ clientId, enabled }) => [clientId, enabled]),
    );
    const rows = clients.map((client) => {
      const own = tokens.filter(({ clientId }) => clientId === client.id);
      return {
        client,
        usable: own.filter(isUsable(now)).length,
        lastUsedAt: lastUse(own),
        webhook: webhooks.get(client.id) ?? null,
      };
    });
    return clientsPage(viewer, rows, now);
  }

  @Get('new')
  @Page('admin')
  newClient(@Staff() viewer: StaffCaller): WrittenHtml {
    return newClientPage(viewer);
  }

  @Post()
  @Page('admin')
  async addClient(
    @Staff() viewer: StaffCaller,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const faults = faultsOf((name) => form.text(name), clientRules);
    if (faults.size > 0) return newClientPage(viewer, form, faults);
    let added: ApiClient | undefined;
    const refused = await refusal(async () => {
      added = await this.clients.add(
        {
          name: form.text('name'),
          contactName: form.text('contactName'),
          contactEmail: form.text('contactEmail'),
          contactPhone: form.text('contactPhone'),
          priceList: form.text('priceList'),
          legacyFieldNames: form.has('legacyFieldNames'),
        },
        actorOf(viewer),
      );
    });
    if (refused) return newClientPage(viewer, form, new Map([['name', refused]]));
    return new SeeOther(`/staff/clients/${added!.id}?done=added`);
  }

  @Get(':id')
  @Page('admin')
  async showClient(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @QueryForm() query: Form,
  ): Promise<WrittenHtml> {
    return clientPage({ ...(await this.view(viewer, id)), done: done.get(query.text('done')) });
  }

  /** The answer is the one time that the token is shown: it leads nowhere else. */
  @Post(':id/tokens')
  @Page('admin')
  async issueToken(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @SentForm() form: Form,
  ): Promise<WrittenHtml> {
    const { client } = await this.view(viewer, id);
    const faults = new Map(faultsOf((name) => form.text(name), [labelRule]));
    const days = form.number('days');
    if (!(days >= 1 && days <= 3_650)) faults.set('days', 'Write a whole number from 1 to 3650.');
    const scopes = clientScopes.filter((scope) => form.all('scope').includes(scope));
    if (scopes.length === 0) faults.set('scope', 'Choose at least one scope.');
    let issued: IssuedToken | undefined;
    if (faults.size === 0) {
      issued = await this.tokens.issue(
        {
          holder: { clientId: client.id },
          kind: form.has('test') ? 'test' : 'live',
          label: form.text('label'),
          scopes,
          days,
        },
        actorOf(viewer),
      );
    }
    const view = await this.view(viewer, id);
    return clientPage(issued ? { ...view, issued } : { ...view, form, faults });
  }

  @Post(':id/tokens/:tokenId/revoke')
  @Page('admin')
  async revokeToken(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @Param('tokenId') tokenId: string,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const view = await this.view(viewer, id);
    if (!view.tokens.some((token) => token.id === tokenId)) throw new NotFound();
    const reason = form.text('reason');
    const fault = faultsOf(() => reason, [reasonRule]).get('reason');
    if (fault) return clientPage({ ...view, refusedRevocation: { tokenId, fault, reason } });
    const refused = await refusal(() => this.tokens.revoke(tokenId, actorOf(viewer), reason));
    // It was revoked by somebody else a moment ago: that is what was wanted.
    return new SeeOther(`/staff/clients/${id}${refused ? '' : '?done=revoked'}`);
  }

  @Post(':id/limits')
  @Page('admin')
  async setLimits(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const view = await this.view(viewer, id);
    const names = ['lookupsPerMinute', 'lookupBurst', 'ordersPerMinute', 'inFlight'] as const;
    const faults = new Map<string, string>();
    const limits: Partial<Record<(typeof names)[number], number | null>> = {};
    for (const name of names) {
      const most = name === 'inFlight' ? 100_000 : 10_000_000;
      const limit = form.number(name);
      if (form.text(name) === '') limits[name] = null;
      else if (limit >= 1 && limit <= most) limits[name] = limit;
      else faults.set(name, `Write a whole number from 1 to ${most}, or nothing.`);
    }
    if (faults.size > 0) return clientPage({ ...view, form, faults });
    await this.clients.setLimits(id, limits, actorOf(viewer));
    return new SeeOther(`/staff/clients/${id}?done=limits`);
  }

  @Post(':id/enabled')
  @Page('admin')
  async setEnabled(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @SentForm() form: Form,
  ): Promise<SeeOther> {
    await this.view(viewer, id);
    const enabled = form.text('enabled') === 'yes';
    await this.clients.setEnabled(id, enabled, actorOf(viewer));
    return new SeeOther(`/staff/clients/${id}?done=${enabled ? 'enabled' : 'disabled'}`);
  }

  @Post(':id/webhook')
  @Page('admin')
  async setWebhook(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const view = await this.view(viewer, id);
    if (!view.webhook) throw new NotFound('This client has no webhook.');
    const enabled = form.text('enabled') === 'yes';
    const reason = form.text('reason');
    const fault = enabled ? undefined : faultsOf(() => reason, [reasonRule]).get('reason');
    if (fault) return clientPage({ ...view, refusedWebhook: { fault, reason } });
    const { endpoint } = view.webhook;
    await this.webhooks.setEnabled(endpoint.id, enabled ? null : reason, actorOf(viewer));
    return new SeeOther(`/staff/clients/${id}?done=webhook-${enabled ? 'enabled' : 'disabled'}`);
  }

  /** @throws {NotFound} */
  private async view(viewer: StaffCaller, id: string) {
    const client = (await this.clients.list()).find((one) => one.id === id);
    if (!client) throw new NotFound('There is no such API client.');
    const tokens = await this.tokens.list({ clientId: id });
    const endpoint = await this.webhooks.ofClient(id);
    const webhook = endpoint && {
      endpoint,
      trouble: await this.outbox.troubleOf(endpoint.id),
    };
    return { viewer, client, tokens, webhook, standard: this.config, now: this.clock.now() };
  }
}

function isUsable(now: Date) {
  return ({ revokedAt, expiresAt }: AccessToken) => !revokedAt && expiresAt > now;
}

function lastUse(tokens: readonly AccessToken[]): Date | null {
  const uses = tokens.flatMap(({ lastUsedAt }) => (lastUsedAt ? [lastUsedAt.getTime()] : []));
  return uses.length === 0 ? null : new Date(Math.max(...uses));
}
