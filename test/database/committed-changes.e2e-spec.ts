import { afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { CostsService } from '../../src/catalogue/versions/costs.service.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { RevisionsService } from '../../src/platform/database/revisions.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { priced, priceOf } from '../support/catalogue.js';
import { book, folderWithBook } from '../support/cost-books.js';
import { onBothEngines, type Service, startService } from '../support/service.js';

onBothEngines('a committed change after which the database is unavailable', (engine) => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
  });

  afterEach(() => void jest.restoreAllMocks());

  const failing = () => {
    const gone = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    jest.spyOn(service.get(RevisionsService), 'look').mockRejectedValue(gone);
  };

  it('is reported as done', async () => {
    const client = await service.given.client();
    const staff = await service.given.staff();
    failing();
    const { id } = await service.given.issuedToken({ client });
    const made: Record<string, () => Promise<unknown>> = {
      'a token revoked': () => service.get(TokensService).revoke(id, operator),
      'a client limited': () =>
        service.get(ClientsService).edit(client.id, { ordersPerMinute: 7 }, operator),
      'a client disabled': () => service.get(ClientsService).setEnabled(client.id, false, operator),
      'a person disabled': () => service.get(StaffService).setEnabled(staff.id, false, operator),
    };
    for (const [what, change] of Object.entries(made)) {
      expect([what, await change().then(() => 'made', String)]).toEqual([what, 'made']);
    }
    jest.restoreAllMocks();
    const changed = await service.get(ClientsService).find(client.id);
    expect([changed.enabled, changed.ordersPerMinute]).toEqual([false, 7]);
  });

  it('is reported with the created record', async () => {
    await service.given.catalogue({ prices: ['INT-1G-12,ONNET,standard,560,GBP,90'] });
    failing();
    const version = await service.get(VersionsService).restore(null, { accept: 'test' }, operator);
    expect([version.number, version.state, version.contentOf]).toEqual([3, 'active', 1]);
    jest.restoreAllMocks();
    expect(await service.get(VersionsService).find(3)).toMatchObject(version);
  });
});

onBothEngines('a database that has gone back to an older state', (engine) => {
  const LOOK = '/product-availability/postcode/EC2A2BS';

  it.each([
    [
      'a change that was lost and another with the same number',
      `UPDATE revisions SET mark = 'another' WHERE name = 'access'`,
    ],
    [
      'the loss of a change of other data',
      `UPDATE revisions SET number = number - 1 WHERE name = 'webhooks'`,
    ],
  ])('is loaded again after %s', async (_what, goBack) => {
    const service = await startService(engine);
    await service.given.catalogue();
    const { id, token } = await service.given.issuedToken();
    await service.learnChanges();
    expect((await service.http.get(LOOK, { token })).status).toBe(200);
    await service.get(Transactions).run(async (tx) => {
      await tx.query(`UPDATE access_tokens SET revoked_at = 1 WHERE id = '${id}'`);
      await tx.query(goBack);
    });
    await service.learnChanges();
    expect((await service.http.get(LOOK, { token })).status).toBe(401);
  });

  it('makes the version live that is live there, and then the next one with the lost number', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    const token = await service.given.token();
    await service.given.catalogue(priced('560.00'));
    const prices = [await priceOf(service, token)];
    // A failover loses the publication of version 2.
    await service.get(Transactions).run(async (tx) => {
      await tx.query('DELETE FROM catalogue_versions WHERE number = 2');
      await tx.query(`UPDATE catalogue_versions SET state = 'active' WHERE number = 1`);
      await tx.query(`UPDATE revisions SET number = number - 1 WHERE name = 'catalogue'`);
    });
    await service.learnChanges();
    prices.push(await priceOf(service, token));
    const { version } = await service.given.catalogue(priced('570.00'));
    prices.push(await priceOf(service, token));
    expect([version, ...prices]).toEqual([2, 560, 550, 570]);
  });

  it('has no catalogue, and says so, after it has lost the first publication', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    const token = await service.given.token();
    await service.get(Transactions).run(async (tx) => {
      await tx.query('DELETE FROM catalogue_versions');
      await tx.query(`UPDATE revisions SET number = number - 1 WHERE name = 'catalogue'`);
    });
    await service.learnChanges();
    const { body } = await service.http.get('/health/ready');
    expect(body).toMatchObject({ status: 'not ready', catalogue: false, catalogueVersion: null });
    expect(await service.http.get(LOOK, { token })).toMatchObject({
      status: 503,
      body: { code: 'unavailable', detail: 'No catalogue has been loaded yet.' },
    });
    await service.given.catalogue(priced('560.00'));
    expect(await priceOf(service, token)).toBe(560);
  });

  it('has the costs of the version that is there, not of a lost one with the same number', async () => {
    const service = await startService(engine);
    const add = async (folder: string) =>
      service.get(ImportService).importFiles(folder, {
        ...{ label: 'test', actor: operator, activate: true, accept: 'test' },
      });
    await add(await folderWithBook());
    const costOf = async (version: number) => {
      const sold = { productCode: 'INT-100M-12', zone: 'pxc:CITY', priceList: 'standard' };
      return (await service.get(CostsService).of(version, [sold]))[0]!.costMinor;
    };
    const costs = [await costOf(1)];
    const dearer = { ...book, 'costs.csv': book['costs.csv'].replace('CITY,100,', 'CITY,110,') };
    await add(await folderWithBook(25, {}, dearer));
    // Version 1 was lost, and another instance has published another one.
    await service.get(Transactions).run(async (tx) => {
      const second = 'SELECT source_hash FROM catalogue_versions WHERE number = 2';
      const [{ source_hash: hash }] = await tx.query<[{ source_hash: string }]>(second);
      await tx.query(`UPDATE catalogue_versions SET source_hash = '${hash}' WHERE number = 1`);
    });
    costs.push(await costOf(1));
    expect(costs).toEqual([10_000, 11_000]);
  });

  it('loads another content of the same version', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    const token = await service.given.token();
    await service.given.catalogue(priced('560.00'));
    // Version 2 was lost, and another instance has published another one.
    await service.get(Transactions).run(async (tx) => {
      const first = 'SELECT content_hash FROM catalogue_versions WHERE number = 1';
      const [{ content_hash: hash }] = await tx.query<[{ content_hash: string }]>(first);
      await tx.query(`UPDATE catalogue_versions SET content_hash = '${hash}' WHERE number = 2`);
      await tx.query(`UPDATE revisions SET mark = 'another' WHERE name = 'catalogue'`);
    });
    await service.learnChanges();
    expect(await priceOf(service, token)).toBe(550);
  });
});
