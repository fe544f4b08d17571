import { Injectable } from '@nestjs/common';
import { actorOf, AuditService } from '../platform/audit/audit.service.js';
import type { ClientCaller } from '../platform/access/caller.js';
import { Transactions } from '../platform/database/transactions.js';
import { creationOf, newestFirst, page } from '../platform/http/paging.js';
import { postcodeFor, uprnOf } from '../platform/problems/postcode.errors.js';
import { printWatch, watchEvent } from './watch-rows.js';
import { NO_UPRN, type Watch, watchesOf } from './watch.entity.js';
import type { ClientWatch, ClientWatchPage, WatchQuery } from './watches.dto.js';
import { WatchNotFound } from './watches.errors.js';

/** An API client's own watches. */
@Injectable()
export class ClientWatchesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** Newest first. */
  async list({ state, ...asked }: WatchQuery, client: ClientCaller): Promise<ClientWatchPage> {
    const watches = await this.transactions.read((tx) => {
      const query = tx
        .createQueryBuilder(watchesOf(client), 'w')
        .where('w.clientId = :client', { client: client.clientId });
      if (state !== undefined) query.andWhere('w.state = :state', { state });
      return newestFirst(query, 'w.createdAt', asked);
    });
    return page(watches, asked.limit, creationOf, printWatch);
  }

  /** @throws {InvalidPostcode | InvalidUprn | WatchNotFound} */
  async find(
    postcode: string,
    uprn: string | undefined,
    client: ClientCaller,
  ): Promise<ClientWatch> {
    const where = placeOfWatch(postcode, uprn, client);
    const watch = await this.transactions.read((tx) => tx.findOneBy(watchesOf(client), where));
    if (watch) return printWatch(watch);
    throw new WatchNotFound();
  }

  /** @returns the watch as it was @throws {InvalidPostcode | InvalidUprn | WatchNotFound} */
  async remove(
    postcode: string,
    uprn: string | undefined,
    client: ClientCaller,
  ): Promise<ClientWatch> {
    const where = placeOfWatch(postcode, uprn, client);
    return this.transactions.run(async (tx) => {
      const watch = await tx.findOneBy(watchesOf(client), where);
      if (!watch) throw new WatchNotFound();
      await tx.delete(watchesOf(client), { id: watch.id });
      if (!client.isTest) {
        await this.audit.record(tx, watchEvent(watch, 'watch-removed', actorOf(client)));
      }
      return printWatch(watch);
    });
  }
}

/** The columns that identify a watch. @throws {InvalidPostcode | InvalidUprn} */
export function placeOfWatch(
  text: string,
  uprn: string | undefined,
  client: ClientCaller,
): Pick<Watch, 'clientId' | 'packed' | 'uprn'> {
  return {
    clientId: client.clientId,
    packed: postcodeFor(text, client).packed,
    uprn: uprn === undefined ? NO_UPRN : uprnOf(uprn),
  };
}
