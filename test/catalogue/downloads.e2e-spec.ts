import { beforeAll, expect, it } from '@jest/globals';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { rows, signedIn } from '../support/admin-pages.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

onOneEngine('downloads of a catalogue version', (engine) => {
  let service: Service;
  let pages: Awaited<ReturnType<typeof signedIn>>;

  beforeAll(async () => {
    service = await startService(engine);
    pages = await signedIn(service);
    await service.given.catalogue();
    await service.given.catalogue({ premises: ['100023336956,EC2A 2BS,Tower,ONNET'] });
  });

  /** The entries since the last call, as who, action and details. */
  let seen = 0;
  const recorded = async () => {
    const all = await service
      .get(Transactions)
      .read((tx) =>
        tx.find(AuditEntry, { where: { subjectType: 'export' }, order: { id: 'ASC' } }),
      );
    const fresh = all.slice(seen);
    seen = all.length;
    return fresh.map(({ actorName, action, details }) => [actorName, action, details]);
  };
  const files = { format: 'zip', filter: { of: 'files', catalogueVersion: 2 } };

  it('are recorded in the audit trail where a program downloads the files', async () => {
    const staff = await service.given.staff({ name: 'Integration', role: 'admin' });
    const token = await service.given.token({ staff });
    const { status } = await service.http.get('/catalogue/versions/2/files', { token });
    expect([status, await recorded()]).toEqual([
      200,
      [
        ['Integration', 'began', files],
        ['Integration', 'ended', { complete: true }],
      ],
    ]);
  });

  it('are recorded where a person downloads the files or the changes', async () => {
    const name = 'Ada Admin';
    await pages.admin.get('/staff/catalogue/versions/2/files');
    await pages.admin.get('/staff/catalogue/versions/2/changes.csv');
    const filter = { of: 'changes', catalogueVersion: 2, comparedWith: 2 };
    expect(await recorded()).toEqual([
      [name, 'began', files],
      [name, 'ended', { complete: true }],
      [name, 'began', { format: 'csv', filter }],
      [name, 'ended', { complete: true }],
    ]);
    const trail = await pages.admin.get('/staff/audit?subject=export&action=began');
    expect(rows(trail)[2]?.slice(1)).toEqual([
      'Started',
      'Export',
      name,
      'Format: zip List: files of the catalogue Catalogue version: 2',
    ]);
  });

  it('are of one file, with all its columns where it has no rows', async () => {
    const { admin } = pages;
    const empty = await admin.get('/staff/catalogue/versions/2/files/build_bands.csv');
    expect([empty.status, empty.text, empty.headers['content-disposition']]).toEqual([
      200,
      'zone,to_metres,add_setup,add_lead_time_days,basis,products\n',
      'attachment; filename="build_bands.csv"',
    ]);
    const filter = { of: 'build_bands.csv', catalogueVersion: 2 };
    expect((await recorded())[0]).toEqual(['Ada Admin', 'began', { format: 'csv', filter }]);
    const missing = ['2/files/suppliers', '2/files/..%2Fpackage.json', '9/files/volume.csv'];
    for (const path of missing) {
      expect((await admin.get(`/staff/catalogue/versions/${path}`)).status).toBe(404);
    }
  });

  it('are not recorded of a version that does not exist', async () => {
    const token = await service.given.staffToken('catalogue:write');
    const { status } = await service.http.get('/catalogue/versions/9/files', { token });
    expect([status, await recorded()]).toEqual([404, []]);
  });
});
