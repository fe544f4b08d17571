import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '../../src/platform/audit/audit.service.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import { newDatabase } from '../support/databases.js';
import { Line } from '../support/proxies.js';
import { type Service, startService } from '../support/service.js';

const CHECK = '/product-availability/postcode/EC2A2BS';
const TRUST = 10;

interface Body {
  readonly code?: string;
  readonly tokens?: boolean;
}

const until = async (isSo: () => Promise<boolean>, seconds: number): Promise<void> => {
  const begun = performance.now();
  while (!(await isSo())) {
    expect(performance.now() - begun).toBeLessThan(seconds * 1_000);
    await sleep(100);
  }
};

it('an instance that is cut off from PostgreSQL trusts the tokens that it knows for a bounded time', async () => {
  const database = await newDatabase('postgres');
  const url = new URL(database.databaseUrl!);
  const line = await Line.to(Number(url.port));
  const databaseUrl = Object.assign(url, { port: String(line.port) }).href;
  const connected = await startService('postgres', { database });
  await connected.given.catalogue();
  const cutOff = await startService('postgres', {
    database: { ...database, databaseUrl },
    config: { tokenTrustSeconds: TRUST },
  });
  const [revoked, kept, unused] = [
    await connected.given.issuedToken(),
    await connected.given.issuedToken(),
    await connected.given.issuedToken(),
  ];
  await cutOff.learnChanges();
  const check = async (service: Service, { token }: { token: string }) => {
    const { status, body } = await service.http.get<Body>(CHECK, { token });
    return `${status} ${body.code ?? ''}`.trim();
  };
  for (const token of [revoked, kept]) expect(await check(cutOff, token)).toBe('200');

  line.cut();
  const cutAt = performance.now();
  await connected.get(TokensService).revoke(revoked.id, operator);
  expect([await check(connected, revoked), await check(connected, kept)]).toEqual([
    '401 invalid-token',
    '200',
  ]);
  // It cannot know of the revocation, and answers those that it knows, also the first time.
  for (const token of [revoked, kept, unused]) expect(await check(cutOff, token)).toBe('200');

  await until(async () => (await check(cutOff, revoked)) !== '200', TRUST + 5);
  expect((performance.now() - cutAt) / 1_000).toBeGreaterThan(TRUST - 5);
  for (const token of [revoked, kept, unused]) {
    expect(await check(cutOff, token)).toBe('503 unavailable');
  }
  const { status, body } = await cutOff.http.get<Body>('/health/ready');
  expect([status, body.tokens]).toEqual([503, false]);
  expect((await cutOff.http.get('/health/live')).status).toBe(200);

  line.restore();
  await until(async () => (await check(cutOff, kept)) === '200', 15);
  expect(await check(cutOff, revoked)).toBe('401 invalid-token');
  expect((await cutOff.http.get<Body>('/health/ready')).body.tokens).toBe(true);
});
