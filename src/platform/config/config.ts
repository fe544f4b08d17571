import { readFileSync } from 'node:fs';
import { isThisMachine } from './addresses.js';
import { constants, removedSettings } from './constants.js';
import type { Setting, SettingValue } from './setting.js';
import { settings } from './settings.js';
import { isSharedIssuer } from './shared-issuers.js';

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
