import { InvalidArgumentError, Option } from 'commander';
import { operator } from '../audit/audit.service.js';
import type { ApiClient } from '../clients/api-client.entity.js';
import { clientRules, labelRule, reasonRule } from '../clients/client-rules.js';
import { ClientsService } from '../clients/clients.service.js';
import { type TokenRequest, TokensService } from '../clients/tokens.service.js';
import {
  clientScopes,
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
import { type JsonOption, readWords, wholeNumber } from './options.js';
import type { ServiceCommand, Services } from './service-command.js';

interface ClientOptions {
  readonly contact: string;
  readonly email: string;
  readonly phone: string;
  readonly priceList: string;
  readonly legacyFieldNames: boolean;
}

type LimitOption = number | 'default';

interface HolderOptions {
  readonly client?: string;
  readonly staff?: string;
}

interface TokenOptions extends HolderOptions {
  readonly test: boolean;
  readonly label: string;
  readonly scopes?: Scope[];
  readonly days: number;
}

export function addAccessCommands(program: ServiceCommand): void {
  addClients(program.add('clients', 'API clients'));
  addStaff(program.add('staff', 'staff members'));
  addTokens(program.add('tokens', 'bearer tokens of API clients and of staff'));
}

function addClients(clients: ServiceCommand): void {
  clients
    .add('add <name>', 'add an API client')
    .requiredOption('--contact <name>', 'the person to contact')
    .requiredOption('--email <address>', "that person's e-mail address")
    .requiredOption('--phone <number>', "that person's telephone number")
    .option('--price-list <name>', 'the prices that it sees', 'standard')
    .option('--legacy-field-names', 'also send the misspelt key that version 0.2.0 had', false)
    .inService(async (services, name: string, options: ClientOptions) => {
      const { contact, email, phone, priceList, legacyFieldNames } = options;
      const about = checked(
        { name, contactName: contact, contactEmail: email, contactPhone: phone, priceList },
        clientRules,
        {
          contactName: '--contact',
          contactEmail: '--email',
          contactPhone: '--phone',
          priceList: '--price-list',
        },
      );
      const client = await services
        .get(ClientsService)
        .add({ ...about, legacyFieldNames }, operator);
      console.log(
        `Added ${client.name}, id ${client.id}. Next: tokens issue --client ${JSON.stringify(client.name)}`,
      );
    });
  clients.addList('list the API clients', 'There are no API clients yet.', (services) =>
    services.get(ClientsService).list(),
  );
  const limits = clients
    .add('limits <id-or-name>', 'show its limits, or give it its own; `default` takes them back')
    .inService(setLimits);
  for (const { option, what } of clientLimits) limits.option(`--${option} <n>`, what, readLimit);
  clients.addSwitches(
    '<id-or-name>',
    { enable: 'let its tokens in again', disable: 'refuse all its tokens from now on' },
    async (services, idOrName, enabled) => {
      const { id, name } = await services.get(ClientsService).find(idOrName);
      await services.get(ClientsService).setEnabled(id, enabled, operator);
      return name;
    },
  );
}

const clientLimits = [
  { option: 'lookups', own: 'lookupsPerMinute', what: 'look-ups a minute' },
  { option: 'burst', own: 'lookupBurst', what: 'look-ups in one second' },
  { option: 'orders', own: 'ordersPerMinute', what: 'orders a minute' },
  { option: 'in-flight', own: 'inFlight', what: 'requests at the same time' },
] as const;

async function setLimits(
  services: Services,
  idOrName: string,
  options: Readonly<Record<string, LimitOption>>,
): Promise<void> {
  const limits = Object.fromEntries(
    clientLimits.flatMap(({ option, own }) => {
      const limit = options[option === 'in-flight' ? 'inFlight' : option];
      return limit === undefined ? [] : [[own, limit === 'default' ? null : limit]];
    }),
  );
  const clients = services.get(ClientsService);
  const { id } = await clients.find(idOrName);
  if (Object.keys(limits).length > 0) await clients.setLimits(id, limits, operator);
  console.log(limitsOf(await clients.find(id), services.get(Config)));
}

/** The limits that hold for the client now. */
function limitsOf(client: ApiClient, config: Config): string {
  const lines = clientLimits.map(({ own, what }) =>
    client[own] === null ? `  ${config[own]} ${what} (default)` : `  ${client[own]} ${what}`,
  );
  return [`${client.name}:`, ...lines].join('\n');
}

/** Commander would make an empty text of null. */
function readLimit(text: string): LimitOption {
  return text === 'default' ? text : wholeNumber(10_000_000)(text);
}

function addStaff(staff: ServiceCommand): void {
  staff
    .add('add <name>', 'add a staff member')
    .requiredOption('--email <address>', 'e-mail address; also the name to sign in with')
    .addOption(
      new Option('--role <role>', 'what the person may do').choices(staffRoles).default('agent'),
    )
    .inService(
      async (services, name: string, { email, role }: { email: string; role: StaffRole }) => {
        const about = checked({ name, email, role }, memberRules, { email: '--email' });
        const member = await services.get(StaffService).add({ ...about, role }, operator);
        console.log(
          `Added ${member.name}, id ${member.id}. Next: tokens issue --staff ${member.email}`,
        );
        if (services.get(Config).staffPasswords) await printLink(services, member);
      },
    );
  staff
    .add('invite <id-or-email>', 'print a one-time link to set a password; earlier links end')
    .inService(async (services, idOrEmail: string) => {
      await printLink(services, await services.get(StaffService).find(idOrEmail));
    });
  staff
    .add('role <id-or-email> <role>', `what the person may do: ${staffRoles.join(', ')}`)
    .inService(async (services, idOrEmail: string, text: string) => {
      const { id, name } = await services.get(StaffService).find(idOrEmail);
      const [role = 'agent'] = readWords(text, staffRoles);
      await services.get(StaffService).setRole(id, role, operator);
      console.log(`${name} is ${role}.`);
    });
  staff
    .add(
      'forget-second-factor <id-or-email>',
      'for a person who has lost the phone and the recovery codes; ends the sessions',
    )
    .inService(async (services, idOrEmail: string) => {
      const { id, name } = await services.get(StaffService).find(idOrEmail);
      await services.get(SecondFactorService).remove(id, operator);
      await services.get(SessionsService).endAllOf(id, operator);
      console.log(`${name} signs in without a second factor.`);
    });
  staff.addList('list the staff members', 'There are no staff members yet.', (services) =>
    services.get(StaffService).list(),
  );
  staff.addSwitches(
    '<id-or-email>',
    { enable: 'let the person in again', disable: 'refuse the person from now on' },
    async (services, idOrEmail, enabled) => {
      const { id, name } = await services.get(StaffService).find(idOrEmail);
      await services.get(StaffService).setEnabled(id, enabled, operator);
      return name;
    },
  );
}

/** Prints the link on the standard output, alone on its line. */
async function printLink(services: Services, { id, name }: StaffMember) {
  const { url, expiresAt } = await services.get(LinksService).make(id, operator);
  console.log(url);
  console.error(
    `With this link ${name} sets a password, once, until ${expiresAt.toISOString()}. It is not stored: pass it on now.`,
  );
}

function addTokens(tokens: ServiceCommand): void {
  tokens
    .add('issue', 'issue a token; it is shown once')
    .option('--client <id-or-name>', 'for this API client')
    .option('--staff <id-or-email>', 'for this staff member')
    .option('--test', 'a token for the sandbox; of an API client only', false)
    .option('--label <text>', 'what it is for', '')
    .option(
      '--scopes <list>',
      `separated by commas; by default ${clientScopes.join(', ')}, or what the member's role may: ${staffScopes.join(', ')}`,
      (text) => readWords(text, [...clientScopes, ...staffScopes]),
    )
    .option('--days <n>', 'for how many days it is valid', wholeNumber(3650), 365)
    .inService(async (services, options: TokenOptions) => {
      const { label } = checked({ label: options.label }, [labelRule], { label: '--label' });
      const { holder, usual } = await holderOf(services, options);
      const { test, scopes = usual, days } = options;
      const issued = await services
        .get(TokensService)
        .issue({ holder, kind: test ? 'test' : 'live', label, scopes, days }, operator);
      console.log(issued.token);
      console.error(
        `Token ${issued.id}, valid until ${issued.expiresAt.toISOString()}. It is not stored: keep it now.`,
      );
    });
  tokens
    .addList(
      'list the tokens, without their secret',
      'There are no tokens yet.',
      async (services, { client, staff }: HolderOptions & JsonOption) => {
        const rows = await services.get(TokensService).list({
          ...(client !== undefined && {
            clientId: (await services.get(ClientsService).find(client)).id,
          }),
          ...(staff !== undefined && {
            staffMemberId: (await services.get(StaffService).find(staff)).id,
          }),
        });
        return rows.map(({ hash: _hash, ...row }) => row);
      },
    )
    .option('--client <id-or-name>', 'of this API client')
    .option('--staff <id-or-email>', 'of this staff member');
  tokens
    .add('revoke <id>', 'refuse the token from now on; it cannot be taken back')
    .option('--reason <text>', 'why, for the audit trail')
    .inService(async (services, id: string, { reason }: { reason?: string }) => {
      const why = reason && checked({ reason }, [reasonRule], { reason: '--reason' }).reason;
      await services.get(TokensService).revoke(id, operator, why);
      console.log(`Token ${id} is revoked.`);
    });
}

/** Whose token it becomes, and its usual scopes: for a staff member, those of the role. */
async function holderOf(
  services: Services,
  { client, staff }: HolderOptions,
): Promise<Pick<TokenRequest, 'holder'> & { readonly usual: readonly Scope[] }> {
  if (client !== undefined && staff === undefined) {
    const { id } = await services.get(ClientsService).find(client);
    return { holder: { clientId: id }, usual: clientScopes };
  }
  if (staff !== undefined && client === undefined) {
    const { id, role } = await services.get(StaffService).find(staff);
    return { holder: { staffMemberId: id }, usual: [...scopesOfRole(role)] };
  }
  throw new InvalidArgumentError('Name either --client or --staff.');
}

/**
 * Trims the texts.
 * @param options the options that hold them
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
