import { readFileSync } from 'node:fs';
import { isThisMachine } from './addresses.js';
import type { Setting, SettingValue } from './setting.js';
import { settings } from './settings.js';

/**
 * Values that are part of `Config` and no settings: no operator has a reason to change them. A test can give others.
 */
export const constants = {
  /** Checks of an API client in one second: a program that checks a list is slowed down, a person never. `clients limits` sets another for a client. */
  lookupBurst: 100,
  /** Requests of a staff member that an instance answers at the same time: a browser opens six connections. */
  staffInFlight: 8,
  /** The same for searches, exports, reports and comparisons, each of which reads the whole table of orders. */
  staffHeavyInFlight: 2,
  /** Seconds a minute for which requests of a staff member may keep an instance busy: three quarters remain for checks. */
  staffWorkSeconds: 15,
  /** Failed tokens and sign-ins a minute from one address (IPv6: one /64): more than an office mistypes, and too few to guess a password. */
  failuresPerMinute: 20,
  /** How long an instance that cannot read the database accepts the tokens that it knows: longer than a failover, and short for a token that was revoked elsewhere. */
  tokenTrustSeconds: 900,
  /** The percentage of `FIRST_CONTACT_HOURS` after which an order counts as nearly late: with four hours, one is left. */
  firstContactWarnPercent: 75,
  /** Times of day in London: at the start of the day and after lunch. Without `SALES_INBOX` there are no reminders. */
  reminderTimes: Object.freeze(['08:30', '13:30']),
  /** How long reports keep the numbers of checks a day: a year can be compared with the one before it started. */
  checkDayRetentionDays: 400,
  /** How long an `Idempotency-Key` is remembered. Clients are promised it. */
  idempotencyRetentionDays: 30,
  /** How much longer a route is than the straight line: the usual figure for British roads. `build_bands.csv` says what each distance costs, so another figure belongs there. */
  routeFactor: 1.3,
  /** Of the files of an upload together: a catalogue of every British postcode has about 50. */
  catalogueUploadMegabytes: 128,
  /** How long an uploaded catalogue may be checked and compared: ten times what the largest takes. The proxies of `deploy/` wait as long. */
  catalogueImportSeconds: 300,
};

/** Settings of versions before, with what applies instead. One that is still set stops the start. */
export const removedSettings: Readonly<Record<string, string>> = {
  LOOKUP_BURST: 'it is 100; `clients limits --burst` sets another for a client',
  STAFF_IN_FLIGHT: 'it is 8',
  STAFF_HEAVY_IN_FLIGHT: 'it is 2',
  STAFF_WORK_SECONDS: 'it is 15',
  FAILURES_PER_MINUTE: 'it is 20',
  TOKEN_TRUST_SECONDS: 'it is 900',
  FIRST_CONTACT_WARN_PERCENT: 'it is 75',
  REMINDER_TIMES: 'reminders are sent at 08:30 and 13:30, and none without SALES_INBOX',
  CHECK_DAY_RETENTION_DAYS: 'it is 400',
  IDEMPOTENCY_RETENTION_DAYS: 'it is 30',
  ROUTE_FACTOR: 'it is 1.3; change the distances of build_bands.csv',
  CATALOGUE_UPLOAD_MB: 'it is 128',
  CATALOGUE_IMPORT_SECONDS: 'it is 300',
  CATALOGUE_VERSIONS_KEPT: 'it is 20; `catalogue prune --keep` takes another',
  RAIL_COVERAGE_LOST_PERCENT: 'it is 10; a reason lets a catalogue pass',
  RAIL_PRICE_MOVED_PERCENT: 'it is 30; a reason lets a catalogue pass',
  RAIL_PRODUCT_LOST: 'a reason lets a catalogue pass',
  RAIL_ZONE_WITHOUT_PRICES: 'a reason lets a catalogue pass',
  OIDC_NAME: 'the button says "your company account"',
  OIDC_TRUST_EMAIL: 'set OIDC_EMAIL_PROOF=none',
  RATE_LIMITS: 'set ALLOW_INSECURE=no-rate-limits',
};

type SettingValues = {
  readonly [Name in keyof typeof settings]: SettingValue<(typeof settings)[Name]>;
};

/** What follows from other settings. */
interface DerivedValues {
  /** Off for load tests. */
  readonly rateLimits: boolean;
  /** Each email address of the provider counts as verified where it does not say otherwise. */
  readonly oidcTrustEmail: boolean;
}

type ConfigValues = SettingValues & Readonly<typeof constants> & DerivedValues;

/** A class with a field for each value: TypeScript cannot derive a class from a type. */
const ValuesHolder = class {
  constructor(values: ConfigValues) {
    Object.assign(this, values);
  }
} as new (values: ConfigValues) => ConfigValues;

/** Every setting, read once from the environment and frozen, and the constants. */
export class Config extends ValuesHolder {}

/** The value of `OIDC_EMAIL_PROOF` that needs none. */
const NO_PROOF = 'none';

export const variables: readonly Setting<unknown>[] = Object.values(settings);

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
  const faults = Object.entries(removedSettings)
    .filter(([name]) => environment[name])
    .map(([name, instead]) => `${name} is no longer a setting: ${instead}.`);
  const values = Object.fromEntries(
    Object.entries(settings).map(([key, setting]: [string, Setting<unknown>]) => [
      key,
      frozen(valueOf(setting, environment, faults)),
    ]),
  ) as SettingValues;
  if (faults.length === 0) faults.push(...contradictions(values));
  if (faults.length > 0) throw new ConfigError(faults);
  const rateLimits = !values.allowInsecure.includes('no-rate-limits');
  const oidcTrustEmail = values.oidcEmailProof === NO_PROOF;
  return Object.freeze(new Config({ ...values, ...constants, rateLimits, oidcTrustEmail }));
}

/** Undefined where the variable has a fault, which it adds to `faults`. */
function valueOf(setting: Setting<unknown>, environment: Environment, faults: string[]): unknown {
  const { name, allowed, secret, demoOnly } = setting;
  const production = environment.NODE_ENV === 'production';
  const given = secret ? secretOf(name, environment, faults) : (environment[name] ?? '');
  if (given === undefined) return undefined;
  if (given === '' && production && demoOnly) {
    faults.push(`${name} must be set in production: ${allowed}. Its default is a demo value.`);
  }
  const usual = (production && setting.defaultInProduction) || setting.default;
  const text = given === '' ? usual : given;
  if (text === '') return setting.unset;
  const value = setting.parse(text);
  if (value === undefined) {
    const shown = secret ? '' : ` is ${JSON.stringify(text)}, but`;
    faults.push(`${name}${shown} ${setting.fault?.(text) ?? `must be ${allowed}`}.`);
  }
  return value;
}

/** The text of the variable, or of the file that `<name>_FILE` names. */
function secretOf(name: string, environment: Environment, faults: string[]): string | undefined {
  const text = environment[name] ?? '';
  const file = environment[`${name}_FILE`];
  if (!file) return text;
  if (text !== '') {
    faults.push(`${name} and ${name}_FILE are both set: set one of them.`);
    return undefined;
  }
  try {
    const content = readFileSync(file, 'utf8').trim();
    if (content !== '') return content;
    faults.push(`${name}_FILE names an empty file.`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'an error';
    faults.push(`${name}_FILE cannot be read (${code}).`);
  }
  return undefined;
}

/** JavaScript cannot freeze the bytes of keys. */
function frozen(value: unknown): unknown {
  return ArrayBuffer.isView(value) ? value : Object.freeze(value);
}

/** Values that are valid alone but not together. */
function contradictions(config: SettingValues): string[] {
  const { smtp, mailFrom, staffPasswords, staffKey, staffSecondFactor, oidcIssuer, oidcClientId } =
    config;
  const { production, publicUrl, allowInsecure } = config;
  const isPlainHttp = publicUrl.startsWith('http:') && !isThisMachine(new URL(publicUrl).hostname);
  const isShared = oidcIssuer !== null && isSharedIssuer(oidcIssuer);
  const rules: [isBroken: boolean, fault: string][] = [
    [
      production && isPlainHttp && !allowInsecure.includes('http'),
      'PUBLIC_URL must start with https: in production, or session cookies travel without TLS. If that is meant, set ALLOW_INSECURE=http.',
    ],
    [!!smtp && !mailFrom, `MAIL_FROM must be set where SMTP_URL is: ${settings.mailFrom.allowed}.`],
    [
      !staffPasswords && oidcIssuer === null,
      'STAFF_PASSWORDS is off, but OIDC_ISSUER is not set: no one could sign in.',
    ],
    [
      staffSecondFactor === 'required' && staffKey === null,
      'STAFF_KEY must be set where STAFF_SECOND_FACTOR is required.',
    ],
    [
      config.staffKeySecond !== null && staffKey === null,
      'STAFF_KEY must be set where STAFF_KEY_SECOND is.',
    ],
    [
      config.webhookKeySecond !== null && config.webhookKey === null,
      'WEBHOOK_KEY must be set where WEBHOOK_KEY_SECOND is.',
    ],
    [!!oidcIssuer && oidcClientId === '', 'OIDC_CLIENT_ID must be set where OIDC_ISSUER is.'],
    [
      isShared && config.oidcEmailProof === NO_PROOF,
      'OIDC_EMAIL_PROOF is none, but people of any organisation have accounts at OIDC_ISSUER, with any address. Name the issuer of your organisation.',
    ],
    [
      isShared && config.oidcMembers === 'all',
      'OIDC_MEMBERS is all, but people of any organisation have accounts at OIDC_ISSUER. Set OIDC_MEMBERS=invited, or name the issuer of your organisation.',
    ],
  ];
  return rules.flatMap(([isBroken, fault]) => (isBroken ? fault : []));
}

/** Providers at which anyone in the world, or any organisation, can have an account with any address. */
export function isSharedIssuer(issuer: string): boolean {
  const { hostname, pathname } = new URL(issuer);
  const [tenant = ''] = pathname.toLowerCase().split('/').filter(Boolean);
  if (
    /^(?:login\.(?:microsoftonline\.(?:com|us)|windows\.net|partner\.microsoftonline\.cn)|sts\.windows\.net)$/.test(
      hostname,
    )
  ) {
    return ['', 'common', 'organizations', 'consumers', PERSONAL_ACCOUNTS].includes(tenant);
  }
  return SHARED_HOSTS.includes(hostname);
}

/** The tenant of Entra ID for personal Microsoft accounts. */
const PERSONAL_ACCOUNTS = '9188040d-6c67-4c5b-b112-36a304b66dad';
const SHARED_HOSTS = [
  'accounts.google.com',
  'appleid.apple.com',
  'gitlab.com',
  'login.live.com',
  'login.salesforce.com',
  'www.linkedin.com',
];

/** The meaning of a setting and its allowed values. */
export function explainSetting(setting: Setting<unknown>): string {
  const { name, meaning, allowed, secret, demoOnly } = setting;
  return [
    meaning,
    `Allowed: ${allowed}.`,
    ...(secret ? [`Secret: can also be a file, named in \`${name}_FILE\`.`] : []),
    ...(demoOnly ? ['Must be set in production.'] : []),
  ].join(' ');
}

/** The default as Markdown; empty where there is none. */
export function defaultOf({ default: usual, defaultInProduction }: Setting<unknown>): string {
  if (usual === '') return '';
  return defaultInProduction
    ? `\`${usual}\`; \`${defaultInProduction}\` in production`
    : `\`${usual}\``;
}

/** Every setting, for a terminal. */
export function settingsHelp(): string {
  const entries = variables.map((setting) => {
    const usual = defaultOf(setting).replaceAll('`', '');
    return `${setting.name}${usual && ` (default: ${usual})`}\n    ${explainSetting(setting)}\n`;
  });
  return `The settings, from the environment:\n\n${entries.join('\n')}`;
}
