import { readFileSync } from 'node:fs';
import { isThisMachine } from './addresses.js';
import type { Setting, SettingValue } from './setting.js';
import { settings } from './settings.js';
import { isSharedIssuer } from './shared-issuers.js';

type SettingValues = {
  readonly [Name in keyof typeof settings]: SettingValue<(typeof settings)[Name]>;
};

/** A class with a field for each setting: TypeScript cannot derive a class from a type. */
const SettingsHolder = class {
  constructor(values: SettingValues) {
    Object.assign(this, values);
  }
} as new (values: SettingValues) => SettingValues;

/** Every setting, read once from the environment and frozen. */
export class Config extends SettingsHolder {}

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
  const faults: string[] = [];
  const values = Object.fromEntries(
    Object.entries(settings).map(([key, setting]: [string, Setting<unknown>]) => [
      key,
      frozen(valueOf(setting, environment, faults)),
    ]),
  ) as SettingValues;
  if (faults.length === 0) faults.push(...contradictions(values));
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(new Config(values));
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
  const { production, publicUrl, rateLimits, allowInsecure } = config;
  const isPlainHttp = publicUrl.startsWith('http:') && !isThisMachine(new URL(publicUrl).hostname);
  const isShared = oidcIssuer !== null && isSharedIssuer(oidcIssuer);
  const rules: [isBroken: boolean, fault: string][] = [
    [
      production && isPlainHttp && !allowInsecure.includes('http'),
      'PUBLIC_URL must start with https: in production, or session cookies travel without TLS. If that is meant, set ALLOW_INSECURE=http.',
    ],
    [
      production && !rateLimits && !allowInsecure.includes('no-rate-limits'),
      'RATE_LIMITS is off, which is for load tests only. If that is meant in production, set ALLOW_INSECURE=no-rate-limits.',
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
      isShared && config.oidcTrustEmail,
      'OIDC_TRUST_EMAIL is on, but people of any organisation have accounts at OIDC_ISSUER, with any address. Name the issuer of your organisation.',
    ],
    [
      isShared && config.oidcMembers === 'all',
      'OIDC_MEMBERS is all, but people of any organisation have accounts at OIDC_ISSUER. Set OIDC_MEMBERS=invited, or name the issuer of your organisation.',
    ],
  ];
  return rules.flatMap(([isBroken, fault]) => (isBroken ? fault : []));
}
