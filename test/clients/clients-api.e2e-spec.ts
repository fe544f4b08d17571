import { beforeAll, expect, it, jest } from '@jest/globals';
import { ClientErrorDay } from '../../src/clients/client-error-day.entity.js';
import { ClientErrorsService } from '../../src/clients/client-errors.service.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import type { ClientCaller } from '../../src/platform/access/caller.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { ClientUsageService } from '../../src/administration/clients/client-usage.service.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

onOneEngine('API clients, by the staff API', (engine) => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    token = await service.given.staffToken();
  });

  const read = (id: string) =>
    service.http.get<{ usableTokens: number }>(`/clients/${id}`, { token });
  const usageOf = (id: string) => service.get(ClientUsageService).of(id);
  const edit = (id: string, body: object) =>
    service.http.send<Record<string, unknown>>({
      method: 'PATCH',
      path: `/clients/${id}`,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('are listed and read', async () => {
    const client = await service.given.client({ name: 'Listed Ltd', priceList: 'autumn' });
    const { body } = await service.http.get<{ items: { name: string }[] }>('/clients', { token });
    const listed = body.items.find(({ name }) => name === 'Listed Ltd');
    expect(listed).toEqual({
      id: client.id,
      name: 'Listed Ltd',
      contactName: 'Grace Hopper',
      contactEmail: 'grace@reseller.example',
      contactPhone: '+44 20 7946 0123',
      priceList: 'autumn',
      priceListIsLive: false,
      compatibility: '0.3',
      nearNet: 'default',
      messageEmails: 'on',
      interconnects: [],
      lookupsPerMinute: null,
      lookupsPerSecond: null,
      ordersPerMinute: null,
      inFlight: null,
      enabled: true,
      usableTokens: 0,
      lastUsedAt: null,
      createdAt: client.createdAt.toISOString(),
      version: 1,
    });
    expect((await read(client.id)).body).toEqual(listed);
  });

  it('are edited, one property or several', async () => {
    const { id } = await service.given.client();
    const change = { version: 1, priceList: ' partner ', lookupsPerSecond: 9 };
    const { status, body } = await edit(id, change);
    expect([
      status,
      body.version,
      body.priceList,
      body.priceListIsLive,
      body.lookupsPerSecond,
    ]).toEqual([200, 2, 'partner', true, 9]);
    const back = await edit(id, { version: 2, lookupsPerSecond: null });
    expect([back.status, back.body.lookupsPerSecond, back.body.priceList]).toEqual([
      200,
      null,
      'partner',
    ]);
  });

  it('are not edited with an earlier version', async () => {
    const { id } = await service.given.client();
    await edit(id, { version: 1, contactName: 'First' });
    const late = await edit(id, { version: 1, contactName: 'Second' });
    expect([late.status, late.body.code, late.body.version]).toEqual([409, 'client-changed', 2]);
    expect((await read(id)).body).toMatchObject({ contactName: 'First' });
  });

  it('are edited by one of many at the same time', async () => {
    const { id } = await service.given.client();
    const edits = await Promise.all(
      Array.from({ length: 8 }, (_, i) => edit(id, { version: 1, contactName: `Editor ${i}` })),
    );
    const statuses = edits.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(7).fill(409)]);
  });

  it.each([
    [{}, ['/version']],
    [{ version: 1, name: ' ' }, ['/name']],
    [{ version: 1, name: null }, ['/name']],
    [{ version: 1, nearNet: null }, ['/nearNet']],
    [{ version: 1, contactEmail: 'grace' }, ['/contactEmail']],
    [{ version: 1, contactPhone: 7, priceList: 'a b' }, ['/contactPhone', '/priceList']],
    [{ version: 1, compatibility: '0.1', inFlight: 0 }, ['/compatibility', '/inFlight']],
    [{ version: 1, enabled: false }, ['/enabled']],
  ])('are not edited with %j', async (change, pointers) => {
    const { id } = await service.given.client();
    const { status, body } = await edit(id, change);
    const errors = body.errors as { pointer: string }[];
    expect([status, errors.map(({ pointer }) => pointer).sort()]).toEqual([400, pointers]);
    expect((await read(id)).body).toMatchObject({ version: 1 });
  });

  it('have unique names', async () => {
    await service.given.client({ name: 'Taken Ltd' });
    const { id } = await service.given.client();
    const { status, body } = await edit(id, { version: 1, name: 'Taken Ltd' });
    expect([status, body.code]).toEqual([409, 'client-name-taken']);
  });

  it('have a usage, without checks and orders at first', async () => {
    const { id } = await service.given.client();
    expect(await usageOf(id)).toEqual({
      from: '2026-02-01',
      to: '2026-03-02',
      checks: 0,
      checksWithProducts: 0,
      orders: 0,
      won: 0,
      ordersPerCheck: null,
      wonPerOrder: null,
      lastUsedAt: null,
      openRequests: 0,
      errors: [],
    });
  });

  it('have a usage with their errors, those of test tokens apart, and none lost in a failed write', async () => {
    const client = await service.given.client();
    const errors = service.get(ClientErrorsService);
    const receive = (isTest: boolean) =>
      errors.count({ clientId: client.id, isTest } as ClientCaller, 'order-not-found');
    receive(false);
    receive(true);
    // While the first counts are written, another error occurs. Then the database fails.
    const failed = jest.spyOn(service.get(Transactions), 'run').mockImplementationOnce(() => {
      receive(false);
      return Promise.reject(new Error('The disk is full.'));
    });
    await expect(errors.flush()).rejects.toThrow('The disk is full.');
    failed.mockRestore();
    receive(true);
    receive(true);
    const { errors: received } = await usageOf(client.id);
    const counts = received.map((one) => [one.mode, one.errors]).sort();
    expect(counts).toEqual([
      ['live', 2],
      ['test', 3],
    ]);
  });

  it('have a usage with the last time of an error, on whichever day', async () => {
    const { id } = await service.given.client();
    const day = (n: number) => new Date(`2026-02-${n}T09:00:00Z`);
    // Inserted newest first, in the middle, and oldest first: no order of rows helps.
    for (const days of [
      [20, 18],
      [19, 21, 17],
    ]) {
      await service.get(Transactions).run(async (tx) => {
        for (const n of days) {
          const row = { day: `2026-02-${n}`, clientId: id, code: 'not-found', isTest: false };
          await tx.insert(ClientErrorDay, { ...row, errors: 1, lastAt: day(n) });
        }
      });
    }
    expect((await usageOf(id)).errors).toEqual([
      { code: 'not-found', mode: 'live', errors: 5, lastAt: day(21) },
    ]);
  });

  it('have as many usable tokens as are neither revoked nor expired', async () => {
    const client = await service.given.client();
    await service.given.token({ client });
    await service.given.token({ client, days: 1 });
    const { id } = await service.given.issuedToken({ client });
    await service.get(TokensService).revoke(id, operator);
    const usable = async () => (await read(client.id)).body.usableTokens;
    expect(await usable()).toBe(2);
    service.clock.advance({ days: 1 });
    expect(await usable()).toBe(1);
    service.clock.reset();
  });

  it('are not found under another id, and not shown without the scope', async () => {
    const unknown = '01890000-0000-7000-8000-000000000000';
    const statuses = [(await read(unknown)).status, (await edit(unknown, { version: 1 })).status];
    expect(statuses).toEqual([404, 404]);
    const limited = await service.given.staffToken('reports:read');
    expect((await service.http.get('/clients', { token: limited })).status).toBe(403);
  });
});
