import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { type Actor, AuditService } from '../platform/audit/audit.service.js';
import { ApiClient, isDirectClient } from '../clients/api-client.entity.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { findOn, type Side, tableOn } from '../platform/database/sides.js';
import { Transactions } from '../platform/database/transactions.js';
import { isUuid } from '../platform/kernel/uuid.js';
import {
  OutboxMessage,
  withBodyAbout,
} from '../platform/notifications/messages/outbox-message.entity.js';
import { Refused } from '../platform/problems/refused.js';
import { printWatch } from './watch-rows.js';
import { NO_UPRN, Watch, WatchCaller, type WatchState } from './watch.entity.js';
import type { ClientWatch } from './watches.dto.js';

export interface WatchFilter extends Side {
  readonly clientId?: string;
  readonly state?: WatchState;
  /** The client's own reference. */
  readonly reference?: string;
}

export interface ListedWatch extends ClientWatch {
  readonly client: string;
}

interface ErasedWatch {
  readonly watch: ClientWatch;
  readonly isDeleted: boolean;
}

/** The watches of all API clients, for the operator's commands. */
@Injectable()
export class OperatorWatchesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** Newest first. */
  list(filter: WatchFilter, limit: number): Promise<ListedWatch[]> {
    const { clientId, state, reference } = filter;
    return this.transactions.read(async (tx) => {
      const watches = await tx.find(tableOn(Watch, filter), {
        where: {
          ...(clientId !== undefined && { clientId }),
          ...(state !== undefined && { state }),
          ...(reference !== undefined && { clientReference: reference }),
        },
        order: { id: 'DESC' },
        take: limit,
      });
      const names = await namesOf(
        tx,
        watches.map((one) => one.clientId),
      );
      return watches.map((watch) => {
        const { watchId, ...rest } = printWatch(watch);
        return { watchId, client: names.get(watch.clientId) ?? watch.clientId, ...rest };
      });
    });
  }

  /**
   * Erases the client's reference of a watch, and deletes a watch of single premises: they may be a home. One of
   * Direct enquiries loses the addresses of its callers.
   * @throws {Refused} if there is no such watch
   */
  erase(id: string, actor: Actor): Promise<ErasedWatch> {
    return this.transactions.run(async (tx) => {
      const where = { id: id.toLowerCase() };
      const found = isUuid(id) ? await findOn(tx, Watch, where) : null;
      if (!found) throw new Refused(`There is no watch ${JSON.stringify(id)}.`);
      const { side, row: watch } = found;
      const table = tableOn(Watch, side);
      const isDeleted = watch.uprn !== NO_UPRN;
      if (isDeleted) await tx.delete(table, where);
      else await tx.update(table, where, { clientReference: null });
      if (isDirectClient({ id: watch.clientId })) {
        await tx.delete(WatchCaller, { packed: watch.packed, uprn: watch.uprn });
      }
      await eraseMessages(tx, watch);
      await this.audit.record(tx, {
        subject: ['client', watch.clientId],
        action: 'watch-erased',
        actor,
        details: { watchId: watch.id, deleted: isDeleted },
      });
      return { watch: printWatch(watch), isDeleted };
    });
  }
}

async function namesOf(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const clients = await tx.findBy(ApiClient, { id: In([...new Set(ids)]) });
  return new Map(clients.map(({ id, name }) => [id, name]));
}

interface ServedBody {
  readonly data: { readonly places: readonly { readonly watchId: string }[] };
}

/** Blanks the watch in the webhook that reported it. */
async function eraseMessages(tx: Tx, { id: watchId, batch }: Watch): Promise<void> {
  if (batch === null) return;
  for (const { id, body } of await tx.findBy(OutboxMessage, withBodyAbout(batch))) {
    const event = JSON.parse(body!) as ServedBody;
    const places = event.data.places.map((place) =>
      place.watchId === watchId ? { ...place, uprn: null, reference: null } : place,
    );
    const blank = JSON.stringify({ ...event, data: { ...event.data, places } });
    await tx.update(OutboxMessage, { id }, { body: blank });
  }
}
