/** @jest-environment node */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrationNames } from '../../src/platform/database/migrations/releases.js';
import { becomeLater } from '../fixtures/trial-releases.js';
import { releases } from '../released/facts.js';
import { type MigratedRelease, migrateRelease } from '../support/migrated.js';
import { onBothEngines } from '../support/service.js';

/** For each migration after the first, a query for rows that it should not have left behind. */
const wrong: Readonly<Record<string, string>> = {
  Messages1795880000000: `SELECT id FROM api_clients WHERE message_emails <> 'on'`,
  FollowUp1795890000000:
    'SELECT id FROM orders WHERE preferred_days IS NOT NULL OR amendments IS NOT NULL OR woken_action IS NOT NULL UNION SELECT order_id FROM deliveries WHERE waited IS NOT NULL OR client_days IS NOT NULL OR reminded_at IS NOT NULL',
  Constraints1795891000000:
    'SELECT id FROM orders WHERE constraints IS NOT NULL OR cancellation IS NOT NULL',
  TrialSmallTable1900000000000: 'SELECT id FROM quotes WHERE trial_note IS NOT NULL',
  TrialReceivedDay1900000000001: `SELECT id FROM orders WHERE trial_received_day IS NULL OR trial_received_day <> received_at / 86400000`,
};

onBothEngines('the migrations', (engine) => {
  describe.each(releases())('after release %s', (release) => {
    let takeBack: () => void;
    let migrated: MigratedRelease;
    beforeAll(async () => {
      // They prove these tests as long as there is no migration after a release.
      takeBack = becomeLater(1);
      migrated = await migrateRelease(release, engine);
    });
    afterAll(() => takeBack());

    it('each have a query for what they leave behind', () => {
      const [, ...later] = migrationNames();
      expect(later.filter((name) => !Object.hasOwn(wrong, name))).toEqual([]);
    });

    it('only add to the filled database, and keep its rows', () => {
      const { ran, removed, demanded, changed } = migrated;
      expect(ran.slice(-2)).toEqual(Object.keys(wrong).slice(-2));
      expect([removed, demanded, changed]).toEqual([[], [], []]);
    });

    it('leave behind what they should', async () => {
      for (const name of migrated.ran) {
        expect([name, await migrated.dataSource.query(wrong[name]!)]).toEqual([name, []]);
      }
    });

    it('can be repeated where they commit their steps one by one', async () => {
      const { dataSource } = migrated;
      const runner = dataSource.createQueryRunner();
      for (const migration of dataSource.migrations.filter((one) => one.transaction === false)) {
        await migration.up(runner);
        expect(await dataSource.query(wrong[migration.name!]!)).toEqual([]);
      }
      await runner.release();
    });
  });
});
