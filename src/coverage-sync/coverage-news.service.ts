import { Injectable } from '@nestjs/common';
import { AccessService } from '../clients/access.service.js';
import type { ClientCaller } from '../platform/access/caller.js';
import { isUniqueViolation } from '../platform/database/engine/errors.js';
import { addRows } from '../platform/database/engine/rows.js';
import { Revision } from '../platform/database/revision.entity.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { LIVE, onSide, requireSandbox, sideOf } from '../platform/database/sides.js';
import { Transactions } from '../platform/database/transactions.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { RegisterService } from '../catalogue/versions/register.service.js';
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
    private readonly register: RegisterService,
    private readonly versions: CoverageVersionsService,
    private readonly outbox: OutboxService,
    private readonly clock: Clock,
  ) {}

  /** Compares what each client with the scope has now with what it was last notified of. */
  async tell(): Promise<void> {
    if (!this.catalogue.loaded) return;
    const clients = this.access.clientsWith('coverage:read', LIVE);
    if (clients.length === 0) return;
    const all = await this.transactions.read((tx) => tx.findBy(CoverageNotice, LIVE));
    const told = new Map(all.map((notice) => [notice.clientId, notice]));
    for (const client of clients) {
      const { version, catalogue } = await this.versions.current(client);
      const before = told.get(client.clientId) ?? null;
      if (before && (before.version === version || before.catalogueVersion > catalogue.version)) {
        continue;
      }
      await this.notify(client, before, version, catalogue.version, (tx) => this.isBehind(tx));
    }
  }

  /** Changes the prices of the sandbox there and back. @throws {NotFound} for a live token */
  async advance(client: ClientCaller): Promise<{ version: string }> {
    requireSandbox(client, new NotFound('Only the sandbox can be advanced.'));
    const before = await this.versions.sandboxNotice(client);
    const state = before?.catalogueVersion === 1 ? 0 : 1;
    const { version } = await this.versions.inSandbox(state, client);
    await this.notify(client, before, version, state);
    return { version };
  }

  /** Whether this instance still has an earlier postcode register than others: their versions would take turns. */
  private async isBehind(tx: Tx): Promise<boolean> {
    return !(await tx.existsBy(Revision, { name: 'register', number: this.register.revision }));
  }

  private async notify(
    client: ClientCaller,
    before: CoverageNotice | null,
    version: string,
    catalogueVersion: number,
    isBehind?: (tx: Tx) => Promise<boolean>,
  ): Promise<void> {
    const { clientId } = client;
    const notice = { clientId, ...sideOf(client), version, catalogueVersion };
    const event = {
      type: 'coverage.changed',
      at: this.clock.now(),
      data: { version },
    } as const;
    try {
      await this.transactions.run(async (tx) => {
        if (await isBehind?.(tx)) return;
        if (before === null) await addRows(tx, CoverageNotice, [notice]);
        else if ((await tx.update(CoverageNotice, { ...before }, notice)).affected === 0) return;
        await this.outbox.addClientEvent(onSide(tx, client), clientId, event, clientId);
      });
    } catch (error) {
      // Another instance was first, as where nothing is affected.
      if (!isUniqueViolation(error)) throw error;
    }
  }
}
