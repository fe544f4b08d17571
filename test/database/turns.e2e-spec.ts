import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { StaffCaller } from '../../src/platform/access/caller.js';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { addRows } from '../../src/platform/database/engine/rows.js';
import { newId } from '../../src/platform/database/new-id.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import {
  AuditExportService,
  type BegunExport,
} from '../../src/platform/audit/recorded-export.service.js';
import { ExportService } from '../../src/queue/lists/export.service.js';
import { DemandService } from '../../src/reports/demand.service.js';
import { ReportSourcesService } from '../../src/reports/report-sources.service.js';
import { tablesOf } from '../../src/reports/drawing/report-table.js';
import { allTabs } from '../../src/reports/tables/tabs.js';
import { parsePostcode, Postcode } from '../../src/platform/kernel/postcode.js';
import { addDays, DAY } from '../../src/platform/kernel/time.js';
import { londonDay } from '../../src/platform/kernel/working-hours.js';
import { Delivery } from '../../src/orders/record/delivery.entity.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { VersionEffectService } from '../../src/orders/views/version-effect.service.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { Watch } from '../../src/watches/watch.entity.js';
import { WatchDemandService } from '../../src/watches/watch-demand.service.js';
import { WatchEvaluationService } from '../../src/watches/watch-evaluation.service.js';
import { coverageChunks } from '../../src/coverage-sync/coverage.service.js';
import { coverageRows } from '../../src/coverage-sync/coverage-rows.js';
import { CoverageVersionsService } from '../../src/coverage-sync/coverage-versions.service.js';
import { writeChunks } from '../../src/platform/http/attachment.js';
import { type Service, startService } from '../support/service.js';
import { duringTurns, FastReader } from '../support/turns.js';

/**
 * Orders, audit entries and watches: several times as many as are read at once. Reports read at most four
 * days at once.
 */
const ORDERS = 4_000;
const ENTRIES = 3_000;
const WATCHES = 20_000;
const PREMISES = 2_000;
const DAYS = 200;
const COPIED = 100;

/** SQLite answers in the same turn of the event loop in which it is asked, so a loop that only awaits its answers never ends the turn. */
describe('work over many rows on SQLite', () => {
  let service: Service;
  let transactions: Transactions;
  let me: StaffCaller;
  let range: { readonly from: string; readonly to: string };

  const copies = <T extends object>(entity: new () => T, rows: readonly T[]) =>
    Array.from({ length: rows.length / COPIED }, (_, i) => i * COPIED).reduce(
      (before, at) =>
        before.then(() =>
          transactions.run((tx) => addRows(tx, entity, rows.slice(at, at + COPIED))),
        ),
      Promise.resolve(),
    );

  beforeAll(async () => {
    service = await startService('sqlite');
    transactions = service.get(Transactions);
    const { given, clock } = service;
    await given.catalogue({
      premises: Array.from({ length: PREMISES }, (_, i) => `${i + 1},SW1A 1AA,,ONNET`),
    });
    const { id, name } = await given.staff({ role: 'admin' });
    me = { kind: 'staff', staffId: id, tokenId: id, name, role: 'admin', scopes: new Set() };
    const client = await given.client();
    await given.order({ token: await given.token({ client }) });
    const now = clock.now();
    const today = londonDay(now);
    range = { from: addDays(today, 1 - DAYS), to: today };
    const [order] = await transactions.read((tx) => tx.find(Order));
    const orders = Array.from({ length: ORDERS }, (_, i) => ({
      ...order!,
      id: newId(),
      reference: `ORD-${i}`,
      receivedAt: new Date(now.getTime() - (i % DAYS) * DAY - i),
    }));
    await copies(Order, orders);
    await copies(
      Delivery,
      orders.slice(0, DAYS).map(({ id: orderId }, i) =>
        Object.assign(new Delivery(), {
          ...{ orderId, acceptedOn: range.from, promisedOn: today, liveOn: addDays(today, -i) },
          ...{ dateChanges: [], milestones: {} },
        }),
      ),
    );
    const [entry] = await transactions.read((tx) => tx.find(AuditEntry));
    await copies(
      AuditEntry,
      Array.from({ length: ENTRIES }, () => ({ ...entry!, id: newId() })),
    );
    const { packed } = parsePostcode('N1 1AA') as Postcode;
    await copies(
      Watch,
      Array.from({ length: WATCHES }, (_, i) => ({
        ...{ id: newId(), clientId: client.id, packed, uprn: i + 1, clientReference: null },
        ...{
          minBandwidthMbps: 999_999,
          maxPriceMilli: null,
          includeBuild: false,
          state: 'open' as const,
        },
        ...{ createdAt: now, changedAt: now, batch: null },
      })),
    );
  });

  /** Runs a whole export. @returns what arrived */
  const read = (begin: () => Promise<BegunExport>) =>
    duringTurns(async (turn) => {
      const reader = new FastReader(turn);
      await (await begin()).writeTo(reader);
      return reader;
    });

  it('exports at most 32 orders in a turn', async () => {
    const reader = await read(() => service.get(ExportService).begin({ view: 'all' }, me));
    expect(reader.text.trimEnd().split('\n')).toHaveLength(ORDERS + 2);
    expect(reader.mostLines).toBe(32);
  });

  it('exports at most 500 entries of the audit trail in a turn', async () => {
    const reader = await read(() => service.get(AuditExportService).begin({}, me));
    expect(reader.text.split('\n').length).toBeGreaterThan(ENTRIES);
    expect(reader.mostLines).toBe(500);
  });

  it('sends at most 500 rows of the coverage in a turn', async () => {
    const client = {
      kind: 'client',
      clientId: me.staffId,
      priceList: 'standard',
      nearNet: 'off',
      isTest: false,
    } as const;
    const now = await service.get(CoverageVersionsService).current(client);
    const reader = await duringTurns(async (turn) => {
      const own = new FastReader(turn);
      await writeChunks(own, coverageChunks(coverageRows(now), now.version, false));
      return own;
    });
    expect(reader.text.split('\n').length).toBeGreaterThan(PREMISES);
    expect(reader.mostLines).toBe(500);
  });

  /** The most reads of `work` within one turn, and all. The service reads meanwhile. */
  const countReads = (work: () => Promise<unknown>) =>
    duringTurns(async (turn) => {
      const isOfWork = new AsyncLocalStorage<true>();
      const reads: number[] = [];
      const read = transactions.read.bind(transactions);
      const spy = jest.spyOn(transactions, 'read').mockImplementation((...about) => {
        if (isOfWork.getStore()) reads.push(turn());
        return read(...about);
      });
      await isOfWork.run(true, work);
      spy.mockRestore();
      const inTurns = [...Map.groupBy(reads, (at) => at).values()];
      return { most: Math.max(...inTurns.map(({ length }) => length)), all: reads.length };
    });

  const get = <T>(type: new (...parameters: never[]) => T): T => service.get(type);
  const current = () => get(CatalogueService).current;
  it.each<readonly [string, () => Promise<unknown>]>([
    ...allTabs
      .flatMap(tablesOf)
      .map(({ name, count }): [string, () => Promise<unknown>] => [
        `the table ${name} of a report`,
        () => count(get(ReportSourcesService), { ...range }),
      ]),
    ['the map', () => get(DemandService).bySector(range)],
    ['the places of watches', () => get(WatchDemandService).bySector(null)],
    ['the preview of watches', () => get(WatchEvaluationService).preview(current())],
    ['the evaluation of watches', () => get(WatchEvaluationService).evaluate()],
    ['the effect of a version', () => get(VersionEffectService).effect(current())],
  ])('reads at most twice in a turn for %s', async (_, work) => {
    const { most, all } = await countReads(work);
    expect(all).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(2);
  });
});
