import { InvalidArgumentError } from 'commander';
import { operator } from '../platform/audit/audit.service.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import type { ApiClient } from '../clients/api-client.entity.js';
import { ClientDetails, ClientLimitChange } from '../clients/clients.dto.js';
import { GivenReason, TokenTerms } from '../clients/tokens.dto.js';
import { handoverText } from '../clients/handover-text.js';
import { ClientsService } from '../clients/clients.service.js';
import { type TokenRequest, TokensService } from '../clients/tokens.service.js';
import {
  clientScopes,
  usualClientScopes,
  type Scope,
  scopesOfRole,
  staffRoles,
  staffScopes,
} from '../platform/access/scopes.js';
import { Refused } from '../platform/problems/refused.js';
import { LinksService } from '../staff/sign-in/links.service.js';
import { NewMember } from '../staff/members.dto.js';
import { SecondFactorService } from '../staff/sign-in/second-factor.service.js';
import { SessionsService } from '../staff/sessions/sessions.service.js';
import type { StaffMember } from '../staff/member/staff-member.entity.js';
import { StaffService } from '../staff/staff.service.js';
import { Config } from '../platform/config/config.js';
import {
  clientNearNets,
  compatibilities,
  lastDayOfOlder,
} from '../platform/kernel/client-options.js';
import { type JsonOption, readWords } from './options.js';
import { commandInput } from './input-options.js';
import type { ServiceCommand, Services } from './service-command.js';
import { WebhooksService } from '../platform/notifications/webhooks.service.js';

export function addKeyCommands(keys: ServiceCommand): void {
  keys.add('reseal').inService(async (services) => {
    const { webhookKey, staffKey } = services.get(Config);
    const lost: string[] = [];
    for (const { name, isSet, service } of [
      { name: 'WEBHOOK_KEY', isSet: webhookKey !== null, service: WebhooksService },
      { name: 'STAFF_KEY', isSet: staffKey !== null, service: SecondFactorService },
    ]) {
      if (!isSet) {
        console.log(`${name} is not set.`);
        continue;
      }
      const { changed, current, unreadable } = await services.get(service).reseal(operator);
      console.log(`${name}: ${changed.length} encrypted again, ${current} were already.`);
      lost.push(...unreadable.map((id) => `${id}: neither ${name} nor ${name}_SECOND opens it.`));
    }
    if (lost.length > 0) throw new Refused(lost.join('\n'));
  });
}

const compatibility = [
  '--compatibility <version>',
  `the API version of its answers: ${compatibilities.join(' or ')}, which ends on ${lastDayOfOlder}`,
] as const;
const contact = {
  contactName: ['--contact <name>', 'the person to contact'],
  contactEmail: ['--email <address>', 'the email address of this person'],
  contactPhone: ['--phone <number>', 'the phone number of this person'],
} as const;
const priceList = ['--price-list <name>', 'the price list of the client'] as const;

const nearNet = [
  '--near-net <who>',
  `who sees prices by distance: ${clientNearNets.join(', ')}`,
] as const;

const messageEmails = [
  '--message-emails <on|off>',
  'whether its contact gets messages about orders by email; without a webhook it always does',
] as const;

const newClient = commandInput(ClientDetails, {
  name: ['<name>'],
  ...contact,
  priceList: [...priceList, 'standard'],
  compatibility: [...compatibility, '0.3'],
  nearNet: [...nearNet, 'default'],
  messageEmails: [...messageEmails, 'on'],
});

const limitChange = commandInput(ClientLimitChange, {
  lookupsPerMinute: ['--lookups <n>', 'checks a minute'],
  lookupsPerSecond: ['--burst <n>', 'checks a second'],
  ordersPerMinute: ['--orders <n>', 'orders a minute'],
  inFlight: ['--in-flight <n>', 'concurrent requests'],
});

const newMember = commandInput(NewMember, {
  name: ['<name>'],
  email: ['--email <address>', 'email address, also for signing in'],
  role: ['--role <role>', `the role: ${staffRoles.join(', ')}`, 'agent'],
});

const tokenTerms = commandInput(TokenTerms, {
  label: ['--label <text>', 'the purpose'],
  days: ['--days <n>', 'days until it expires', 365],
});

const givenReason = commandInput(GivenReason, { reason: ['--reason <text>'] });

interface HolderOptions {
  readonly client?: string;
  readonly staff?: string;
}

interface TokenOptions extends HolderOptions {
  readonly test: boolean;
  readonly pair: boolean;
  readonly scopes?: Scope[];
}

export function addClientCommands(clients: ServiceCommand): void {
  clients
    .add('add <name>')
    .taking(newClient)
    .creating()
    .inService(async (services, name: string, options: object) => {
      const details = await newClient.read({ ...options, name });
      const client = await services.get(ClientsService).add(details, operator);
      console.log(
        `Added ${client.name}, id ${client.id}. Next: tokens issue --client ${JSON.stringify(client.name)}`,
      );
      warnOfPriceList(services, client);
    });
  clients.addList('There are no API clients yet.', (services) =>
    services.get(ClientsService).list(),
  );
  clients.add('limits <id-or-name>').taking(limitChange).inService(setLimits);
}

function warnOfPriceList(services: Services, { priceList }: ApiClient): void {
  const catalogue = services.get(CatalogueService);
  if (!catalogue.loaded || catalogue.current.priceLists.includes(priceList)) return;
  console.error(
    `The live catalogue has no price list ${priceList}: this client gets the prices of standard.`,
  );
}

const clientLimits = [
  { own: 'lookupsPerMinute', what: 'checks a minute' },
  { own: 'lookupBurst', what: 'checks a second' },
  { own: 'ordersPerMinute', what: 'orders a minute' },
  { own: 'inFlight', what: 'concurrent requests' },
] as const;

async function setLimits(
  services: Services,
  idOrName: string,
  options: Readonly<Record<string, string>>,
): Promise<void> {
  const given = Object.entries(options).map(([name, text]) => [
    name,
    text === 'default' ? null : text,
  ]);
  const { lookupsPerSecond, ...others } = await limitChange.read(
    Object.fromEntries(given) as object,
  );
  const limits = {
    ...others,
    ...(lookupsPerSecond !== undefined && { lookupBurst: lookupsPerSecond }),
  };
  const clients = services.get(ClientsService);
  const { id } = await clients.find(idOrName);
  if (Object.keys(limits).length > 0) await clients.edit(id, limits, operator);
  console.log(limitsOf(await clients.find(id), services.get(Config)));
}

function limitsOf(client: ApiClient, config: Config): string {
  const lines = clientLimits.map(({ own, what }) =>
    client[own] === null ? `  ${config[own]} ${what} (default)` : `  ${client[own]} ${what}`,
  );
  return [`${client.name}:`, ...lines].join('\n');
}

export function addStaffCommands(staff: ServiceCommand): void {
  staff
    .add('add <name>')
    .taking(newMember)
    .creating()
    .inService(async (services, name: string, options: object) => {
      const details = await newMember.read({ ...options, name });
      const member = await services.get(StaffService).add(details, operator);
      console.log(
        `Added ${member.name}, id ${member.id}. Next: tokens issue --staff ${member.email}`,
      );
      if (services.get(Config).staffPasswords) await printLink(services, member);
    });
  staff.add('invite <id-or-email>').inService(async (services, idOrEmail: string) => {
    await printLink(services, await services.get(StaffService).find(idOrEmail));
  });
  staff.add('forget-second-factor <id-or-email>').inService(async (services, idOrEmail: string) => {
    const { id, name } = await services.get(StaffService).find(idOrEmail);
    await services.get(SecondFactorService).remove(id, operator);
    await services.get(SessionsService).endAllOf(id, operator);
    console.log(`${name} now signs in without a second factor.`);
  });
}

/** Prints the link alone on stdout, for scripts. */
async function printLink(services: Services, { id, name }: StaffMember) {
  const { url, expiresAt } = await services.get(LinksService).make(id, operator);
  console.log(url);
  console.error(
    `${name} can set a password with this link, once, until ${expiresAt.toISOString()}. It is not stored: pass it on now.`,
  );
}

export function addTokenCommands(tokens: ServiceCommand): void {
  tokens
    .add('issue')
    .option('--client <id-or-name>', 'for this API client')
    .option('--staff <id-or-email>', 'for this staff member')
    .option('--test', 'for the sandbox; API clients only', false)
    .option('--pair', 'a test and a live token, with a text to send to the API client', false)
    .taking(tokenTerms)
    .option(
      '--scopes <list>',
      `separated by commas; default: ${usualClientScopes.join(', ')}, or the scopes of the role: ${staffScopes.join(', ')}`,
      (text) => readWords(text, [...clientScopes, ...staffScopes]),
    )
    .inService(async (services, options: TokenOptions) => {
      const { label = '', days } = await tokenTerms.read(options);
      const { holder, usual } = await holderOf(services, options);
      const { test, pair, scopes = usual } = options;
      if (pair) return printPair(services, { holder, label, scopes, days }, options);
      const request: TokenRequest = { holder, kind: test ? 'test' : 'live', label, scopes, days };
      const issued = await services.get(TokensService).issue(request, operator);
      console.log(issued.token);
      console.error(
        `Token ${issued.id}, valid until ${issued.expiresAt.toISOString()}. It is not stored: keep it now.`,
      );
    });
  tokens
    .addList(
      'There are no tokens yet.',
      async (services, { client, staff }: HolderOptions & JsonOption) => {
        const owner = client && (await services.get(ClientsService).find(client));
        const member = staff && (await services.get(StaffService).find(staff));
        const rows = await services.get(TokensService).list({
          ...(owner && { clientId: owner.id }),
          ...(member && { staffMemberId: member.id }),
        });
        return rows.map(({ hash: _hash, ...row }) => row);
      },
    )
    .option('--client <id-or-name>', 'of this API client')
    .option('--staff <id-or-email>', 'of this staff member');
  tokens
    .add('revoke <id>')
    .option('--reason <text>', 'the reason, for the audit trail')
    .using(TokensService, async (tokens, id: string, options: { reason?: string }) => {
      const { reason } = options.reason === undefined ? {} : await givenReason.read(options);
      await tokens.revoke(id, operator, reason);
      console.log(`Token ${id} is revoked.`);
    });
}

async function printPair(
  services: Services,
  request: Omit<TokenRequest, 'kind'>,
  { client: idOrName, test }: TokenOptions,
): Promise<void> {
  if (test || idOrName === undefined) throw new Refused('--pair needs --client, without --test.');
  const client = await services.get(ClientsService).find(idOrName);
  const tokens = await services.get(TokensService).issuePair(request, operator);
  const { publicUrl, salesContact } = services.get(Config);
  console.log(handoverText({ client, tokens, publicUrl, salesContact }));
  console.error('The tokens are not stored: send the text now.');
}

/** The holder of a new token, and its default scopes: for a staff member, those of the role. */
async function holderOf(
  services: Services,
  { client, staff }: HolderOptions,
): Promise<Pick<TokenRequest, 'holder'> & { readonly usual: readonly Scope[] }> {
  if (client !== undefined && staff === undefined) {
    const { id, name, enabled } = await services.get(ClientsService).find(client);
    if (!enabled) console.error(`${name} is disabled: no token of it works until clients enable.`);
    return { holder: { clientId: id }, usual: usualClientScopes };
  }
  if (staff !== undefined && client === undefined) {
    const { id, name, role, enabled } = await services.get(StaffService).find(staff);
    if (!enabled) console.error(`${name} is disabled: no token works until staff enable.`);
    return { holder: { staffMemberId: id }, usual: [...scopesOfRole(role)] };
  }
  throw new InvalidArgumentError('Name either --client or --staff.');
}
