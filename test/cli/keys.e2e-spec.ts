import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { TOTP, URI } from 'otpauth';
import { AuditService, operator } from '../../src/platform/audit/audit.service.js';
import type { Config } from '../../src/platform/config/config.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { SecondFactorService } from '../../src/staff/sign-in/second-factor.service.js';
import { environmentOf, newDatabase } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { cli } from '../support/processes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

type Keys = Pick<Config, 'webhookKey' | 'webhookKeySecond' | 'staffKey' | 'staffKeySecond'>;

const [older, newer] = [randomBytes(32), randomBytes(32)];
const keys = (first: Buffer, second: Buffer | null = null): Keys => ({
  webhookKey: first,
  webhookKeySecond: second,
  staffKey: first,
  staffKeySecond: second,
});

onOneEngine('The keys that encrypt secrets', (engine) => {
  it('are changed without a gap: two hold at a time, and a command encrypts again', async () => {
    const database = await newDatabase(engine);
    const clock = new FakeClock();
    const start = (about: Keys) => startService(engine, { database, clock, config: about });

    const first = await start(keys(older));
    const { endpoint, secret } = await first
      .get(WebhooksService)
      .add('https://hooks.example/', null, operator);
    const member = await first.given.member();
    const { uri } = (await first.get(SecondFactorService).offer(member))!;
    const totp = URI.parse(uri) as TOTP;
    const code = () => totp.generate({ timestamp: clock.now().getTime() });
    expect(await first.get(SecondFactorService).confirm(member.id, code(), operator)).toBeTruthy();

    /** The signing secrets, and whether a new code of the second factor is accepted. */
    const usable = async (service: Service) => {
      clock.advance({ minutes: 1 });
      const accepted = await service
        .get(Transactions)
        .run((tx) => service.get(SecondFactorService).accepts(tx, member.id, code()));
      const target = await service.get(WebhooksService).target(endpoint.id);
      return [target?.secrets, accepted];
    };
    expect(await usable(first)).toEqual([[secret], 'code']);

    const before = await start(keys(older, newer));
    const after = await start(keys(newer, older));
    expect(await usable(after)).toEqual([[secret], 'code']);
    const rotated = await after.get(WebhooksService).rotate(endpoint.id, operator);
    expect(await usable(before)).toEqual([[rotated, secret], 'code']);
    const encryptedBefore = await before.get(WebhooksService).rotate(endpoint.id, operator);
    expect(await usable(after)).toEqual([[encryptedBefore, rotated], 'code']);

    const [text, other] = [newer.toString('base64'), older.toString('base64')];
    const settings = {
      ...environmentOf(database),
      WEBHOOK_KEY: text,
      WEBHOOK_KEY_SECOND: other,
      STAFF_KEY: text,
      STAFF_KEY_SECOND: other,
    };
    const reseal = (about = {}) => cli({ ...settings, ...about }, 'keys', 'reseal');
    const lines = (again: number, already: number) =>
      ['WEBHOOK_KEY', 'STAFF_KEY']
        .map((name) => `${name}: ${again} encrypted again, ${already} were already.\n`)
        .join('');
    expect(await reseal()).toMatchObject({ code: 0, stdout: lines(1, 0) });
    expect(await reseal()).toMatchObject({ code: 0, stdout: lines(0, 1) });

    const last = await start(keys(newer));
    expect(await usable(last)).toEqual([[encryptedBefore, rotated], 'code']);
    await expect(usable(first)).rejects.toThrow();
    const [entry] = await last.get(AuditService).list({ subjectId: 'STAFF_KEY', limit: 9 });
    expect([entry?.action, entry?.details]).toEqual(['resealed', { resealed: 0, unreadable: [] }]);

    const foreign = randomBytes(32).toString('base64');
    const lost = await reseal({
      WEBHOOK_KEY: foreign,
      WEBHOOK_KEY_SECOND: other,
      STAFF_KEY: '',
      STAFF_KEY_SECOND: '',
    });
    expect([lost.code, lost.stdout]).toEqual([
      1,
      'WEBHOOK_KEY: 0 encrypted again, 0 were already.\nSTAFF_KEY is not set.\n',
    ]);
    expect(lost.stderr).toContain(
      `${endpoint.id}: neither WEBHOOK_KEY nor WEBHOOK_KEY_SECOND opens it.`,
    );
  });

  it('are those of the service where a command adds a webhook', async () => {
    const database = await newDatabase(engine);
    const service = await startService(engine, { database, config: keys(older) });
    await service.get(WebhooksService).add('https://hooks.example/', null, operator);
    const add = (key: Buffer) =>
      cli(
        { ...environmentOf(database), WEBHOOK_KEY: key.toString('base64') },
        ...['webhooks', 'add', 'https://hooks.example/2'],
      );
    const refused = await add(newer);
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      '',
      expect.stringContaining('set it to the key of the service'),
    ]);
    expect((await add(older)).code).toBe(0);
  });

  it('need a first one where there is a second', async () => {
    const { code, stderr } = await cli(
      { WEBHOOK_KEY_SECOND: older.toString('base64'), STAFF_KEY_SECOND: newer.toString('base64') },
      ...['keys', 'reseal'],
    );
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /STAFF_KEY must be set where STAFF_KEY_SECOND is\.\nWEBHOOK_KEY must be set where WEBHOOK_KEY_SECOND is\./,
      ),
    ]);
  });
});
