import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { isEmail } from 'class-validator';
import { actorOf } from '../../audit/audit.service.js';
import type { AccessToken } from '../../clients/access-token.entity.js';
import type { ApiClient } from '../../clients/api-client.entity.js';
import { ClientsService } from '../../clients/clients.service.js';
import { type IssuedToken, TokensService } from '../../clients/tokens.service.js';
import { Staff, type StaffCaller } from '../../common/caller.js';
import { Clock } from '../../common/clock.js';
import { NotFound } from '../../common/problem.js';
import { clientScopes, Page } from '../../common/scopes.js';
import { SeeOther, type WrittenHtml } from '../../common/written-html.js';
import { Form, QueryForm, SentForm } from '../form.js';
import { clientPage, clientsPage, newClientPage } from './clients.js';
import { faultsOf, refusal } from './refusals.js';

const done = new Map([
  ['added', 'The client is added. Issue its first token below.'],
  ['revoked', 'The token is revoked: refused everywhere within 5 seconds.'],
  ['limits', 'The limits are set.'],
  ['enabled', 'The client is enabled.'],
  ['disabled', 'The client is disabled.'],
]);

const required = [
  { name: 'name', most: 120, missing: 'Write the name of the company.' },
  { name: 'contactName', most: 120, missing: 'Write whom to contact there.' },
  {
    name: 'contactEmail',
    most: 254,
    missing: 'Write an e-mail address.',
    is: (text: string) => isEmail(text),
    wrong: 'This is no e-mail address. One looks like grace@example.com.',
  },
  {
    name: 'contactPhone',
    most: 40,
    missing: 'Write a telephone number.',
    is: (text: string) => /^[+\d][\d\s()./-]*$/.test(text),
    wrong: 'A telephone number has digits, blanks, brackets, dots and hyphens only.',
  },
  {
    name: 'priceList',
    most: 32,
    missing: 'Write the name of a price list, such as standard.',
    is: (text: string) => /^[a-z0-9][a-z0-9-]*$/i.test(text),
    wrong: 'A price list has letters, digits and hyphens only.',
  },
];

/** API clients and their tokens. */
@Controller('staff/clients')
@ApiExcludeController()
export class ClientsPagesController {
  constructor(
    private readonly clients: ClientsService,
    private readonly tokens: TokensService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Page('admin')
  async listClients(@Staff() viewer: StaffCaller): Promise<WrittenHtml> {
    const now = this.clock.now();
    const [clients, tokens] = [await this.clients.list(), await this.tokens.list()];
    const rows = clients.map((client) => {
      const own = tokens.filter(({ clientId }) => clientId === client.id);
      return { client, usable: own.filter(isUsable(now)).length, lastUsedAt: lastUse(own) };
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
    const faults = faultsOf((name) => form.text(name), required);
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
    const faults = new Map(faultsOf((name) => form.text(name), [{ name: 'label', most: 120 }]));
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
  ): Promise<WrittenHtml | SeeOther> {
    const { tokens } = await this.view(viewer, id);
    if (!tokens.some((token) => token.id === tokenId)) throw new NotFound();
    const refused = await refusal(() => this.tokens.revoke(tokenId, actorOf(viewer)));
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
    const names = ['lookupsPerMinute', 'ordersPerMinute', 'inFlight'] as const;
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

  /** @throws {NotFound} */
  private async view(viewer: StaffCaller, id: string) {
    const client = (await this.clients.list()).find((one) => one.id === id);
    if (!client) throw new NotFound('There is no such API client.');
    const tokens = await this.tokens.list({ clientId: id });
    return { viewer, client, tokens, now: this.clock.now() };
  }
}

function isUsable(now: Date) {
  return ({ revokedAt, expiresAt }: AccessToken) => !revokedAt && expiresAt > now;
}

function lastUse(tokens: readonly AccessToken[]): Date | null {
  const uses = tokens.flatMap(({ lastUsedAt }) => (lastUsedAt ? [lastUsedAt.getTime()] : []));
  return uses.length === 0 ? null : new Date(Math.max(...uses));
}
