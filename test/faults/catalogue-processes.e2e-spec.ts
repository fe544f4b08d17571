import { expect, it, describe } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { In } from 'typeorm';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { CheckCodes } from '../../src/availability/check-numbers.js';
import { CheckRow } from '../../src/availability/check.entity.js';
import type { ImportView, VersionView } from '../../src/catalogue/catalogue.dto.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { RevisionsService } from '../../src/platform/database/revisions.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { folderOf, until } from '../support/catalogue.js';
import { upload } from '../support/catalogue-form.js';
import { newDatabase } from '../support/databases.js';
import type { CatalogueRows } from '../support/given.js';
import { Http, type Reply } from '../support/http.js';
import { endOf, startCommand, startProcess } from '../support/instances.js';
import { isUnavailable } from '../support/problems.js';
import { onBothEngines, startService } from '../support/service.js';

/** Moments at which the import is killed, spread over its time; `CATALOGUE_KILLS=20` for more. */
const KILLS = Number(process.env.CATALOGUE_KILLS ?? 3);
/** Activations, each followed by a restore, while three processes serve; `CATALOGUE_ROUNDS=10`. */
const ROUNDS = Number(process.env.CATALOGUE_ROUNDS ?? 2);

const zones = Array.from({ length: 100 }, (_, i) => `Z${i}`);
const products = Array.from({ length: 20 }, (_, i) => `P-${i},Product ${i},1,10,${i + 1}`);

/** All prices of a version are equal, which reveals a response made from two versions. */
function catalogueAt(price: number): CatalogueRows {
  return {
    products,
    prices: products.flatMap((_, i) =>
      zones.map((zone) => `P-${i},${zone},standard,${price},GBP,10`),
    ),
    coverage: [
      'EC2A,Z0',
      ...zones
        .slice(1)
        .map((zone, i) => `N1 ${i % 10}${'ABDEFGHJLN'[Math.floor(i / 10)]}A,${zone}`),
    ],
  };
}

/** On a busy machine a change may time out; then it is retried. */
async function untilAvailable<T>(change: () => Promise<Reply<T>>): Promise<Reply<T>> {
  for (;;) {
    const reply = await change();
    if (!isUnavailable(reply)) return reply;
    await pause(50);
  }
}

onBothEngines('an import that is killed', (engine) => {
  it(`at ${KILLS} moments leaves a whole version serving, and the next import works`, async () => {
    const database = await newDatabase(engine);
    const service = await startService(engine, { database });
    let price = 100;
    await service.given.catalogue(catalogueAt(price));
    const command = (folder: string) =>
      startCommand(database, 'catalogue', 'import', folder, '--activate', '--yes', 'test');
    const serves = async () => {
      await service.get(RevisionsService).look();
      const { content } = service.get(CatalogueService).current;
      const prices = new Set(content.prices.map(({ amountMinor }) => amountMinor / 100));
      const versions = await service.get(VersionsService).list();
      expect(versions.filter(({ state }) => state === 'active')).toHaveLength(1);
      expect([prices.size, content.prices.length]).toEqual([1, 2_000]);
      return [...prices][0];
    };

    const started = performance.now();
    expect(await endOf(command(await folderOf(catalogueAt(++price))))).toBe(0);
    const wholeTime = performance.now() - started;
    expect(await serves()).toBe(price);

    let killed = 0;
    for (let i = 0; i < KILLS; i++) {
      const before = price;
      const child = command(await folderOf(catalogueAt(++price)));
      await pause((wholeTime * (i + 0.5)) / KILLS);
      child.kill('SIGKILL');
      if ((await endOf(child)) === null) killed += 1;
      const now = await serves();
      // After a kill that follows the commit, the complete new version serves.
      expect([before, price]).toContain(now);
      price = Math.max(price, before);
      if (now === before) price = before;
    }
    expect(killed).toBeGreaterThan(0);
    expect(await endOf(command(await folderOf(catalogueAt(++price))))).toBe(0);
    expect(await serves()).toBe(price);
  }, 180_000);
});

describe('three processes on one PostgreSQL', () => {
  it('answer from one version at a time, never go back, and fail no request', async () => {
    const database = await newDatabase('postgres');
    const service = await startService('postgres', { database });
    await service.given.catalogue(catalogueAt(100));
    const client = await service.given.token({ days: 3_650 });
    const admin = await service.given.staff({ role: 'admin' });
    const staff = await service.given.token({ staff: admin, days: 3_650 });
    const processes = await Promise.all([1, 2, 3].map(() => startProcess(database)));

    let serving = true;
    const connections = processes.flatMap(({ port }) => [new Http(port), new Http(port)]);
    const asking = connections.map(async (http) => {
      const ids: string[] = [];
      for (let last = false; !last;) {
        // One more after the end, so that each process answers from the last version.
        last = !serving;
        const path = '/product-availability/postcode/EC2A%202BS';
        const { status, body } = await http.get<AvailabilityResult>(path, { token: client });
        const prices = new Set(body.availableProducts?.map(({ price }) => price));
        if (status !== 200 || prices.size !== 1 || body.availableProducts.length !== 20) {
          throw new Error(`A broken answer, ${status}: ${JSON.stringify(body).slice(0, 500)}`);
        }
        ids.push(body.id);
        await pause(2);
      }
      return ids;
    });
    const [first, second] = processes;
    for (let round = 1; round <= ROUNDS; round++) {
      const [activated, restored] = await Promise.all([
        untilAvailable(() =>
          upload<ImportView>(first!, staff, catalogueAt(100 + round), {
            then: 'activate',
            accept: 'test',
          }),
        ),
        pause(150).then(() =>
          untilAvailable(() =>
            second!.post<VersionView>(
              '/catalogue/versions/1/activation',
              { accept: 'test' },
              { token: staff },
            ),
          ),
        ),
      ]);
      // The two may run at once; then one of them is refused.
      expect([201, 409]).toContain(activated.status);
      expect([200, 409]).toContain(restored.status);
      await pause(300);
    }
    const active = (await service.get(VersionsService).list()).find((v) => v.state === 'active');
    const numbers = () =>
      Promise.all(
        processes.map(
          async (http) =>
            (await http.get<{ catalogueVersion: number }>('/health/ready')).body.catalogueVersion,
        ),
      );
    const haveAgreed = async () => (await numbers()).every((number) => number === active!.number);
    await until(haveAgreed, 10);
    serving = false;
    const asked = await Promise.all(asking);
    for (const http of connections) http.close();

    expect(await numbers()).toEqual(processes.map(() => active!.number));
    for (const ids of asked) {
      const codes = service.get(CheckCodes);
      const numbers = ids.map((id) => codes.numberOf(id));
      const recorded = () =>
        service.get(Transactions).read((tx) => tx.findBy(CheckRow, { number: In(numbers) }));
      // The processes write them a moment later.
      await until(async () => (await recorded()).length === ids.length, 10);
      const rows = await recorded();
      const versionOf = new Map(
        rows.map((row) => [codes.codeOf(row.number), row.catalogueVersion]),
      );
      const seen = ids.flatMap((id) => versionOf.get(id) ?? []);
      expect(seen.length).toBeGreaterThan(20);
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      expect(new Set(seen).size).toBeGreaterThan(1);
    }
  });
});
