import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuditService } from '../../src/audit/audit.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { type DatabaseSettings, environmentOf, newDatabase } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { cli, jsonLines, refusal } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

/** The database of a service that runs while the commands are given. */
let database: DatabaseSettings;
let service: Service;

const run = (...words: string[]) => cli(environmentOf(database), ...words);

beforeAll(async () => {
  database = await newDatabase('sqlite');
  // The commands go by the real clock.
  service = await startService('sqlite', { database, clock: new FakeClock(new Date()) });
  await service.given.catalogue();
});

describe('clients', () => {
  const contact = ['--contact', 'Grace Hopper', '--email', 'g@r.example', '--phone', '+44 20'];

  it('adds one, and shows it', async () => {
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
      legacyFieldNames: false,
      enabled: true,
    });
  });

  it('refuses a second one of the same name, and one without a contact', async () => {
    await service.given.client({ name: 'Twin' });
    const [twin, incomplete] = await Promise.all([
      run('clients', 'add', 'Twin', ...contact),
      run('clients', 'add', 'Nobody'),
    ]);
    expect(refusal(twin)).toEqual([1, '', 'There is an API client named "Twin" already.']);
    expect([incomplete.code, incomplete.stderr]).toEqual([
      1,
      expect.stringContaining('--contact <name>'),
    ]);
  });

  it('says of each option what is wrong, and adds nothing', async () => {
    const refused = await run(
      ...['clients', 'add', 'x'.repeat(121), '--contact', ' ', '--email', 'grace'],
      ...['--phone', 'ask Grace', '--price-list', 'a b'],
    );
    expect(refusal(refused)).toEqual([
      1,
      '',
      [
        '<name>: Write at most 120 characters; these are 121.',
        '--contact: Write whom to contact there.',
        '--email: This is no e-mail address. One looks like grace@example.com.',
        '--phone: A telephone number has digits, blanks, brackets, dots and hyphens only.',
        '--price-list: A price list has letters, digits and hyphens only.',
      ].join('\n'),
    ]);
    const names = (await service.get(ClientsService).list()).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('xx'))).toEqual([]);
  });

  it('disables one, by name, and enables it, by id', async () => {
    const client = await service.given.client({ name: 'Paused Ltd' });
    const token = await service.given.token({ client });
    const statusOfCheck = async () => {
      await service.learnChanges();
      return (await service.http.get('/product-availability/postcode/EC2A2BS', { token })).status;
    };
    const disabled = await run('clients', 'disable', 'Paused Ltd');
    expect([disabled.stdout, await statusOfCheck()]).toEqual(['Paused Ltd is disabled.\n', 401]);
    const enabled = await run('clients', 'enable', client.id);
    expect([enabled.stdout, await statusOfCheck()]).toEqual(['Paused Ltd is enabled.\n', 200]);
  });

  it('gives one limits of its own, shows them, and takes them back', async () => {
    const client = await service.given.client({ name: 'Busy Ltd' });
    const limits = async (...words: string[]) => {
      const { stdout } = await run('clients', 'limits', 'Busy Ltd', ...words);
      return stdout.trimEnd().split('\n');
    };
    const usual = [
      'Busy Ltd:',
      '  600 look-ups a minute (default)',
      '  100 look-ups in one second (default)',
      '  60 orders a minute (default)',
      '  20 requests at the same time (default)',
    ];
    expect(await limits()).toEqual(usual);
    const own = ['--lookups', '6000', '--burst', '500', '--orders', '200', '--in-flight', '40'];
    expect(await limits(...own)).toEqual([
      'Busy Ltd:',
      '  6000 look-ups a minute',
      '  500 look-ups in one second',
      '  200 orders a minute',
      '  40 requests at the same time',
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
    expect([code, stderr]).toEqual([1, expect.stringContaining('from 1 to 10000000')]);
  });

  it('does not know one of another name', async () => {
    expect(refusal(await run('clients', 'disable', 'Nobody'))).toEqual([
      1,
      '',
      'There is no API client "Nobody"; `clients list` shows them.',
    ]);
  });
});

describe('staff', () => {
  it('adds a member, once', async () => {
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
      '<name>: Write the name.\n--email: This is no e-mail address. One looks like sam@example.com.',
    ]);
  });

  it('prints a link to set the first password, and another one when asked', async () => {
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
    await run('staff', 'disable', 'grace@operator.example');
    expect(refusal(await run('staff', 'invite', 'grace@operator.example'))).toEqual([
      1,
      '',
      'Grace Hopper is disabled: enable the member first.',
    ]);
  });

  it('sets a role, and takes a lost second factor away', async () => {
    const { id, email } = await service.given.staff({ name: 'Kay' });
    expect((await run('staff', 'role', email, 'manager')).stdout).toBe('Kay is manager.\n');
    expect((await service.get(StaffService).get(id)).role).toBe('manager');
    const wrong = await run('staff', 'role', email, 'boss');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('Unknown: boss.')]);
    const forgotten = await run('staff', 'forget-second-factor', email);
    expect([forgotten.code, forgotten.stdout]).toEqual([
      0,
      'Kay signs in without a second factor.\n',
    ]);
  });
});

describe('tokens', () => {
  it('issues one that works at once, shows it only then, and revokes it', async () => {
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

  it('issues one for staff, with the scopes that are named', async () => {
    const member = await service.given.staff();
    const words = ['--staff', member.email, '--scopes', 'follow-up:read'];
    const token = (await run('tokens', 'issue', ...words)).stdout.trim();
    expect(token).toMatch(/^pas_live_/);
    const { status } = await service.http.get('/follow-up/orders', { token });
    expect(status).toBe(200);
  });

  it.each([
    [[], 'Name either --client or --staff.'],
    [['--client', 'Any', '--scopes', 'follow-up:read'], 'Not for a client token: follow-up:read.'],
    [['--client', 'Any', '--label', 'x'.repeat(121)], '--label: Write at most 120 characters'],
    [['--client', 'Any', '--scopes', 'all'], 'Unknown: all. Known: availability:read'],
  ])('issues none for %j', async (words, reason) => {
    await service.given.client({ name: 'Any' }).catch(() => undefined);
    const { code, stdout, stderr } = await run('tokens', 'issue', ...words);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(reason)]);
  });
});
