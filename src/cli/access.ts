import type { INestApplicationContext } from '@nestjs/common';
import { Command, InvalidArgumentError, Option } from 'commander';
import { operator } from '../audit/audit.service.js';
import type { ApiClient } from '../clients/api-client.entity.js';
import { clientRules, labelRule, reasonRule } from '../clients/client-rules.js';
import { ClientsService } from '../clients/clients.service.js';
import { type TokenRequest, TokensService } from '../clients/tokens.service.js';
import {
  clientScopes,
  isScope,
  type Scope,
  scopesOfRole,
  staffRoles,
  type StaffRole,
  staffScopes,
} from '../access/scopes.js';
import { Refused } from '../problems/refused.js';
import { faultsOf, type TextRule } from '../kernel/text-rules.js';
import { LinksService } from '../staff/sign-in/links.service.js';
import { memberRules } from '../staff/member-rules.js';
import { SecondFactorService } from '../staff/sign-in/second-factor.service.js';
import { SessionsService } from '../staff/sessions/sessions.service.js';
import type { StaffMember } from '../staff/staff-member.entity.js';
import { StaffService } from '../staff/staff.service.js';
import { Config } from '../config/config.js';
import { addEnabling, addList, withService } from './context.js';

interface ClientOptions {
  readonly contact: string;
  readonly email: string;
  readonly phone: string;
  readonly priceList: string;
  readonly legacyFieldNames: boolean;
}

type LimitOption = number | 'default';

interface LimitOptions {
  readonly lookups?: LimitOption;
  readonly burst?: LimitOption;
  readonly orders?: LimitOption;
  readonly inFlight?: LimitOption;
}

interface TokenOptions {
  readonly client?: string;
  readonly staff?: string;
  readonly test: boolean;
  readonly label: string;
  readonly scopes?: Scope[];
  readonly days: number;
}

export function addAccessCommands(program: Command): void {
  addClients(program.command('clients').description('API clients'));
  addStaff(program.command('staff').description('staff members'));
  addTokens(program.command('tokens').description('bearer tokens of API clients and of staff'));
}

function addClients(clients: Command): void {
  clients
    .command('add <name>')
    .description('add an API client')
    .requiredOption('--contact <name>', 'the person to contact')
    .requiredOption('--email <address>', "that person's e-mail address")
    .requiredOption('--phone <number>', "that person's telephone number")
    .option('--price-list <name>', 'the prices that it sees', 'standard')
    .option('--legacy-field-names', 'also send the misspelt key that version 0.2.0 had', false)
    .action(async (name: string, options: ClientOptions) => {
      const about = checked(
        {
          name,
          contactName: options.contact,
          contactEmail: options.email,
          contactPhone: options.phone,
          priceList: options.priceList,
        },
        clientRules,
        {
          contactName: '--contact',
          contactEmail: '--email',
          contactPhone: '--phone',
          priceList: '--price-list',
        },
      );
      const { legacyFieldNames } = options;
      const client = await withService((service) =>
        service.get(ClientsService).add({ ...about, legacyFieldNames }, operator),
      );
      console.log(
        `Added ${client.name}, id ${client.id}. Next: tokens issue --client ${JSON.stringify(client.name)}`,
      );
    });
  addList(
    clients,
    { description: 'list the API clients', none: 'There are no API clients yet.' },
    (service) => service.get(ClientsService).list(),
  );
  clients
    .command('limits <id-or-name>')
    .description('show its limits, or give it its own; `default` takes them back')
    .option('--lookups <n>', 'look-ups a minute', readLimit)
    .option('--burst <n>', 'look-ups in one second', readLimit)
    .option('--orders <n>', 'orders a minute', readLimit)
    .option('--in-flight <n>', 'requests at the same time', readLimit)
    .action(async (idOrName: string, options: LimitOptions) => {
      const { lookups, burst, orders, inFlight } = options;
      const own = (limit: LimitOption) => (limit === 'default' ? null : limit);
      const limits = {
        ...(burst !== undefined && { lookupBurst: own(burst) }),
        ...(lookups !== undefined && { lookupsPerMinute: own(lookups) }),
        ...(orders !== undefined && { ordersPerMinute: own(orders) }),
        ...(inFlight !== undefined && { inFlight: own(inFlight) }),
      };
      await withService(async (service) => {
        const clients = service.get(ClientsService);
        const { id } = await clients.find(idOrName);
        if (Object.keys(limits).length > 0) await clients.setLimits(id, limits, operator);
        console.log(limitsOf(await clients.find(id), service.get(Config)));
      });
    });
  addEnabling(
    clients,
    'id-or-name',
    { enable: 'let its tokens in again', disable: 'refuse all its tokens from now on' },
    async (service, idOrName, enabled) => {
      const client = await service.get(ClientsService).find(idOrName);
      await service.get(ClientsService).setEnabled(client.id, enabled, operator);
      return client.name;
    },
  );
}

function addStaff(staff: Command): void {
  staff
    .command('add <name>')
    .description('add a staff member')
    .requiredOption('--email <address>', 'e-mail address; also the name to sign in with')
    .addOption(
      new Option('--role <role>', 'what the person may do').choices(staffRoles).default('agent'),
    )
    .action(async (name: string, { email, role }: { email: string; role: StaffRole }) => {
      const about = checked({ name, email, role }, memberRules, { email: '--email' });
      await withService(async (service) => {
        const member = await service.get(StaffService).add({ ...about, role }, operator);
        console.log(
          `Added ${member.name}, id ${member.id}. Next: tokens issue --staff ${member.email}`,
        );
        if (service.get(Config).staffPasswords) await printLink(service, member);
      });
    });
  staff
    .command('invite <id-or-email>')
    .description('print a one-time link to set a password; earlier links end')
    .action(async (idOrEmail: string) => {
      await withMember(idOrEmail, printLink);
    });
  staff
    .command('role <id-or-email> <role>')
    .description(`what the person may do: ${staffRoles.join(', ')}`)
    .action(async (idOrEmail: string, role: string) => {
      await withMember(idOrEmail, async (service, member) => {
        await service.get(StaffService).setRole(member.id, readRole(role), operator);
        console.log(`${member.name} is ${role}.`);
      });
    });
  staff
    .command('forget-second-factor <id-or-email>')
    .description('for a person who has lost the phone and the recovery codes; ends the sessions')
    .action(async (idOrEmail: string) => {
      await withMember(idOrEmail, async (service, member) => {
        await service.get(SecondFactorService).remove(member.id, operator);
        await service.get(SessionsService).endAllOf(member.id, operator);
        console.log(`${member.name} signs in without a second factor.`);
      });
    });
  addList(
    staff,
    { description: 'list the staff members', none: 'There are no staff members yet.' },
    (service) => service.get(StaffService).list(),
  );
  addEnabling(
    staff,
    'id-or-email',
    { enable: 'let the person in again', disable: 'refuse the person from now on' },
    async (service, idOrEmail, enabled) => {
      const member = await service.get(StaffService).find(idOrEmail);
      await service.get(StaffService).setEnabled(member.id, enabled, operator);
      return member.name;
    },
  );
}

function withMember(
  idOrEmail: string,
  work: (service: INestApplicationContext, member: StaffMember) => Promise<void>,
): Promise<void> {
  return withService(async (service) =>
    work(service, await service.get(StaffService).find(idOrEmail)),
  );
}

/** The link on the standard output, alone on its line. */
async function printLink(service: INestApplicationContext, { id, name }: StaffMember) {
  const { url, expiresAt } = await service.get(LinksService).make(id, operator);
  console.log(url);
  console.error(
    `With this link ${name} sets a password, once, until ${expiresAt.toISOString()}. It is not stored: pass it on now.`,
  );
}

function readRole(text: string): StaffRole {
  const role = staffRoles.find((known) => known === text);
  if (role) return role;
  throw new InvalidArgumentError(`Unknown: ${text}. Known: ${staffRoles.join(', ')}.`);
}

function addTokens(tokens: Command): void {
  tokens
    .command('issue')
    .description('issue a token; it is shown once')
    .option('--client <id-or-name>', 'for this API client')
    .option('--staff <id-or-email>', 'for this staff member')
    .option('--test', 'a token for the sandbox; of an API client only', false)
    .option('--label <text>', 'what it is for', '')
    .option(
      '--scopes <list>',
      `separated by commas; by default ${clientScopes.join(', ')}, or what the member's role may: ${staffScopes.join(', ')}`,
      readScopes,
    )
    .option('--days <n>', 'valid for so many days', readDays, 365)
    .action(async (options: TokenOptions) => {
      const { label } = checked({ label: options.label }, [labelRule], { label: '--label' });
      await withService(async (service) => {
        if ((options.client === undefined) === (options.staff === undefined)) {
          throw new InvalidArgumentError('Name either --client or --staff.');
        }
        const { holder, usual } = await holderOf(service, options);
        const issued = await service.get(TokensService).issue(
          {
            holder,
            kind: options.test ? 'test' : 'live',
            label,
            scopes: options.scopes ?? usual,
            days: options.days,
          },
          operator,
        );
        console.log(issued.token);
        console.error(
          `Token ${issued.id}, valid until ${issued.expiresAt.toISOString()}. It is not stored: keep it now.`,
        );
      });
    });
  addList(
    tokens,
    { description: 'list the tokens, without their secret', none: 'There are no tokens yet.' },
    async (service, { client, staff }: Pick<TokenOptions, 'client' | 'staff'>) => {
      const rows = await service.get(TokensService).list({
        ...(client !== undefined && {
          clientId: (await service.get(ClientsService).find(client)).id,
        }),
        ...(staff !== undefined && {
          staffMemberId: (await service.get(StaffService).find(staff)).id,
        }),
      });
      return rows.map(({ hash: _hash, ...row }) => row);
    },
  )
    .option('--client <id-or-name>', 'of this API client')
    .option('--staff <id-or-email>', 'of this staff member');
  tokens
    .command('revoke <id>')
    .description('refuse the token from now on; it cannot be taken back')
    .option('--reason <text>', 'why, for the audit trail')
    .action(async (id: string, options: { reason?: string }) => {
      const { reason } =
        options.reason === undefined
          ? {}
          : checked({ reason: options.reason }, [reasonRule], { reason: '--reason' });
      await withService((service) => service.get(TokensService).revoke(id, operator, reason));
      console.log(`Token ${id} is revoked.`);
    });
}

/** What holds for the client now, and whether it is its own. */
function limitsOf(client: ApiClient, config: Config): string {
  const limits = [
    ['look-ups a minute', client.lookupsPerMinute, config.lookupsPerMinute],
    ['look-ups in one second', client.lookupBurst, config.lookupBurst],
    ['orders a minute', client.ordersPerMinute, config.ordersPerMinute],
    ['requests at the same time', client.inFlight, config.inFlight],
  ] as const;
  const lines = limits.map(([what, own, usual]) =>
    own === null ? `  ${usual} ${what} (default)` : `  ${own} ${what}`,
  );
  return [`${client.name}:`, ...lines].join('\n');
}

/**
 * The texts, trimmed.
 * @param options how they are called at the command line
 * @throws {Refused} with a line for each fault
 */
function checked<T extends Record<string, string>>(
  texts: T,
  rules: readonly TextRule[],
  options: Partial<Record<keyof T, string>>,
): T {
  const trimmed = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, text.trim()]),
  ) as T;
  const faults = faultsOf((name) => trimmed[name] ?? '', rules);
  if (faults.size === 0) return trimmed;
  throw new Refused(
    [...faults].map(([name, fault]) => `${options[name] ?? `<${name}>`}: ${fault}`).join('\n'),
  );
}

/** Whose token it becomes, and what it may where nothing else is said: a member's, what the role may. */
async function holderOf(
  service: INestApplicationContext,
  { client, staff }: TokenOptions,
): Promise<Pick<TokenRequest, 'holder'> & { readonly usual: readonly Scope[] }> {
  if (client !== undefined) {
    const { id } = await service.get(ClientsService).find(client);
    return { holder: { clientId: id }, usual: clientScopes };
  }
  const { id, role } = await service.get(StaffService).find(staff ?? '');
  return { holder: { staffMemberId: id }, usual: [...scopesOfRole(role)] };
}

function readScopes(text: string): Scope[] {
  const words = text.split(/[\s,]+/).filter(Boolean);
  const unknown = words.filter((word) => !isScope(word));
  if (unknown.length === 0) return words.filter(isScope);
  throw new InvalidArgumentError(
    `Unknown: ${unknown.join(', ')}. Known: ${[...clientScopes, ...staffScopes].join(', ')}.`,
  );
}

/** Commander would make an empty text of null. */
function readLimit(text: string): LimitOption {
  if (text === 'default') return text;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 10_000_000) return limit;
  throw new InvalidArgumentError('Must be `default`, or a whole number from 1 to 10000000.');
}

function readDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 3650) return days;
  throw new InvalidArgumentError('Must be a whole number from 1 to 3650.');
}
