import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { UncountedChecks } from '../../src/availability/check-day.entity.js';
import { CheckDaysService } from '../../src/availability/check-days.service.js';
import { ChecksService } from '../../src/availability/checks.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { RetentionService } from '../../src/platform/retention/retention.service.js';
import { checkDays, countedRows, total } from '../support/check-days.js';
import { type DatabaseSettings, type Engine, newDatabase } from '../support/databases.js';
import { FaultInjector } from '../support/fault-injector.js';
import { Ledger } from '../support/ledger.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';

const HOUR = 3_600_000;
const clients = ['0198f7a0-1111-7000-8000-000000000001', '0198f7a0-1111-7000-8000-000000000002'];
const staff = '0198f7a0-2222-7000-8000-000000000002';
const postcodes = ['EC2A 2BS', 'EC2A 2BR', 'EC2A 9ZZ', 'N1 1AA', 'N1C 4AG', 'AB10 1AA', 'B1 1AA'];

/** Records checks over four days around the end of summer time, some of them by staff. */
function record(
  service: Service,
  count: number,
  postcodeOf = (n: number) => postcodes[n % postcodes.length]!,
): void {
  const from = Date.parse('2026-10-23T12:00:00Z');
  for (let n = 0; n < count; n += 1) {
    service.get(ChecksService).record({
      clientId: clients[n % 2]!,
      postcode: postcodeOf(n),
      uprn: null,
      priceList: 'standard',
      catalogueVersion: 1,
      productCount: n % 3,
      near: null,
      checkedAt: new Date(from + Math.floor((n * 96 * HOUR) / count)),
      staffId: n % 5 === 0 ? staff : null,
    });
  }
}

onBothEngines('The daily counts of checks', (engine: Engine) => {
  const rule = ruleOn(engine);
  let database: DatabaseSettings;
  let service: Service;
  let recorded = 0;

  const count = () => service.get(CheckDaysService).countNew();
  const recordMore = (checks: number) => {
    record(service, checks);
    recorded += checks;
  };
  const expectEqual = async () => {
    const counts = await checkDays(database);
    expect(counts).toEqual(await countedRows(database));
    expect(total(counts)).toBe(recorded);
  };

  beforeAll(async () => {
    database = await newDatabase(engine);
    service = await startService(engine, { database });
  });

  it('equal a count of the rows, by day in London, sector, client and outcome', async () => {
    recordMore(3_000);
    await service.flushChecks();
    await count();
    await expectEqual();
    const days = new Set(Object.keys(await checkDays(database)).map((key) => key.slice(0, 10)));
    expect(days.size).toBe(5);
    expect(await new Ledger(database).count('uncounted_checks')).toBe(0);
  });

  it('stay equal to it after more checks of the same days and concurrent counts', async () => {
    recordMore(500);
    await service.flushChecks();
    recordMore(500);
    await Promise.all([count(), service.flushChecks(), count(), count()]);
    await count();
    await expectEqual();
  });

  it('stay equal to it when a stored write is repeated after a lost answer', async () => {
    const injector = new FaultInjector(service);
    recordMore(300);
    injector.arm(engine === 'sqlite' ? 1 : 3, 'answer lost');
    await service.flushChecks();
    expect(injector.struck).toBe(true);
    await count();
    await service.flushChecks();
    await count();
    await expectEqual();
  });

  it('stay equal to it when any statement of a count fails', async () => {
    const injector = new FaultInjector(service);
    let failed = 0;
    for (let n = 1; n <= 8; n += 1) {
      recordMore(50);
      await service.flushChecks();
      injector.arm(n, 'fails');
      await count().catch(() => (failed += 1));
      injector.disarm();
    }
    expect(failed).toBeGreaterThan(3);
    await count();
    await expectEqual();
  });

  it('stay equal to it after a process ended before counting', async () => {
    recordMore(200);
    await service.close();
    const left = await new Ledger(database).count('uncounted_checks');
    expect(left).toBeGreaterThan(0);
    service = await startService(engine, { database });
    await count();
    await expectEqual();
  });

  it('need no row that this process has stored', async () => {
    const database = await newDatabase(engine);
    const service = await startService(engine, { database });
    record(service, 3_000);
    await service.flushChecks();
    const rows = await countedRows(database);
    await service.get(Transactions).run((tx) => tx.query('DELETE FROM checks'));
    await service.get(CheckDaysService).countInBackground();
    expect(await checkDays(database)).toEqual(rows);
    expect(await new Ledger(database).count('uncounted_checks')).toBe(0);
  });

  it('leave the checks of a process that ended to the next report', async () => {
    recordMore(200);
    await service.close();
    service = await startService(engine, { database });
    recordMore(100);
    await service.flushChecks();
    await service.get(CheckDaysService).countInBackground();
    expect(await new Ledger(database).count('uncounted_checks')).toBeGreaterThan(0);
    expect(total(await checkDays(database))).toBe(recorded - 200);
    await count();
    await expectEqual();
  });

  rule('are written early when there are many in memory', async () => {
    const database = await newDatabase(engine);
    const service = await startService(engine, { database });
    const exclusive = jest.spyOn(service.get(Transactions), 'runExclusively');
    const outward = (n: number) => `${'ABCDEFGHJK'[n % 10]}${Math.floor(n / 100) % 100}`;
    record(service, 25_000, (n) => `${outward(n)} ${Math.floor(n / 10) % 10}AA`);
    await service.flushChecks();
    await Promise.all(exclusive.mock.results.map(({ value }) => value as Promise<unknown>));
    const counted = total(await checkDays(database));
    expect(counted).toBeGreaterThanOrEqual(20_000);
    await service.get(CheckDaysService).countNew();
    expect(await checkDays(database)).toEqual(await countedRows(database));
  });

  it('are kept when the rows are deleted, until they are old themselves', async () => {
    const database = await newDatabase(engine);
    const service = await startService(engine, { database });
    record(service, 3_000);
    await service.flushChecks();
    const now = Date.parse('2026-10-25T00:30:00Z') + 60 * 24 * HOUR;
    service.clock.advance({ milliseconds: now - service.clock.now().getTime() });
    const { checks = 0, ...others } = await service.get(RetentionService).prune();
    const rows = await countedRows(database);
    expect([checks > 1_000, others, total(rows) + checks]).toEqual([true, {}, 3_000]);
    const counts = await checkDays(database);
    expect(total(counts)).toBe(3_000);
    // The days of which all rows are there are still equal; one is left in part.
    const whole = (all: Record<string, number>) =>
      Object.entries(all).filter(([key]) => key > '2026-10-26');
    expect(whole(counts)).toEqual(whole(rows));
    expect(whole(counts).length).toBeGreaterThan(20);

    const later = Date.parse('2026-10-25T12:00:00Z') + 400 * 24 * HOUR;
    service.clock.advance({ milliseconds: later - service.clock.now().getTime() });
    const before = Object.keys(await checkDays(database)).length;
    const pruned = await service.get(RetentionService).prune();
    const deleted = pruned['daily counts of checks'] ?? 0;
    const left = Object.keys(await checkDays(database));
    expect(left.map((key) => key.slice(0, 10)).sort()[0]).toBe('2026-10-25');
    expect([deleted > 0, left.length]).toEqual([true, before - deleted]);
  });
});

onBothEngines('Old daily counts of checks', (engine: Engine) => {
  it('are deleted from the oldest day on, some at a time by one statement', async () => {
    const database = await newDatabase(engine);
    const service = await startService(engine, { database });
    record(service, 1_000);
    await service.flushChecks();
    const days = service.get(CheckDaysService);
    await days.countNew();
    const all = Object.keys(await checkDays(database)).sort();
    const old = all.filter((key) => key < '2026-10-25');
    const statements: number[] = [];
    const prune = (most: number) =>
      service.get(Transactions).run(async (tx) => {
        const spies = [jest.spyOn(tx, 'delete'), jest.spyOn(tx, 'createQueryBuilder')];
        const deleted = await days.prune(tx, '2026-10-25', most);
        statements.push(spies.reduce((sum, { mock }) => sum + mock.calls.length, 0));
        spies.forEach((spy) => spy.mockRestore());
        return deleted;
      });
    expect(await prune(old.length - 1)).toBe(old.length - 1);
    const left = Object.keys(await checkDays(database)).sort();
    expect(left.filter((key) => key < '2026-10-25')).toHaveLength(1);
    expect(left[0]!.slice(0, 10)).toBe('2026-10-24');
    expect([await prune(500), await prune(500)]).toEqual([1, 0]);
    expect(Object.keys(await checkDays(database)).sort()).toEqual(all.slice(old.length));
    expect(statements).toEqual([1, 1, 1]);
  });
});

describe('The daily counts of checks by two instances on one PostgreSQL', () => {
  it('equal a count of the rows after one has counted checks of the other', async () => {
    const database = await newDatabase('postgres');
    const [one, two] = [
      await startService('postgres', { database }),
      await startService('postgres', { database }),
    ];
    record(one, 700);
    await one.flushChecks();
    await two.get(CheckDaysService).countNew();
    expect(total(await checkDays(database))).toBe(700);
    record(one, 300);
    await one.flushChecks();
    await one.get(CheckDaysService).countInBackground();
    await two.get(CheckDaysService).countNew();
    const counts = await checkDays(database);
    expect(counts).toEqual(await countedRows(database));
    expect(total(counts)).toBe(1_000);
  });

  it('equal a count of the rows while both store and count', async () => {
    const database = await newDatabase('postgres');
    const both = [
      await startService('postgres', { database }),
      await startService('postgres', { database }),
    ];
    await Promise.all(
      both.map(async (service) => {
        for (let round = 0; round < 10; round += 1) {
          record(service, 200);
          await Promise.all([service.flushChecks(), service.get(CheckDaysService).countNew()]);
        }
      }),
    );
    await both[0]!.get(CheckDaysService).countNew();
    const counts = await checkDays(database);
    expect(counts).toEqual(await countedRows(database));
    expect(total(counts)).toBe(4_000);
    const left = await both[0]!.get(Transactions).read((tx) => tx.count(UncountedChecks));
    expect(left).toBe(0);
  });
});
