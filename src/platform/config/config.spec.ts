import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configurationTable } from '../../../test/support/configuration-table.js';
import {
  Config,
  ConfigError,
  constants,
  isSharedIssuer,
  readConfig,
  removedSettings,
  variables,
  settingsHelp,
} from './config.js';
import { settings } from './settings.js';

type Environment = Parameters<typeof readConfig>[0];

function faultsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

/** The outcome of `use` with a file that has this text. */
function withFile<T>(text: string, use: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'config-'));
  try {
    const path = join(folder, 'secret');
    writeFileSync(path, text);
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const inProduction = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://api.example.net',
  SALES_CONTACT: 'sales@example.org',
};

describe('the configuration', () => {
  it('has a default for every setting', () => {
    const config = readConfig({});
    expect(Object.values(config)).not.toContain(undefined);
    expect(config).toMatchObject({
      production: false,
      host: '0.0.0.0',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      databaseUrl: null,
      databasePoolSize: 10,
      sqliteFile: 'data/availability.sqlite',
      salesContact: 'sales@example.net',
      priceHoldMinutes: 15,
      rateLimits: true,
      lookupsPerMinute: 600,
      lookupBurst: 100,
      ordersPerMinute: 60,
      inFlight: 20,
      failuresPerMinute: 20,
      instances: 1,
      trustProxy: [],
      logLevel: 'info',
      opsHost: '127.0.0.1',
      opsPort: 9464,
      drainSeconds: 0,
    });
  });

  it('has a field for each declared setting, each constant and what follows from them', () => {
    const derived = ['rateLimits', 'oidcTrustEmail'];
    const fields = [...Object.keys(settings), ...Object.keys(constants), ...derived];
    expect(Object.keys(readConfig({}))).toEqual(fields);
    // The type of a field is that of its declaration: this does not compile otherwise.
    const { port, opsPort, trustProxy }: { port: number; opsPort: number | null } & Config =
      readConfig({ OPS_PORT: 'off' });
    expect([port, opsPort, trustProxy]).toEqual([3000, null, []]);
  });

  it('reads each variable into one setting only', () => {
    const names = variables.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it('parses every default, including those for production', () => {
    for (const { name, parse, default: usual, defaultInProduction, unset } of variables) {
      const texts = [usual, defaultInProduction ?? usual].filter((text) => text !== '');
      expect([name, texts.map(parse).includes(undefined)]).toEqual([name, false]);
      expect([name, usual === '' && unset === undefined]).toEqual([name, false]);
    }
  });

  it('treats an empty variable like an unset one', () => {
    const empty = Object.fromEntries(variables.map(({ name }) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it.each<[Environment, Partial<Config>]>([
    [{ HOST: '::1' }, { host: '::1' }],
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: '65535' }, { port: 65_535 }],
    [
      { PUBLIC_URL: 'https://api.example.net/base//' },
      { publicUrl: 'https://api.example.net/base' },
    ],
    [{ DATABASE_URL: 'postgres://u:p@db/name' }, { databaseUrl: 'postgres://u:p@db/name' }],
    [{ DATABASE_URL: 'postgresql://db/name' }, { databaseUrl: 'postgresql://db/name' }],
    [{ DATABASE_POOL_SIZE: '2' }, { databasePoolSize: 2 }],
    [{ SQLITE_FILE: '/var/lib/x.sqlite' }, { sqliteFile: '/var/lib/x.sqlite' }],
    [{ PRICE_HOLD_MINUTES: '0' }, { priceHoldMinutes: 0 }],
    [{ ALLOW_INSECURE: 'no-rate-limits' }, { rateLimits: false }],
    [{ OIDC_EMAIL_PROOF: 'none' }, { oidcTrustEmail: true }],
    [{ LOOKUPS_PER_MINUTE: '10000000' }, { lookupsPerMinute: 10_000_000 }],
    [
      { TRUST_PROXY: '10.0.0.0/8, ::1,loopback' },
      { trustProxy: ['10.0.0.0/8', '::1', 'loopback'] },
    ],
    [{ NODE_ENV: 'test' }, { production: false }],
    [{ OIDC_ISSUER: 'http://localhost:9/a', OIDC_CLIENT_ID: 'x' }, { oidcClientId: 'x' }],
    [
      { OIDC_ROLES: 'admin=a=b, agent=sales' },
      {
        oidcRoles: [
          { role: 'admin', value: 'a=b' },
          { role: 'agent', value: 'sales' },
        ],
      },
    ],
    [
      { OIDC_ROLES: 'admin="CN=it-admins,OU=Groups", agent="a ""b"""' },
      {
        oidcRoles: [
          { role: 'admin', value: 'CN=it-admins,OU=Groups' },
          { role: 'agent', value: 'a "b"' },
        ],
      },
    ],
    [{ OPS_PORT: 'off' }, { opsPort: null }],
    [{ SALES_INBOX: 'a@b.example' }, { salesInbox: [{ name: '', address: 'a@b.example' }] }],
    [{ ACKNOWLEDGE_ORDERS: 'on' }, { acknowledgeOrders: true }],
    [inProduction, { drainSeconds: 5 }],
    [{ ...inProduction, DRAIN_SECONDS: '0' }, { drainSeconds: 0 }],
    [inProduction, { production: true, publicUrl: 'https://api.example.net' }],
  ])('reads %j', (environment, expected) => {
    expect(readConfig(environment)).toMatchObject(expected);
  });

  it.each<[string, string]>([
    ['NODE_ENV', 'prod'],
    ['HOST', ' '],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3000 '],
    ['PORT', '0x10'],
    ['PORT', '1e3'],
    ['PORT', '3000.5'],
    ['PUBLIC_URL', 'api.example.net'],
    ['PUBLIC_URL', 'ftp://api.example.net'],
    ['DATABASE_POOL_SIZE', '1'],
    ['DATABASE_POOL_SIZE', '201'],
    ['PRICE_HOLD_MINUTES', '10081'],
    ['ALLOW_INSECURE', 'true'],
    ['ORDERS_PER_MINUTE', '0'],
    ['TRUST_PROXY', 'everybody'],
    ['TRUST_PROXY', '10.0.0.1,'],
    ['STAFF_SECOND_FACTOR', 'on'],
    ['OIDC_ISSUER', 'http://id.example'],
    ['OIDC_ISSUER', 'https://id.example/?a=b'],
    ['OIDC_SCOPES', 'email'],
    ['OIDC_ROLES', 'boss=it'],
    ['OIDC_ROLES', 'admin='],
    ['OIDC_ROLES', 'admin=it,'],
    ['OIDC_ROLES', 'admin="it,agent=sales'],
    ['TRUST_PROXY', '/999'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '300.1.1.1'],
  ])('refuses %s=%j, with what is allowed', (name, text) => {
    const allowed = variables.find((variable) => variable.name === name)?.allowed;
    expect(faultsOf({ [name]: text })).toEqual([
      `${name} is ${JSON.stringify(text)}, but must be ${allowed}.`,
    ]);
  });

  it.each<[Environment, string]>([
    [{ STAFF_PASSWORDS: 'off' }, 'STAFF_PASSWORDS is off, but OIDC_ISSUER is not set'],
    [{ STAFF_SECOND_FACTOR: 'required' }, 'STAFF_KEY must be set'],
    [{ OIDC_ISSUER: 'https://id.example' }, 'OIDC_CLIENT_ID must be set'],
    [
      {
        OIDC_ISSUER: 'https://login.microsoftonline.com/common/v2.0',
        OIDC_CLIENT_ID: 'x',
        OIDC_EMAIL_PROOF: 'none',
      },
      'OIDC_EMAIL_PROOF is none, but people of any organisation',
    ],
    [
      { OIDC_ISSUER: 'https://accounts.google.com', OIDC_CLIENT_ID: 'x', OIDC_MEMBERS: 'all' },
      'OIDC_MEMBERS is all, but people of any organisation',
    ],
    [{ SMTP_URL: 'smtp://localhost' }, 'MAIL_FROM must be set where SMTP_URL is: an address'],
  ])('refuses %j, which cannot be together', (environment, fault) => {
    expect(faultsOf(environment)).toEqual([expect.stringContaining(fault)]);
  });

  it.each([
    'postgres://u:p@one:5432,two:5432/name',
    'postgres://u:p@one,two/name',
    'postgres://u:p@one/name?target_session_attrs=read-write',
  ])('refuses the database %s, whose driver would not find the primary', (url) => {
    expect(faultsOf({ DATABASE_URL: url })).toEqual([
      expect.stringContaining('with one host and without `target_session_attrs`'),
    ]);
  });

  it('reports every fault at once', () => {
    const names = ['NODE_ENV', 'PORT', 'PUBLIC_URL', 'DATABASE_URL', 'DATABASE_POOL_SIZE'];
    const wrong = Object.fromEntries(names.map((name) => [name, '?']));
    expect(faultsOf(wrong).map((fault) => fault.split(' ')[0])).toEqual(names);
  });

  it('is frozen', () => {
    const config = readConfig({ TRUST_PROXY: 'loopback' });
    expect(config).toBeInstanceOf(Config);
    expect([Object.isFrozen(config), Object.isFrozen(config.trustProxy)]).toEqual([true, true]);
    const values = Object.values(config).filter((value) => !Buffer.isBuffer(value));
    expect(values.filter((value) => !Object.isFrozen(value))).toEqual([]);
  });

  it('decodes keys to bytes', () => {
    const key = Buffer.alloc(32, 7);
    expect(readConfig({ STAFF_KEY: key.toString('base64') }).staffKey).toEqual(key);
  });

  it.each([
    ['of 31 bytes', Buffer.alloc(31, 7).toString('base64')],
    ['with a blank in it', ` ${Buffer.alloc(32, 7).toString('base64')}`],
    ['in base64url', Buffer.alloc(32, 0xff).toString('base64url')],
  ])('refuses a key %s, and does not show it', (_how, text) => {
    expect(faultsOf({ STAFF_KEY: text })).toEqual([
      'STAFF_KEY must be 32 bytes in base64, as `openssl rand -base64 32` prints them.',
    ]);
  });

  it('throws only ConfigError, for any environment', () => {
    const names = fc.constantFrom(...variables.map(({ name }) => name));
    fc.assert(
      fc.property(fc.dictionary(names, fc.string()), (environment) => {
        const faults = faultsOf(environment);
        return faults.every((fault) => /^[A-Z_]+ (?:is|must) .*\.$/s.test(fault));
      }),
    );
  });
});

describe('a setting of a version before', () => {
  it.each(Object.entries(removedSettings))('stops the start: %s', (name, instead) => {
    expect(faultsOf({ [name]: '1' })).toEqual([`${name} is no longer a setting: ${instead}.`]);
    expect(faultsOf({ [name]: '' })).toEqual([]);
    expect(variables.map((variable) => variable.name)).not.toContain(name);
  });
});

describe('in production', () => {
  it.each<[Environment, string]>([
    [{ PUBLIC_URL: 'http://api.example.net' }, 'PUBLIC_URL must start with https: in production'],
    [{ PUBLIC_URL: 'http://10.0.0.7:3000' }, 'PUBLIC_URL must start with https: in production'],
    [{ PUBLIC_URL: 'http://localhost.example.net' }, 'PUBLIC_URL must start with https:'],
    [{ PUBLIC_URL: 'http://a.example', ALLOW_INSECURE: 'no-rate-limits' }, 'PUBLIC_URL must'],
  ])('refuses %j, and names the setting that allows it', (environment, fault) => {
    const [refusal, ...others] = faultsOf({ ...inProduction, ...environment });
    expect([refusal, others]).toEqual([expect.stringContaining(fault), []]);
    expect(refusal).toContain('set ALLOW_INSECURE=');
  });

  it.each<Environment>([
    { PUBLIC_URL: 'http://localhost:3000' },
    { PUBLIC_URL: 'http://127.0.0.1' },
    { PUBLIC_URL: 'http://[::1]:3000' },
    { PUBLIC_URL: 'http://api.example.net', ALLOW_INSECURE: 'http' },
    { ALLOW_INSECURE: 'http, no-rate-limits' },
  ])('takes %j', (environment) => {
    expect(faultsOf({ ...inProduction, ...environment })).toEqual([]);
  });

  it('is the only place that refuses them', () => {
    expect(faultsOf({ PUBLIC_URL: 'http://api.example.net' })).toEqual([]);
  });

  it('requires settings that have demo defaults', () => {
    const needed = variables.filter(({ demoOnly }) => demoOnly).map(({ name }) => name);
    expect(faultsOf({ NODE_ENV: 'production' }).map((fault) => fault.split(' ')[0])).toEqual(
      needed,
    );
    expect(faultsOf({ NODE_ENV: 'production' })[0]).toBe(
      'PUBLIC_URL must be set in production: an http or https URL. Its default is a demo value.',
    );
    expect(needed).toEqual(Object.keys(inProduction).filter((name) => name !== 'NODE_ENV'));
  });
});

describe('a secret', () => {
  const url = 'postgres://app:hush@db/availability';

  it('can be in a file, with or without a final newline', () => {
    withFile(`${url}\n`, (path) => {
      expect(readConfig({ DATABASE_URL_FILE: path }).databaseUrl).toBe(url);
    });
  });

  it.each([
    [
      'both',
      'postgres://db/other',
      'DATABASE_URL and DATABASE_URL_FILE are both set: set one of them.',
    ],
    ['a wrong value in the file', undefined, 'DATABASE_URL must be'],
  ])('with %s is a fault that does not show it', (_, text, expected) => {
    withFile('mysql://app:hush@db', (path) => {
      const faults = faultsOf({ DATABASE_URL: text, DATABASE_URL_FILE: path });
      expect(faults).toEqual([expect.stringContaining(expected)]);
      expect(faults.join()).not.toContain('hush');
    });
  });

  it('in an unreadable file is a fault', () => {
    expect(faultsOf({ DATABASE_URL_FILE: '/nowhere' })).toEqual([
      'DATABASE_URL_FILE cannot be read (ENOENT).',
    ]);
  });

  it('in an empty file is a fault, and does not select the embedded database', () => {
    withFile('\n', (path) => {
      expect(faultsOf({ DATABASE_URL_FILE: path })).toEqual([
        'DATABASE_URL_FILE names an empty file.',
      ]);
    });
  });

  it('cannot be in a file when it is not a secret', () => {
    expect(readConfig({ HOST_FILE: '/nowhere' }).host).toBe('0.0.0.0');
  });
});

describe('the documentation of the settings', () => {
  const file = 'docs/operate/configuration.md';

  it(`is in ${file}, and DOCS_WRITE=on writes it`, () => {
    const page = readFileSync(file, 'utf8');
    const expected = page.replace(
      /(<!-- configuration -->\n)[^]*(<!-- \/configuration -->)/,
      (_, start: string, end: string) => `${start}\n${configurationTable()}\n\n${end}`,
    );
    if (process.env.DOCS_WRITE === 'on') writeFileSync(file, expected);
    else expect(page).toBe(expected);
    expect(expected).toContain('| `DRAIN_SECONDS` | `0`; `5` in production |');
  });

  it.each(variables)('has $name in the help for a terminal', ({ name, meaning, allowed }) => {
    const help = settingsHelp();
    expect(help).toContain(`\n${name}`);
    expect(help).toContain(`${meaning} Allowed: ${allowed}.`);
  });

  it('says that a secret can be a file, and that a demo default must be replaced in production', () => {
    const help = settingsHelp();
    expect(help).toMatch(
      /^STAFF_KEY\n.* Secret: can also be a file, named in `STAFF_KEY_FILE`\.$/m,
    );
    expect(help).toMatch(/^PUBLIC_URL \(default: .*\)\n.* Must be set in production\.$/m);
  });
});

it.each([
  ['https://login.microsoftonline.com/common/v2.0', true],
  ['https://login.microsoftonline.com/Organizations/v2.0', true],
  ['https://login.microsoftonline.com/consumers/v2.0', true],
  ['https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0', true],
  ['https://accounts.google.com', true],
  ['https://login.microsoftonline.com/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0', false],
  ['https://id.example/common', false],
])('sees that %s is shared by organisations: %s', (issuer, shared) => {
  expect(isSharedIssuer(issuer)).toBe(shared);
});
