import { readFileSync } from 'node:fs';
import type { Mailbox } from './common/mail-address.js';
import type { Week } from './common/working-hours.js';
import type { SmtpOptions } from './notifications/smtp-options.js';
import { type Setting, settings, type Variable } from './settings.js';

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
  readonly idempotencyRetentionDays: number;
  readonly rateLimits: boolean;
  readonly lookupsPerMinute: number;
  readonly ordersPerMinute: number;
  readonly trustProxy: readonly string[];
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
    idempotencyRetentionDays: valueOf(settings.idempotencyRetentionDays, 0),
    rateLimits: valueOf(settings.rateLimits, 'on') === 'on',
    lookupsPerMinute: valueOf(settings.lookupsPerMinute, 0),
    ordersPerMinute: valueOf(settings.ordersPerMinute, 0),
    trustProxy: Object.freeze(valueOf(settings.trustProxy, [])),
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
  };
  if (config.smtp && !config.mailFrom && faults.length === 0) {
    faults.push(`MAIL_FROM must be set where SMTP_URL is: ${settings.mailFrom.allowed}.`);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(Object.assign(new Config(), config));
}
