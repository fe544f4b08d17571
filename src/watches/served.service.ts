import { Injectable } from '@nestjs/common';
import { In, IsNull, MoreThan } from 'typeorm';
import { clientItself, ShownService } from '../catalogue/shown/shown.service.js';
import { newId } from '../platform/database/new-id.js';
import { onSide, type Side, type SideTx, tableOn } from '../platform/database/sides.js';
import { Transactions } from '../platform/database/transactions.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { Clock } from '../platform/kernel/clock.js';
import { OutboxService } from '../platform/notifications/outbox.service.js';
import { isDirectClient } from '../clients/api-client.entity.js';
import { callerServed } from './watch-emails.js';
import { isMet } from './watch-condition.js';
import { WatchLocksService } from './watch-locks.service.js';
import { LIFETIME, printWatch } from './watch-rows.js';
import { placeKeyOfWatch, Watch, WatchCaller } from './watch.entity.js';

/** In one webhook message. */
export const MOST_PLACES = 100;

export type FoundPlace = Pick<Watch, 'packed' | 'uprn'>;

/** Moves watches from open to served, with the message for the client in the same transaction. */
@Injectable()
export class ServedService {
  constructor(
    private readonly transactions: Transactions,
    private readonly locks: WatchLocksService,
    private readonly shown: ShownService,
    private readonly outbox: OutboxService,
    private readonly clock: Clock,
  ) {}

  /** Serves those of an API client's open watches at these places whose condition is still met. */
  async serve(clientId: string, places: readonly FoundPlace[], side: Side): Promise<void> {
    const keys = new Set(places.map(placeKeyOfWatch));
    await this.transactions.run(async (all) => {
      const tx = onSide(all, side);
      // The client may put or delete watches meanwhile.
      const client = await this.locks.lockClient(tx, clientId);
      const packed = [...new Set(places.map((place) => place.packed))];
      const open = await tx.find(tableOn(Watch, tx), {
        where: { clientId, packed: In(packed), state: 'open' },
        order: { packed: 'ASC', uprn: 'ASC' },
      });
      // A newer version may have gone live since the evaluation began.
      const shown = this.shown.shownTo(clientItself(client));
      const met = open.filter(
        (watch) => keys.has(placeKeyOfWatch(watch)) && isMet(shown, shown.current, watch, watch),
      );
      await this.report(tx, clientId, met);
    });
  }

  /** Serves open watches of one client without a look at their condition. */
  async report(tx: SideTx, clientId: string, watches: readonly Watch[]): Promise<Watch[]> {
    if (watches.length === 0) return [];
    const entity = tableOn(Watch, tx);
    const now = this.clock.now();
    const batch = newId();
    const ids = watches.map(({ id }) => id);
    await tx.update(
      entity,
      { id: In(ids), state: 'open' },
      { state: 'served', changedAt: now, batch },
    );
    // Another evaluation may have served some of them, and the client may have deleted some.
    const served = await tx.find(entity, {
      where: { id: In(ids), batch },
      order: { packed: 'ASC', uprn: 'ASC' },
    });
    if (served.length === 0) return [];
    const places = served.map((watch) => {
      const { watchId, postcode, uprn, reference } = printWatch(watch);
      return { watchId, postcode, uprn, reference };
    });
    // It has no tokens, and so no tests.
    if (isDirectClient({ id: clientId })) await this.notifyCallers(tx, served, now);
    const event = { type: 'watch.served', at: now, data: { places } } as const;
    await this.outbox.addClientEvent(tx, clientId, event, batch);
    return served;
  }

  /** Sends each caller who waits at these places an email, once. A request ends after a year, as a watch does. */
  private async notifyCallers(tx: Tx, served: readonly FoundPlace[], now: Date): Promise<void> {
    const keys = new Set(served.map(placeKeyOfWatch));
    const packed = In([...new Set(served.map((place) => place.packed))]);
    const putAt = MoreThan(new Date(now.getTime() - LIFETIME));
    const waiting = await tx.findBy(WatchCaller, { packed, putAt, servedAt: IsNull() });
    for (const caller of waiting.filter((one) => keys.has(placeKeyOfWatch(one)))) {
      await tx.update(WatchCaller, { id: caller.id }, { servedAt: now });
      await this.outbox.addEmail(tx, callerServed.code, caller.id);
    }
  }
}
