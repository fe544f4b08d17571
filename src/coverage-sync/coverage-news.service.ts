import { Injectable } from '@nestjs/common';
import { AccessService } from '../clients/access.service.js';
import type { ClientCaller } from '../platform/access/caller.js';
import { isUniqueViolation } from '../platform/database/engine/errors.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { addRows } from '../platform/database/engine/rows.js';
import { Transactions } from '../platform/database/transactions.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { OutboxService } from '../platform/notifications/outbox.service.js';
import { NotFound } from '../platform/problems/problem.js';
import { CoverageNotice } from './coverage-notice.entity.js';
import { CoverageVersionsService } from './coverage-versions.service.js';

/**
 * Tells clients that their coverage or prices have changed. A version that was replaced before a run is not reported: a
 * client takes all changes at once. Several instances may run at the same time: each version is reported once.
 */
@Injectable()
export class CoverageNewsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly access: AccessService,
    private readonly catalogue: CatalogueService,
    private readonly versions: CoverageVersionsService,
    private readonly outbox: OutboxService,
    private readonly clock: Clock,
  ) {}

  /** Compares what each client with the scope has now with what it was last notified of. */
  async tell(): Promise<void> {
    if (!this.catalogue.loaded) return;
    const clients = this.access.clientsWith('coverage:read').filter(({ isTest }) => !isTest);
    if (clients.length === 0) return;
    const all = await this.transactions.read((tx) => tx.findBy(CoverageNotice, { isTest: false }));
    const told = new Map(all.map((notice) => [notice.clientId, notice]));
    for (const client of clients) {
      const { version, catalogue } = await this.versions.current(client);
      const before = told.get(client.clientId);
      if (before && (before.version === version || before.catalogueVersion > catalogue.version)) {
        continue;
      }
      await this.notify(client, before, version, catalogue.version);
    }
  }

  /** Changes the prices of the sandbox there and back. @throws {NotFound} for a live token */
  async advance(client: ClientCaller): Promise<{ version: string }> {
    if (!client.isTest) throw new NotFound('Only the sandbox can be advanced.');
    const { clientId } = client;
    const step = (await this.versions.stepOf(client)) === 0 ? 1 : 0;
    const { version } = await this.versions.sandboxVersion(step, client);
    const before = await this.transactions.read((tx) =>
      tx.findOneBy(CoverageNotice, { clientId, isTest: true }),
    );
    await this.notify(client, before ?? undefined, version, step);
    return { version };
  }

  private async notify(
    { clientId, isTest }: ClientCaller,
    before: CoverageNotice | undefined,
    version: string,
    catalogueVersion: number,
  ): Promise<void> {
    const notice = { clientId, isTest, version, catalogueVersion };
    try {
      await this.transactions.run(async (tx) => {
        if (!(await replace(tx, before, notice))) return;
        const event = {
          type: 'coverage.changed',
          at: this.clock.now(),
          isTest,
          data: { version },
        } as const;
        await this.outbox.addClientEvent(tx, clientId, event, clientId);
      });
    } catch (error) {
      // Another instance was first.
      if (!isUniqueViolation(error)) throw error;
    }
  }
}

/** @returns false if another instance was first */
async function replace(
  tx: Tx,
  before: CoverageNotice | undefined,
  notice: CoverageNotice,
): Promise<boolean> {
  if (!before) {
    await addRows(tx, CoverageNotice, [notice]);
    return true;
  }
  const { version, catalogueVersion } = notice;
  const { affected } = await tx.update(
    CoverageNotice,
    { ...before },
    { version, catalogueVersion },
  );
  return affected === 1;
}
