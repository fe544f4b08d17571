import { beforeAll, expect, it } from '@jest/globals';
import { CoverageNotice } from '../../src/coverage-sync/coverage-notice.entity.js';
import { CoverageNewsService } from '../../src/coverage-sync/coverage-news.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { DatabaseSecret } from '../../src/platform/database/database-secret.entity.js';
import { Revision } from '../../src/platform/database/revision.entity.js';
import { OutboxMessage } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { FaultInjector } from '../support/fault-injector.js';
import type { Reply } from '../support/http.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

const PATH = '/product-availability/coverage';

type Row = Readonly<Record<string, string | number | boolean | null>>;

onOneEngine('the webhook about coverage', (engine) => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine, {
      config: { webhookKey: Buffer.alloc(32), webhookNetworks: ['127.0.0.0/8'], rateLimits: false },
    });
    await service.given.catalogue();
  });

  const get = (path = '') => service.http.get(`${PATH}${path}`, { token });
  const versionIn = ({ headers }: Reply<unknown>) => /^W\/"(.*)"$/.exec(headers.etag!)![1]!;
  const rowsOf = ({ text }: Reply<unknown>) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
  const messages = async (clientId: string) => {
    const all = await service
      .get(Transactions)
      .read((tx) => tx.findBy(OutboxMessage, { subjectId: clientId }));
    return all
      .filter(({ kind }) => kind === 'coverage.changed')
      .map(({ body }) => (JSON.parse(body!) as { data: Row }).data);
  };
  const hook = (clientId: string, isTest: boolean) =>
    service.get(WebhooksService).add('http://127.0.0.1:9/', { clientId, isTest }, operator);

  it('reports each version once, and not to who lacks the scope', async () => {
    const { given } = service;
    const [client, other] = [await given.client(), await given.client()];
    token = await given.token({ client, scopes: ['coverage:read'] });
    await given.token({ client: other, scopes: ['availability:read'] });
    for (const { id } of [client, other]) await hook(id, false);
    const news = service.get(CoverageNewsService);
    await news.tell();
    await Promise.all([news.tell(), news.tell()]);
    await given.catalogue({ coverage: ['EC2A,ONNET', 'EC2A 2BX,-'] });
    await Promise.all([news.tell(), news.tell()]);
    const told = await messages(client.id);
    expect([told.length, told.at(-1)]).toEqual([2, { version: versionIn(await get()) }]);
    expect(await messages(other.id)).toEqual([]);
  });

  it('is not sent by an instance whose catalogue is older than what was reported', async () => {
    const client = await service.given.client();
    token = await service.given.token({ client, scopes: ['coverage:read'] });
    await hook(client.id, false);
    const news = service.get(CoverageNewsService);
    await news.tell();
    const newer = { version: 'newer', catalogueVersion: 1_000_000 };
    const transactions = service.get(Transactions);
    await transactions.run((tx) => tx.update(CoverageNotice, { clientId: client.id }, newer));
    await news.tell();
    expect(await messages(client.id)).toHaveLength(1);
  });

  it('is not sent by an instance that has not loaded the latest postcode register', async () => {
    const client = await service.given.client();
    token = await service.given.token({ client, scopes: ['coverage:read'] });
    await hook(client.id, false);
    const news = service.get(CoverageNewsService);
    const transactions = service.get(Transactions);
    await news.tell();
    const seen = { version: 'by the new register' };
    await transactions.run((tx) => tx.update(CoverageNotice, { clientId: client.id }, seen));
    const move = (by: number) =>
      transactions.run((tx) => tx.increment(Revision, { name: 'register' }, 'number', by));
    await move(1);
    await news.tell();
    await move(-1);
    expect(await messages(client.id)).toHaveLength(1);
    await news.tell();
    expect(await messages(client.id)).toHaveLength(2);
  });

  it('is stored with the version that it reports, or neither is', async () => {
    const injector = new FaultInjector(service);
    const news = service.get(CoverageNewsService);
    await news.tell();
    let failed = 0;
    do {
      const client = await service.given.client();
      await service.given.token({ client, scopes: ['coverage:read'] });
      await hook(client.id, false);
      injector.arm(failed + 1, 'fails');
      // Otherwise it has struck a job in the background, or nothing.
      await news.tell().catch(() => (failed += 1));
      injector.disarm();
      // The next run reports what the failed one has not.
      await news.tell();
      expect(await messages(client.id)).toHaveLength(1);
    } while (injector.struck);
    // The notices are read, and a notice and a message are written.
    expect(failed).toBeGreaterThan(2);
  });

  it('has its version after a first attempt that could not read the key of its names', async () => {
    const apart = await startService(engine, { config: { rateLimits: false } });
    await apart.given.catalogue();
    const bearer = await apart.given.token({ scopes: ['coverage:read'] });
    const rename = (name: string, to: string) =>
      apart.get(Transactions).run((tx) => tx.update(DatabaseSecret, { name }, { name: to }));
    const status = async () => (await apart.http.get(PATH, { token: bearer })).status;
    await rename('check-codes', 'elsewhere');
    expect(await status()).toBe(500);
    await rename('elsewhere', 'check-codes');
    expect(await status()).toBe(200);
  });

  it('is sent in the sandbox when it is advanced there and back', async () => {
    const client = await service.given.client();
    token = await service.given.token({ client, kind: 'test', scopes: ['coverage:read'] });
    await hook(client.id, true);
    const first = await get();
    // As its checks, for every client with the places that are priced by distance.
    const places = rowsOf(first).map(({ place, band }) => `${String(place)} ${band ?? ''}`);
    expect(places).toEqual(expect.arrayContaining(['ZZ99 1AA ', 'ZZ99 1BF 500']));
    const advance = () =>
      service.http.post<{ version: string }>(
        `${PATH.replace('coverage', 'test/coverage')}/advance`,
        {},
        { token },
      );
    const { status, body } = await advance();
    const changes = rowsOf(await get(`/changes?since=${versionIn(first)}`));
    expect([status, changes.at(-1)!.version, changes.map(({ op }) => op)]).toEqual([
      200,
      body.version,
      // Three products in the zone, and in each of three bands around it.
      [...Array<string>(12).fill('put'), undefined],
    ]);
    expect((await advance()).body.version).toBe(versionIn(first));
    expect(await messages(client.id)).toEqual([
      { test: true, version: body.version },
      { test: true, version: versionIn(first) },
    ]);
    const injector = new FaultInjector(service);
    for (let n = 1, failed = true; failed; n++) {
      injector.arm(n, 'fails');
      failed = (await advance()).status !== 200;
      injector.disarm();
      // The answer says whether it has advanced.
      const isFirst = versionIn(await get()) === versionIn(first);
      expect([failed, isFirst]).toEqual([injector.struck, injector.struck]);
    }
    token = await service.given.token({ scopes: ['coverage:read'] });
    expect((await advance()).status).toBe(404);
  });
});
