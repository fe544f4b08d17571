import { readFileSync } from 'node:fs';
import type { Mailbox } from '../kernel/mail-address.js';
import type { Week } from '../kernel/working-hours.js';
import type { SmtpOptions } from './smtp-options.js';
import type { Setting, Variable } from './setting.js';
import { settings } from './settings.js';
import type { RoleNames } from './settings-staff.js';

/** Every setting of the service, read once from the environment, then frozen. */
export class Config {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly databaseUrl: string | null;
  readonly databasePoolSize: number;
  readonly sqliteFile: string;
  readonly salesContact: string;
  readonly priceHoldMinutes: number;
  readonly workingHours: Week;
  readonly firstContactHours: number;
  readonly firstContactWarnPercent: number;
  readonly staleClaimHours: number;
  readonly checkRetentionDays: number;
  readonly checkDayRetentionDays: number;
  readonly idempotencyRetentionDays: number;
  readonly rateLimits: boolean;
  readonly lookupsPerMinute: number;
  readonly lookupBurst: number;
  readonly ordersPerMinute: number;
  readonly inFlight: number;
  readonly failuresPerMinute: number;
  readonly instances: number;
  readonly trustProxy: readonly string[];
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly opsHost: string;
  /** Null: no metrics are served. */
  readonly opsPort: number | null;
  /** Null: no traces are sent. */
  readonly otlpEndpoint: string | null;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  readonly otelServiceName: string;
  /** From 0 to 1. */
  readonly traceRatio: number;
  readonly drainSeconds: number;
  /** Null: no e-mail is sent. */
  readonly smtp: SmtpOptions | null;
  /** There is one wherever `smtp` is. */
  readonly mailFrom: Mailbox | null;
  readonly salesInbox: readonly Mailbox[];
  readonly acknowledgeOrders: boolean;
  /** Times of day in London, `08:30`. */
  readonly reminderTimes: readonly string[];
  /** 32 bytes. Null: no webhooks. */
  readonly webhookKey: Buffer | null;
  readonly webhookNetworks: readonly string[];
  readonly railCoverageLostPercent: number;
  readonly railPriceMovedPercent: number;
  readonly railProductLost: boolean;
  readonly railZoneWithoutPrices: boolean;
  /** Names of rules that are not looked at; see catalogue-lint.ts. */
  readonly lintOff: readonly string[];
  readonly catalogueVersionsKept: number;
  readonly catalogueUploadMegabytes: number;
  readonly staffPasswords: boolean;
  /** 32 bytes. Null: no second factors. */
  readonly staffKey: Buffer | null;
  readonly staffSecondFactor: 'optional' | 'required';
  /** Null: staff sign in with passwords only. */
  readonly oidcIssuer: string | null;
  readonly oidcName: string;
  readonly oidcClientId: string;
  readonly oidcClientSecret: string | null;
  readonly oidcScopes: string;
  readonly oidcMembers: 'invited' | 'all';
  readonly oidcRoleClaim: string;
  /** Null: roles are set here. */
  readonly oidcRoles: RoleNames | null;
}

export const variables: readonly Variable[] = Object.values(settings);

/** Carries one line for each wrong value. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings; an unset or empty variable takes its default.
 * @throws {ConfigError} with every wrong value at once
 */
export function readConfig(environment: Environment): Config {
  const faults: string[] = [];
  const production = environment.NODE_ENV === 'production';

  function valueOf<T>(variable: Setting<T>, whenEmpty: T): T {
    let text = environment[variable.name] ?? '';
    const file = variable.secret && environment[`${variable.name}_FILE`];
    if (file) {
      if (text !== '') {
        faults.push(`${variable.name} and ${variable.name}_FILE are both set: set one of them.`);
        return whenEmpty;
      }
      try {
        text = readFileSync(file, 'utf8').trim();
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'an error';
        faults.push(`${variable.name}_FILE cannot be read (${code}).`);
        return whenEmpty;
      }
      if (text === '') {
        faults.push(`${variable.name}_FILE names an empty file.`);
        return whenEmpty;
      }
    }
    if (text === '') {
      if (production && variable.demoOnly) {
        faults.push(
          `${variable.name} must be set in production: ${variable.allowed}. Its default is only for trying out.`,
        );
      }
      if (variable.default === '') return whenEmpty;
      text = variable.default;
    }
    const value = variable.parse(text);
    if (value !== undefined) return value;
    const shown = variable.secret ? 'its value' : JSON.stringify(text);
    faults.push(`${variable.name} is ${shown}, but must be ${variable.allowed}.`);
    return whenEmpty;
  }

  const config: Config = {
    production: valueOf(settings.nodeEnv, 'development') === 'production',
    host: valueOf(settings.host, ''),
    port: valueOf(settings.port, 0),
    publicUrl: valueOf(settings.publicUrl, ''),
    databaseUrl: valueOf<string | null>(settings.databaseUrl, null),
    databasePoolSize: valueOf(settings.databasePoolSize, 0),
    sqliteFile: valueOf(settings.sqliteFile, ''),
    salesContact: valueOf(settings.salesContact, ''),
    priceHoldMinutes: valueOf(settings.priceHoldMinutes, 0),
    workingHours: valueOf<Week>(settings.workingHours, []),
    firstContactHours: valueOf(settings.firstContactHours, 0),
    firstContactWarnPercent: valueOf(settings.firstContactWarnPercent, 0),
    staleClaimHours: valueOf(settings.staleClaimHours, 0),
    checkRetentionDays: valueOf(settings.checkRetentionDays, 0),
    checkDayRetentionDays: valueOf(settings.checkDayRetentionDays, 0),
    idempotencyRetentionDays: valueOf(settings.idempotencyRetentionDays, 0),
    rateLimits: valueOf(settings.rateLimits, 'on') === 'on',
    lookupsPerMinute: valueOf(settings.lookupsPerMinute, 0),
    lookupBurst: valueOf(settings.lookupBurst, 0),
    ordersPerMinute: valueOf(settings.ordersPerMinute, 0),
    inFlight: valueOf(settings.inFlight, 0),
    failuresPerMinute: valueOf(settings.failuresPerMinute, 0),
    instances: valueOf(settings.instances, 1),
    trustProxy: Object.freeze(valueOf(settings.trustProxy, [])),
    logLevel: valueOf(settings.logLevel, 'info'),
    opsHost: valueOf(settings.opsHost, ''),
    opsPort: valueOf<number | null>(settings.opsPort, null),
    otlpEndpoint: valueOf<string | null>(settings.otlpEndpoint, null),
    otlpHeaders: Object.freeze(valueOf(settings.otlpHeaders, {})),
    otelServiceName: valueOf(settings.otelServiceName, ''),
    traceRatio: valueOf(settings.traceRatio, 1),
    drainSeconds: valueOf(settings.drainSeconds, production ? 5 : 0),
    smtp: valueOf<SmtpOptions | null>(settings.smtp, null),
    mailFrom: valueOf<Mailbox | null>(settings.mailFrom, null),
    salesInbox: Object.freeze(valueOf(settings.salesInbox, [])),
    acknowledgeOrders: valueOf(settings.acknowledgeOrders, 'off') === 'on',
    reminderTimes: Object.freeze(valueOf(settings.reminderTimes, [])),
    webhookKey: valueOf<Buffer | null>(settings.webhookKey, null),
    webhookNetworks: Object.freeze(valueOf(settings.webhookNetworks, [])),
    railCoverageLostPercent: valueOf(settings.railCoverageLostPercent, 0),
    railPriceMovedPercent: valueOf(settings.railPriceMovedPercent, 0),
    railProductLost: valueOf(settings.railProductLost, 'on') === 'on',
    railZoneWithoutPrices: valueOf(settings.railZoneWithoutPrices, 'on') === 'on',
    lintOff: Object.freeze(valueOf(settings.lintOff, [])),
    catalogueVersionsKept: valueOf(settings.catalogueVersionsKept, 0),
    catalogueUploadMegabytes: valueOf(settings.catalogueUploadMegabytes, 0),
    staffPasswords: valueOf(settings.staffPasswords, 'on') === 'on',
    staffKey: valueOf<Buffer | null>(settings.staffKey, null),
    staffSecondFactor: valueOf(settings.staffSecondFactor, 'optional'),
    oidcIssuer: valueOf<string | null>(settings.oidcIssuer, null),
    oidcName: valueOf(settings.oidcName, ''),
    oidcClientId: valueOf(settings.oidcClientId, ''),
    oidcClientSecret: valueOf<string | null>(settings.oidcClientSecret, null),
    oidcScopes: valueOf(settings.oidcScopes, ''),
    oidcMembers: valueOf(settings.oidcMembers, 'invited'),
    oidcRoleClaim: valueOf(settings.oidcRoleClaim, ''),
    oidcRoles: valueOf<RoleNames | null>(settings.oidcRoles, null),
  };
  if (config.smtp && !config.mailFrom && faults.length === 0) {
    faults.push(`MAIL_FROM must be set where SMTP_URL is: ${settings.mailFrom.allowed}.`);
  }
  if (faults.length === 0) faults.push(...contradictions(config));
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(Object.assign(new Config(), config));
}

/** What each setting may be, but not together. */
function contradictions(config: Config): string[] {
  const { staffPasswords, staffKey, staffSecondFactor, oidcIssuer, oidcClientId } = config;
  return [
    ...(!staffPasswords && oidcIssuer === null
      ? ['STAFF_PASSWORDS is off, but OIDC_ISSUER is not set: nobody could sign in.']
      : []),
    ...(staffSecondFactor === 'required' && staffKey === null
      ? ['STAFF_KEY must be set where STAFF_SECOND_FACTOR is required.']
      : []),
    ...(oidcIssuer !== null && oidcClientId === ''
      ? ['OIDC_CLIENT_ID must be set where OIDC_ISSUER is.']
      : []),
  ];
}
