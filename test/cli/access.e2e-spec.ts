import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuditService, operator } from '../../src/platform/audit/audit.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { type DatabaseSettings, environmentOf, newDatabase } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { Integrator } from '../support/integrator.js';
import { cli, jsonLines, refusal } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

/** The database of a service that runs during the commands. */
let database: DatabaseSettings;
let service: Service;

const run = (...words: string[]) => cli(environmentOf(database), ...words);

beforeAll(async () => {
  database = await newDatabase('sqlite');
  // The commands use the real clock.
  service = await startService('sqlite', { database, clock: new FakeClock(new Date()) });
  await service.given.catalogue();
});

describe('clients', () => {
  const contact = ['--contact', 'Grace Hopper', '--email', 'g@r.example', '--phone', '+44 20'];

  it('are added and listed', async () => {
    const { code, stdout } = await run('clients', 'add', 'Added Ltd', ...contact);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Added Added Ltd, id [0-9a-f-]{36}\. Next: tokens issue --client/),
    ]);
    const listed = jsonLines(await run('clients', 'list', '--json'));
    expect(listed.find(({ name }) => name === 'Added Ltd')).toMatchObject({
      contactName: 'Grace Hopper',
      contactEmail: 'g@r.example',
      contactPhone: '+44 20',
      priceList: 'standard',
      compatibility: '0.3',
      enabled: true,
    });
  });

  it('are added with a warning of a price list that is not in the live catalogue', async () => {
    const warning =
      'The live catalogue has no price list gold: this client gets the prices of standard.\n';
    const added = await run('clients', 'add', 'Gold Ltd', ...contact, '--price-list', 'gold');
    const usual = await run('clients', 'add', 'Partner Ltd', ...contact, '--price-list', 'partner');
    expect([added, usual].map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, warning],
      [0, ''],
    ]);
  });

  it('are refused with a duplicate name or without a contact', async () => {
    await service.given.client({ name: 'Twin' });
    const [twin, incomplete] = await Promise.all([
      run('clients', 'add', 'Twin', ...contact),
      run('clients', 'add', 'Unknown'),
    ]);
    expect(refusal(twin)).toEqual([1, '', 'There is an API client named "Twin" already.']);
    expect([incomplete.code, incomplete.stderr]).toEqual([
      1,
      expect.stringContaining('--contact <name>'),
    ]);
  });

  it('are not added with invalid options, each of which is reported', async () => {
    const refused = await run(
      ...['clients', 'add', 'x'.repeat(121), '--contact', ' ', '--email', 'grace'],
      ...['--phone', 'ask Grace', '--price-list', 'a b'],
    );
    expect(refusal(refused)).toEqual([
      1,
      '',
      [
        '<name>: Use at most 120 characters; these are 121.',
        '--contact: Must not be empty.',
        '--email: Enter an email address, such as ada@example.com.',
        '--phone: Enter a phone number with digits, spaces, brackets, dots and hyphens only.',
        '--price-list: Enter a price list with letters, digits and hyphens only.',
      ].join('\n'),
    ]);
    const names = (await service.get(ClientsService).list()).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('xx'))).toEqual([]);
  });

  it('can have their own limits, which `default` removes', async () => {
    const client = await service.given.client({ name: 'Busy Ltd' });
    const limits = async (...words: string[]) => {
      const { stdout } = await run('clients', 'limits', 'Busy Ltd', ...words);
      return stdout.trimEnd().split('\n');
    };
    const usual = [
      'Busy Ltd:',
      '  600 checks a minute (default)',
      '  100 checks a second (default)',
      '  60 orders a minute (default)',
      '  20 concurrent requests (default)',
    ];
    expect(await limits()).toEqual(usual);
    const own = ['--lookups', '6000', '--burst', '500', '--orders', '200', '--in-flight', '40'];
    expect(await limits(...own)).toEqual([
      'Busy Ltd:',
      '  6000 checks a minute',
      '  500 checks a second',
      '  200 orders a minute',
      '  40 concurrent requests',
    ]);
    await service.learnChanges();
    const token = await service.given.token({ client });
    const { headers } = await service.http.get('/product-availability/postcode/EC2A2BS', { token });
    expect(headers['ratelimit-policy']).toBe('"look-ups";q=6000;w=60, "burst";q=500;w=1');
    const back = ['--lookups', '--burst', '--orders', '--in-flight'].flatMap((name) => [
      name,
      'default',
    ]);
    expect(await limits(...back)).toEqual(usual);
    const { code, stderr } = await run('clients', 'limits', 'Busy Ltd', '--lookups', '0');
    expect([code, stderr]).toEqual([1, '--lookups: Enter a whole number from 1 to 10,000,000.\n']);
    const tooMany = await run('clients', 'limits', 'Busy Ltd', '--in-flight', '100001');
    expect(refusal(tooMany)).toEqual([
      1,
      '',
      '--in-flight: Enter a whole number from 1 to 100,000.',
    ]);
    expect(await limits()).toEqual(usual);
  });

  it('are reported as unknown by another name', async () => {
    expect(refusal(await run('clients', 'limits', 'Unknown'))).toEqual([
      1,
      '',
      'There is no API client "Unknown"; `clients list` shows them.',
    ]);
  });
});

describe('staff', () => {
  it('are added once', async () => {
    const words = ['staff', 'add', 'Ada Lovelace', '--email', 'Ada@Operator.example'];
    const first = await run(...words, '--role', 'manager');
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringMatching(/^Added Ada Lovelace, id .*issue --staff ada@operator\.example$/m),
    ]);
    expect(refusal(await run(...words))).toEqual([
      1,
      '',
      'There is a staff member with the address ada@operator.example already.',
    ]);
    const { id } = await service.get(StaffService).find('ada@operator.example');
    expect(first.stdout).toContain(id);
    expect(refusal(await run('staff', 'add', ' ', '--email', 'ada'))).toEqual([
      1,
      '',
      '<name>: Must not be empty.\n--email: Enter an email address, such as ada@example.com.',
    ]);
  });

  it('receive a link to set a password when added, and another on request', async () => {
    const added = await run('staff', 'add', 'Grace Hopper', '--email', 'grace@operator.example');
    const statusOf = async (link: string) =>
      (await service.http.get(new URL(link).pathname)).status;
    const first = added.stdout.trim().split('\n').at(-1)!;
    expect([first, await statusOf(first)]).toEqual([
      expect.stringMatching(/^http:\/\/localhost:3000\/staff\/set-password\/[\w-]{43}$/),
      200,
    ]);
    expect(added.stderr).toContain('It is not stored');
    const second = (await run('staff', 'invite', 'Grace@operator.example')).stdout.trim();
    expect([await statusOf(first), await statusOf(second)]).toEqual([410, 200]);
    const { id } = await service.get(StaffService).find('grace@operator.example');
    await service.get(StaffService).setEnabled(id, false, operator);
    expect(refusal(await run('staff', 'invite', 'grace@operator.example'))).toEqual([
      1,
      '',
      'Grace Hopper is disabled: enable the member first.',
    ]);
  });

  it('lose a lost second factor', async () => {
    const { email } = await service.given.staff({ name: 'Kay' });
    const forgotten = await run('staff', 'forget-second-factor', email);
    expect([forgotten.code, forgotten.stdout]).toEqual([
      0,
      'Kay now signs in without a second factor.\n',
    ]);
  });
});

describe('tokens', () => {
  it('work at once when issued, are shown only once, and can be revoked', async () => {
    const client = await service.given.client({ name: 'Holder Ltd' });
    const issued = await run('tokens', 'issue', '--client', 'Holder Ltd', '--label', 'web');
    const token = issued.stdout.trim();
    const status = async () =>
      (await service.http.get('/product-availability/postcode/EC2A2BS', { token })).status;
    expect([issued.code, token, await status()]).toEqual([
      0,
      expect.stringMatching(/^pas_live_\w{39}$/),
      200,
    ]);

    const { stdout } = await run('tokens', 'list', '--client', client.id, '--json');
    const [listed, ...others] = jsonLines({ stdout });
    expect([listed, others]).toEqual([
      expect.objectContaining({ ending: token.slice(-4), label: 'web', revokedAt: null }),
      [],
    ]);
    expect(Object.keys(listed ?? {})).not.toContain('hash');
    expect(stdout).not.toContain(token);

    const id = String(listed?.id);
    const revoked = await run('tokens', 'revoke', id, '--reason', 'It leaked.');
    const [entry] = await service.get(AuditService).list({ subjectId: id, limit: 1 });
    expect([entry?.action, entry?.details]).toEqual(['revoked', { reason: 'It leaked.' }]);
    await service.learnChanges();
    expect([revoked.code, await status()]).toEqual([0, 401]);
    expect(refusal(await run('tokens', 'revoke', id))).toEqual([
      1,
      '',
      `There is no usable token ${id}; \`tokens list\` shows them.`,
    ]);
  });

  it('are issued for a disabled client or member with a warning', async () => {
    const { id, name } = await service.given.client({ name: 'Off Ltd' });
    const { id: staffId, email } = await service.given.staff({ name: 'Off Duty' });
    await service.get(ClientsService).setEnabled(id, false, operator);
    await service.get(StaffService).setEnabled(staffId, false, operator);
    for (const holder of [
      ['--client', name],
      ['--staff', email],
    ]) {
      const { code, stderr } = await run('tokens', 'issue', ...holder);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^Off \w+ is disabled: no token/)]);
    }
  });

  it('are issued for staff with the named scopes', async () => {
    const member = await service.given.staff();
    const words = ['--staff', member.email, '--scopes', 'follow-up:read'];
    const token = (await run('tokens', 'issue', ...words)).stdout.trim();
    expect(token).toMatch(/^pas_live_/);
    const { status } = await service.http.get('/follow-up/orders', { token });
    expect(status).toBe(200);
  });

  it('issues none beyond the role, and takes scopes away with the role', async () => {
    const { id, email } = await service.given.staff({ name: 'Joan Clarke', role: 'admin' });
    const token = await service.given.token({ staff: { id } });
    const status = async () => (await service.http.get('/catalogue/versions', { token })).status;
    expect(await status()).toBe(200);
    await service.get(StaffService).setRole(id, 'agent', operator);
    await service.learnChanges();
    expect(await status()).toBe(403);
    const words = ['--staff', email, '--scopes', 'follow-up:read,catalogue:write'];
    expect(refusal(await run('tokens', 'issue', ...words))).toEqual([
      1,
      '',
      'Joan Clarke is agent: a token of this member cannot have catalogue:write. Change the role first, or leave them out.',
    ]);
  });

  it.each([
    [[], 'Name either --client or --staff.'],
    [['--client', 'Any', '--scopes', 'follow-up:read'], 'Not for a client token: follow-up:read.'],
    [['--client', 'Any', '--label', 'x'.repeat(121)], '--label: Use at most 120 characters'],
    [['--client', 'Any', '--scopes', 'all'], 'Unknown: all. Known: availability:read'],
  ])('are not issued for %j', async (words, reason) => {
    await service.given.client({ name: 'Any' }).catch(() => undefined);
    const { code, stdout, stderr } = await run('tokens', 'issue', ...words);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(reason)]);
  });
});

describe('watches', () => {
  it('are listed for live or for test tokens', async () => {
    const { client, live, test } = await Integrator.at(service);
    for (const [place, token] of [
      ['LS1%204AP', live],
      ['LS1%204AB', test],
    ] as const) {
      const path = `/product-availability/watch/${place}`;
      const headers = { 'Content-Type': 'application/json' };
      await service.http.send({ method: 'PUT', path, token, headers, body: '{}' });
    }
    const listed = async (...more: string[]) =>
      jsonLines(await run('watches', 'list', '--client', client.id, '--json', ...more)).map(
        ({ postcode }) => postcode,
      );
    expect([await listed(), await listed('--test')]).toEqual([['LS1 4AP'], ['LS1 4AB']]);
  });
});
