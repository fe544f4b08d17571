import { afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { ApiClient } from '../../src/clients/api-client.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { OrderAcknowledgement } from '../../src/orders/record/orders.dto.js';
import { OpenRequestsService } from '../../src/orders/placing/open-requests.service.js';
import { TelephoneService } from '../../src/telephone/telephone.service.js';
import type { ProblemBody } from '../../src/platform/problems/problem.dto.js';
import { Counters } from '../../src/platform/kernel/counters.js';
import { quotesOf } from '../support/quotes.js';
import { onBothEngines, type Service, startService } from '../support/service.js';

const ORDER = '/product-availability/order';
const MOST = 3;

onBothEngines('the bound of open requests', (engine) => {
  let service: Service;
  let openRequests: OpenRequestsService;
  let client: ApiClient;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine, { config: { openRequests: MOST } });
    await service.given.catalogue();
    openRequests = service.get(OpenRequestsService);
  });
  beforeEach(async () => {
    client = await service.given.client();
    token = await service.given.token({ client });
  });
  afterEach(() => void jest.restoreAllMocks());

  const send = (by = token, path = ORDER, key?: string) =>
    service.http.post<OrderAcknowledgement & ProblemBody>(
      path,
      { postcode: 'EC2A 2BS', ...(path === ORDER && { productCode: 'INT-1G-12' }) },
      { token: by, ...(key !== undefined && { headers: { 'Idempotency-Key': key } }) },
    );
  const order = async (by = token) => (await send(by)).body.orderId;
  const orders = async (number: number, by = token) => {
    const ids: string[] = [];
    for (let i = 0; i < number; i += 1) ids.push(await order(by));
    return ids;
  };
  const status = async (by = token, path = ORDER) => (await send(by, path)).status;
  const cancel = (id: string) =>
    service.http.post(`${ORDER}/${id}/cancellation`, undefined, { token });

  it('refuses orders and enquiries of a client that has as many open ones', async () => {
    const before = service.get(Counters).limited['open-requests']!;
    await orders(MOST - 1);
    expect(await status(token, '/product-availability/enquiry')).toBe(201);
    for (const path of [ORDER, '/product-availability/enquiry']) {
      const { status, body } = await send(token, path);
      expect([status, body.code]).toEqual([409, 'too-many-open']);
      expect(body.detail).toContain('You have 3 open orders and enquiries. Cancel those');
    }
    expect(service.get(Counters).limited['open-requests']).toBe(before + 2);
    expect(await status(await service.given.token())).toBe(201);
  });

  it('counts live and test requests separately', async () => {
    const test = await service.given.token({ client, kind: 'test' });
    await orders(MOST);
    await openRequests.count();
    expect([await status(), await status(test)]).toEqual([409, 201]);
    await openRequests.count();
    await orders(MOST - 1, test);
    expect(await status(test)).toBe(409);
  });

  it('answers a retry of a stored order as before', async () => {
    const first = await send(token, ORDER, 'first');
    await orders(MOST - 1);
    expect(await status()).toBe(409);
    const retry = await send(token, ORDER, 'first');
    expect([retry.status, retry.body]).toEqual([201, first.body]);
    expect(retry.headers['idempotent-replayed']).toBe('true');
    await cancel(retry.body.orderId);
    await openRequests.count();
    expect([await status(), await status()]).toEqual([201, 409]);
  });

  it('counts each line of a quote that is ordered or asked for', async () => {
    const { accept, ask, made } = quotesOf(service, token);
    const id = await made();
    expect((await accept(id, { lines: ['1', '2'] })).status).toBe(201);
    expect((await ask(id, { lines: ['3'] })).status).toBe(201);
    expect((await ask(id, { lines: ['4'] })).body.code).toBe('too-many-open');
    expect(await status()).toBe(409);
    const gaps = quotesOf(service, await service.given.token());
    expect((await gaps.ask(await gaps.made())).body.enquiries).toHaveLength(MOST);
    expect((await gaps.accept(await gaps.made(), { lines: ['1'] })).status).toBe(409);
  });

  it('makes room when orders are closed, from the next count on', async () => {
    const [id] = await orders(MOST);
    await cancel(id!);
    expect(await status()).toBe(409);
    await openRequests.count();
    expect([await status(), await status()]).toEqual([201, 409]);
  });

  it('counts again after a refusal, although no request was stored', async () => {
    const [id] = await orders(MOST);
    await openRequests.count();
    await cancel(id!);
    expect(await status()).toBe(409);
    await openRequests.count();
    expect(await status()).toBe(201);
  });

  it('does not count again while no request was stored or refused', async () => {
    await openRequests.count();
    const read = jest.spyOn(service.get(Transactions), 'read');
    await openRequests.count();
    expect(read).not.toHaveBeenCalled();
  });

  it('counts what another instance has stored', async () => {
    await orders(MOST);
    const other = new OpenRequestsService(
      service.get(Transactions),
      service.config,
      new Counters(),
    );
    const placing = {
      client: {
        kind: 'telephone',
        clientId: client.id,
        name: client.name,
        priceList: 'standard',
        nearNet: 'default',
        interconnects: [],
        isTest: false,
      },
      actor: { type: 'client', id: client.id, name: client.name },
    } as const;
    other.requireRoom(placing);
    await other.count();
    expect(() => other.requireRoom(placing)).toThrow('3 open orders');
  });

  it('counts an order that is stored while the count runs', async () => {
    const transactions = service.get(Transactions);
    await orders(MOST - 1);
    const read = transactions.read.bind(transactions);
    jest.spyOn(transactions, 'read').mockImplementationOnce(async (...about) => {
      const found = await read(...about);
      await order();
      return found;
    });
    await openRequests.count();
    expect(await status()).toBe(409);
  });

  it('keeps the last count while the database is away, and counts again then', async () => {
    const open = () => openRequests.openOf({ clientId: client.id, isTest: false });
    const [id] = await orders(MOST);
    await cancel(id!);
    const away = new Error('away');
    jest.spyOn(service.get(Transactions), 'read').mockRejectedValueOnce(away);
    await expect(openRequests.count()).rejects.toBe(away);
    expect(open()).toBe(MOST);
    await openRequests.count();
    expect(open()).toBe(MOST - 1);
  });

  it('stores what staff log for a client on the telephone', async () => {
    await orders(MOST);
    const { id: staffId, name } = await service.given.staff();
    const me = { kind: 'staff', staffId, tokenId: staffId, name, role: 'agent', scopes: new Set() };
    const telephone = service.get(TelephoneService);
    const check = await telephone.record('EC2A 2BS', '', client.id, me as never);
    const about = { bandwidth: 10, name: 'Ada', phone: '+44 20 7946 0001' };
    const logged = await telephone.log({ check, client }, about, 'once', me as never);
    expect(logged.message).toContain('was received');
  });
});

it('has no bound where rate limits are off', async () => {
  const config = { openRequests: 1, rateLimits: false };
  const service = await startService('sqlite', { config });
  await service.given.catalogue();
  const token = await service.given.token();
  await service.given.order({ token });
  await service.given.order({ token });
});
