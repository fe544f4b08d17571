import { expect, it } from '@jest/globals';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { folderOf } from '../support/catalogue.js';
import { newFolder } from '../support/closing.js';
import { cli, startProcess } from '../support/service-process.js';

/** The permissions of everything in the folder that others than its owner have. */
async function openFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  expect(names.length).toBeGreaterThan(0);
  const found = await Promise.all(
    names.map(async (name) => {
      const mode = (await stat(join(folder, name))).mode & 0o777;
      return (mode & 0o077) === 0 ? [] : [`${name} ${mode.toString(8)}`];
    }),
  );
  return found.flat();
}

it('the service and its commands create files that only their owner can read', async () => {
  const under = ['sh', '-c', 'umask 022; exec "$@"', 'sh'];
  const folder = await newFolder();
  const database = { sqliteFile: join(folder, 'data', 'service.sqlite'), databaseUrl: null };
  const imported = await cli(database, ['catalogue', 'import', await folderOf({})], { under });
  expect([imported.code, imported.output]).toEqual([0, expect.any(String)]);
  const { service, http } = await startProcess(database, {
    under,
    environment: { OPS_PORT: 'off' },
  });
  expect((await http.get('/health/ready')).status).toBe(200);
  const exported = join(folder, 'exported');
  const saved = await cli(database, ['catalogue', 'export', exported], { under });
  expect([saved.code, saved.output]).toEqual([0, expect.any(String)]);
  expect(await openFiles(folder)).toEqual([]);
  http.close();
  await service.stop();
});
