import { startPostgres } from '../test/support/postgres.js';
import type { BenchOptions } from './options.js';
import { makeService, type ServiceFixture, withFolder } from './service-fixture.js';

const UNITS = 50_000;

/** Seconds of warm-up: V8 has compiled the code of orders after some ten thousand. */
export const warmUp = ({ quick, seconds }: BenchOptions) => (quick ? seconds : 15);

/** Runs `use` on each requested engine, with a temporary durable database. */
export async function onEachEngine<T>(
  options: BenchOptions,
  use: (engine: 'SQLite' | 'PostgreSQL', fixture: ServiceFixture) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  if (options.engine !== 'postgres') {
    await withFolder(async (folder) => {
      const fixture = await makeService(folder, UNITS, options.postcodes);
      results.push(await use('SQLite', fixture));
    });
  }
  if (options.engine === 'sqlite') return results;
  await withFolder(async (folder) => {
    const own =
      options.databaseUrl === undefined ? await startPostgres({ durable: true }) : undefined;
    try {
      const url = options.databaseUrl ?? own!.url;
      const fixture = await makeService(folder, UNITS, options.postcodes, url);
      results.push(await use('PostgreSQL', fixture));
    } finally {
      await own?.stop();
    }
  });
  return results;
}
