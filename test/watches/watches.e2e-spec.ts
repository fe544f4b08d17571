import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { AuditService, operator } from '../../src/platform/audit/audit.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { addRows } from '../../src/platform/database/engine/rows.js';
import { newId } from '../../src/platform/database/new-id.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { parsePostcode, Postcode } from '../../src/platform/kernel/postcode.js';
import { emailOf } from '../../src/platform/notifications/messages/email-kinds.service.js';
import { watchServed } from '../../src/watches/watch-emails.js';
import { OutboxMessage } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { RetentionService } from '../../src/platform/retention/retention.service.js';
import { OperatorWatchesService } from '../../src/watches/operator-watches.service.js';
import { Watch } from '../../src/watches/watch.entity.js';
import { WatchDemandService } from '../../src/watches/watch-demand.service.js';
import { WatchEvaluationService } from '../../src/watches/watch-evaluation.service.js';
import { WatchTargetService } from '../../src/watches/watch-target.service.js';
import type { ClientWatch, ClientWatchPage } from '../../src/watches/watches.dto.js';
import { folderOf } from '../support/catalogue.js';
import { type DatabaseSettings, newDatabase } from '../support/databases.js';
import type { CatalogueRows } from '../support/given.js';
import { Integrator } from '../support/integrator.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';

const path = '/product-availability/watch';
/** Not covered by the small catalogue. */
const PLACE = `${path}/LS1%204AP`;

const covering = (...places: string[]): CatalogueRows => ({
  coverage: ['EC2A,ONNET', ...places.map((place) => `${place},ONNET`)],
});

interface Sent {
  readonly type: string;
  readonly data: {
    readonly places: readonly { readonly watchId: string; readonly postcode: string }[];
    readonly test?: true;
  };
}

onBothEngines('watches', (engine) => {
  const rule = ruleOn(engine);
  let database: DatabaseSettings;
  let service: Service;
  let other: Service;
  let client: Integrator;

  beforeAll(async () => {
    const config = {
      rateLimits: false,
      webhookKey: randomBytes(32),
      webhookNetworks: ['127.0.0.0/8'],
      smtp: readSmtpUrl('smtp://localhost:9') ?? null,
      mailFrom: { name: 'Orders', address: 'orders@operator.example' },
    };
    database = await newDatabase(engine);
    service = await startService(engine, { database, config });
    other = await startService(engine, { database, config, clock: service.clock });
  });

  beforeEach(async () => {
    client = await Integrator.at(service);
    for (const isTest of [false, true]) {
      const owner = { clientId: client.client.id, isTest };
      await service.get(WebhooksService).add('http://127.0.0.1:9/hook', owner, operator);
    }
    await publish();
  });

  const put = (at: string, body: object = {}, token = client.live, to = service) =>
    to.http.send<ClientWatch & { code?: string }>({
      method: 'PUT',
      path: at,
      token,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const putMany = (places: object[]) =>
    service.http.post<{ results: (ClientWatch & { code?: string })[] }>(
      '/product-availability/watches',
      { places },
      { token: client.live },
    );
  const read = async (at = PLACE, token = client.live) =>
    (await service.http.get<ClientWatch>(at, { token })).body;
  const list = async (query: string) =>
    (await service.http.get<ClientWatchPage>(`${path}?${query}`, { token: client.live })).body;
  const remove = (at: string, token: string) =>
    service.http.send<ClientWatch>({ method: 'DELETE', path: at, token });
  const evaluate = (by = service) => by.get(WatchEvaluationService).evaluate();
  const publish = async (rows: CatalogueRows = {}) => {
    const { version } = await service.given.catalogue(rows);
    await evaluate();
    return version;
  };

  const draft = async (rows: CatalogueRows) => {
    const options = { label: 'draft', actor: operator, accept: 'test' };
    const { version } = await service.get(ImportService).importFiles(await folderOf(rows), options);
    return version!;
  };

  /** The bodies of the client's messages, oldest first. */
  async function sent(): Promise<Sent[]> {
    const ids = await service.get(Transactions).read((tx) =>
      tx.query<{ body: string }[]>(
        `SELECT m.body FROM outbox_messages m JOIN webhook_endpoints e ON e.id = m.endpoint_id
         WHERE e.client_id = '${client.client.id}' AND m.kind = 'watch.served' ORDER BY m.id`,
      ),
    );
    return ids.map(({ body }) => JSON.parse(body) as Sent);
  }
  const sentPlaces = async () =>
    (await sent()).map(({ data }) => data.places.map(({ postcode }) => postcode));

  rule('are put once, read, changed and deleted by their own client only', async () => {
    const first = await put(`${path}/ls14ap`, { reference: 'R1', minBandwidth: 1 });
    expect([first.status, first.headers.location]).toEqual([201, PLACE]);
    expect(first.body).toEqual({
      watchId: expect.any(String),
      postcode: 'LS1 4AP',
      uprn: null,
      reference: 'R1',
      minBandwidth: 1,
      maxPrice: null,
      includeBuild: false,
      state: 'open',
      createdAt: service.clock.now().toISOString(),
      endsAt: new Date(service.clock.now().getTime() + 365 * 86_400_000).toISOString(),
      servedAt: null,
    });
    const again = await put(PLACE, { maxPrice: 12.5 });
    const expected = { ...first.body, reference: null, minBandwidth: null, maxPrice: 12.5 };
    expect([again.status, again.body]).toEqual([200, expected]);
    expect(await read()).toEqual(expected);
    const premises = await put(PLACE, { uprn: '000100023336' });
    expect([premises.status, premises.body.uprn]).toEqual([201, '100023336']);

    const stranger = await service.given.token();
    for (const token of [stranger, client.test]) {
      expect((await service.http.get(PLACE, { token })).status).toBe(404);
      expect((await remove(PLACE, token)).status).toBe(404);
    }
    expect((await remove(PLACE, client.live)).body).toEqual(expected);
    expect((await service.http.get(PLACE, { token: client.live })).status).toBe(404);
    expect(await read(`${PLACE}?uprn=100023336`)).toEqual(premises.body);
  });

  it('are served at once, without a message, where the condition is met already', async () => {
    const { status, body } = await put(`${path}/EC2A%202BS`);
    expect([status, body.state, body.endsAt]).toEqual([201, 'served', null]);
    service.clock.advance({ minutes: 1 });
    expect((await put(`${path}/EC2A%202BS`)).body).toEqual(body);
    await publish(covering('LS1'));
    expect(await sent()).toEqual([]);
    expect((await put(`${path}/EC2A%202BS`, { maxPrice: 1 })).body.state).toBe('open');
  });

  it('fire once, whatever is published or restored, by however many instances', async () => {
    const bare = await publish(covering());
    await put(PLACE, { reference: 'R1' });
    await put(`${path}/LS1%204AB`, { minBandwidth: 2 });
    await put(`${path}/LS1%204AD`, { maxPrice: 208 });
    await put(`${path}/LS1%204AE`, { maxPrice: 207.99 });
    const neighbour = await Integrator.at(service);
    await put(PLACE, {}, neighbour.live);
    await evaluate();
    expect([await sent(), (await read()).state]).toEqual([[], 'open']);

    await service.given.catalogue(covering('LS1'));
    await other.learnChanges();
    await Promise.all([evaluate(), evaluate(other), evaluate(other)]);
    const { watchId } = await read();
    expect(await sent()).toEqual([
      {
        type: 'watch.served',
        timestamp: service.clock.now().toISOString(),
        data: {
          places: [
            expect.objectContaining({ postcode: 'LS1 4AD' }),
            { watchId, postcode: 'LS1 4AP', uprn: null, reference: 'R1' },
          ],
        },
      },
    ]);
    const served = { state: 'served', servedAt: service.clock.now().toISOString() };
    expect(await read()).toMatchObject(served);
    expect(await read(PLACE, neighbour.live)).toMatchObject(served);

    for (const back of [bare, null]) {
      await service.get(VersionsService).restore(back, { accept: 'test' }, operator);
      await Promise.all([evaluate(), evaluate(other)]);
    }
    await publish(covering('LS1', 'LS2'));
    expect(await sent()).toHaveLength(1);

    await publish(covering());
    const again = await put(PLACE);
    expect([again.status, again.body.state]).toEqual([201, 'open']);
    expect(again.body.watchId).not.toBe(watchId);
    await publish(covering('LS1'));
    expect(await sentPlaces()).toEqual([['LS1 4AD', 'LS1 4AP'], ['LS1 4AP']]);
  });

  rule('fire on the ready date of a zone', async () => {
    const now = service.clock.now().getTime();
    const ready = new Date(now + 3 * 86_400_000).toISOString().slice(0, 10);
    const zones = [`LATER,Later,,${ready},`];
    const prices = ['INT-1G-12,LATER,standard,550.00,GBP,84', 'INT-1G-12,ONNET,standard,1,GBP,1'];
    await publish({ coverage: ['LS1,LATER', 'EC2A,ONNET'], zones, prices });
    await put(PLACE);
    await evaluate();
    service.clock.advance({ days: 2 });
    await evaluate();
    expect(await sent()).toEqual([]);
    service.clock.advance({ days: 1 });
    await Promise.all([evaluate(), evaluate(other)]);
    expect(await sentPlaces()).toEqual([['LS1 4AP']]);
  });

  it('fire after a crash between the switch and the evaluation, and in the middle of it', async () => {
    await put(PLACE);
    await service.given.catalogue(covering('LS1'));
    // This instance has begun, and is never heard of again.
    expect(await service.get(WatchTargetService).begin()).not.toBeNull();
    await other.learnChanges();
    await evaluate(other);
    expect(await sent()).toEqual([]);
    service.clock.advance({ seconds: 31 });
    await evaluate(other);
    expect(await sentPlaces()).toEqual([['LS1 4AP']]);

    await put(`${path}/LS2%207AA`);
    await service.given.catalogue(covering('LS1', 'LS2'));
    await evaluate(await startService(engine, { database, clock: service.clock }));
    expect((await read(`${path}/LS2%207AA`)).state).toBe('served');
  });

  it('are not lost where an instance with an older catalogue stores them', async () => {
    await other.learnChanges();
    await publish(covering('LS1'));
    expect((await put(PLACE, {}, client.live, other)).body.state).toBe('served');
    expect(await sent()).toEqual([]);
  });

  it('fire when the client gets a price list that meets their price', async () => {
    await put(`${path}/EC2A%202BS`, { minBandwidth: 1, maxPrice: 400 });
    await service.given.catalogue({
      prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84', 'INT-1G-12,ONNET,partner,399.50,GBP,84'],
    });
    await evaluate();
    expect(await sent()).toEqual([]);
    const clients = service.get(ClientsService);
    await clients.edit(client.client.id, { priceList: 'partner' }, operator);
    await evaluate();
    expect(await sentPlaces()).toEqual([['EC2A 2BS']]);
  });

  rule('are reported in messages of 100 places, in order, and listed by page', async () => {
    const units = [...'ABDEFGHJLN'].flatMap((a) => [...'ABDEFGHJLNP'].map((b) => `LS1 4${a}${b}`));
    const last = units.toReversed().slice(0, 100);
    const { body } = await putMany(last.map((postcode) => ({ postcode })));
    await putMany(units.slice(0, 10).map((postcode) => ({ postcode, minBandwidth: 0.1 })));
    expect(body.results.map(({ postcode }) => postcode)).toEqual(last);
    service.clock.advance({ seconds: 1 });
    await put(`${path}/YO1%207HH`);
    const listed: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: ClientWatchPage = await list(
        `limit=50&state=open${cursor && `&cursor=${cursor}`}`,
      );
      listed.push(...page.items.map(({ postcode }) => postcode));
      cursor = page.nextCursor;
    }
    expect(listed[0]).toBe('YO1 7HH');
    expect(listed.slice(1).sort()).toEqual(units);

    await publish(covering('LS1'));
    expect(await sentPlaces()).toEqual([units.slice(0, 100), units.slice(100)]);
    const { items } = await list('state=open');
    expect(items.map(({ postcode }) => postcode)).toEqual(['YO1 7HH']);
  });

  it('are limited to 10,000 open ones of each client', async () => {
    const first = parsePostcode('LS1 4AA') as Postcode;
    const now = service.clock.now();
    const open = Array.from({ length: 9_998 }, (_, i) => ({
      ...{ id: newId(), clientId: client.client.id, packed: first.packed + i, uprn: 1 },
      ...{ clientReference: null, minBandwidthMbps: 0, maxPriceMilli: null, includeBuild: false },
      ...{ state: 'open' as const, createdAt: now, changedAt: now, batch: null },
    }));
    await service.get(Transactions).run((tx) => addRows(tx, Watch, open));
    const asked = ['LS1 4AA', 'LS1 4AA', 'LS1 4AB', 'LS1 4AE', 'EC2A 2BS', 'LS1 4AA', 'nowhere'];
    const { body } = await putMany(asked.map((postcode) => ({ postcode })));
    const states = body.results.map(({ state, code }) => state ?? code).join(' ');
    expect(states).toBe('open open open watch-limit served open invalid-postcode');
    const refused = await put(`${path}/LS1%204AD`);
    expect([refused.status, refused.body.code]).toEqual([409, 'watch-limit']);
    await put(`${path}/YO1%207HH`, {}, (await Integrator.at(service)).live);
    const waiting = await service.get(WatchDemandService).bySector(client.client.id);
    expect([...waiting.values()].reduce((sum, watches) => sum + watches)).toBe(10_000);
    await remove(`${path}/LS1%204AA`, client.live);
    expect((await put(`${path}/LS1%204AD`)).status).toBe(201);
    await service.get(Transactions).run((tx) => tx.delete(Watch, { clientId: client.client.id }));
  });

  rule('are counted for a draft, which they do not change', async () => {
    await put(PLACE);
    await put(`${path}/LS2%207AA`);
    await service.given.catalogue(covering('LS1'));
    const number = await draft(covering('LS1', 'LS2'));
    const admin = await StaffBrowser.signedIn(service, { role: 'admin' });
    const { text } = await admin.get(`/staff/catalogue/versions/${number}`);
    expect(text).toContain(
      'Serves 2 watched places of 1 API client. Those with a webhook, or with an email address while email is on, are notified at once.',
    );
    expect((await read()).state).toBe('open');
  });

  it('are reported to the contact by email, without those that were deleted since', async () => {
    await put(PLACE, { reference: 'R1' });
    await put(`${path}/LS1%204AB`);
    await publish(covering('LS1'));
    await remove(`${path}/LS1%204AB`, client.live);
    const letter = await service.get(Transactions).read(async (tx) => {
      const { batch } = await tx.findOneByOrFail(Watch, { clientId: client.client.id });
      const message = { kind: 'watch-served', subjectId: batch! };
      expect(await tx.countBy(OutboxMessage, message)).toBe(1);
      return watchServed.facts(tx, batch!);
    });
    const { to, subject, text } = emailOf(watchServed, letter!, service.config);
    expect([to.map(({ address }) => address), subject]).toEqual([
      ['grace@reseller.example'],
      'Now available: LS1 4AP (R1)',
    ]);
    expect(text).toContain('- LS1 4AP (R1)');
  });

  rule('are listed and erased by the operator', async () => {
    await publish(covering());
    await put(PLACE, { reference: 'Ada Lovelace' });
    await put(PLACE, { reference: 'Ada Lovelace', uprn: '100023336' });
    await publish(covering('LS1'));
    const operatorWatches = service.get(OperatorWatchesService);
    const clientId = client.client.id;
    const filter = { clientId, isTest: false };
    const listed = await operatorWatches.list({ ...filter, reference: 'Ada Lovelace' }, 10);
    expect(listed.map(({ client: name, state, uprn }) => [name, state, uprn])).toEqual([
      [client.client.name, 'served', '100023336'],
      [client.client.name, 'served', null],
    ]);
    expect(await operatorWatches.list({ ...filter, state: 'open' }, 10)).toEqual([]);
    const placed = await service.given.order({ token: client.live, reference: 'Ada Lovelace' });
    const { watches } = await service.get(ErasureService).erase(placed.orderId, operator);
    expect(watches.toSorted()).toEqual(listed.map(({ watchId }) => watchId).toSorted());
    for (const id of watches) await operatorWatches.erase(id, operator);
    expect(await read()).toMatchObject({ state: 'served', reference: null });
    expect((await operatorWatches.list(filter, 10)).map(({ uprn }) => uprn)).toEqual([null]);
    expect(JSON.stringify(await sent())).not.toMatch(/Lovelace|100023336/);
    const entries = await service
      .get(AuditService)
      .list({ subjectId: clientId, action: 'watch-erased', limit: 10 });
    expect(entries.map(({ details }) => details?.watchId).toSorted()).toEqual(watches.toSorted());
    await expect(operatorWatches.erase('nonsense', operator)).rejects.toThrow(
      'no watch "nonsense"',
    );
  });

  rule('wait in the sandbox until they are advanced', async () => {
    const planned = `${path}/ZZ99%201AN`;
    expect((await put(`${path}/ZZ99%201AA`, {}, client.test)).body.state).toBe('served');
    expect((await put(planned, {}, client.test)).body.state).toBe('open');
    await publish(covering('LS1'));
    const address = '/product-availability/test/watch/ZZ99%201AN/advance';
    const advance = (token: string) =>
      service.http.post<ClientWatch>(address, undefined, { token });
    expect((await advance(client.live)).status).toBe(400);
    const replies = await Promise.all(Array.from({ length: 6 }, () => advance(client.test)));
    const served = replies.filter(({ status }) => status === 200);
    expect(served.map(({ body }) => body.state)).toEqual(['served']);
    expect((await advance(client.test)).status).toBe(404);
    expect(await sent()).toEqual([
      expect.objectContaining({ data: { places: [expect.anything()], test: true } }),
    ]);
  });

  it('are refused in the sandbox where it simulates an outage or a limit', async () => {
    const statuses = ['ZZ99 1AF', 'ZZ99 1AG'].map(
      async (place) => (await put(`${path}/${encodeURIComponent(place)}`, {}, client.test)).status,
    );
    expect(await Promise.all(statuses)).toEqual([503, 429]);
  });

  it('end after a year, and are deleted 90 days after their end', async () => {
    await put(PLACE);
    const prune = () => service.get(RetentionService).prune();
    service.clock.advance({ days: 364 });
    await prune();
    expect((await read()).state).toBe('open');
    service.clock.advance({ days: 1 });
    await prune();
    const { state, endsAt } = await read();
    expect([state, endsAt]).toEqual(['ended', service.clock.now().toISOString()]);
    await publish(covering('LS1'));
    expect(await sent()).toEqual([]);
    service.clock.advance({ days: 89 });
    await prune();
    expect((await read()).state).toBe('ended');
    service.clock.advance({ days: 1 });
    await prune();
    expect((await service.http.get(PLACE, { token: client.live })).status).toBe(404);
  });
});
