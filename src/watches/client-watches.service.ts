import { Injectable } from '@nestjs/common';
import { actorOf, AuditService } from '../platform/audit/audit.service.js';
import type { ClientCaller } from '../platform/access/caller.js';
import { onSide, requireSandbox, tableOn } from '../platform/database/sides.js';
import { Transactions } from '../platform/database/transactions.js';
import { creationOf, newestFirst, page } from '../platform/http/paging.js';
import { postcodeFor, uprnOf } from '../platform/problems/postcode.errors.js';
import { ServedService } from './served.service.js';
import { printWatch, watchEvent } from './watch-rows.js';
import { NO_UPRN, Watch } from './watch.entity.js';
import type { ClientWatch, ClientWatchPage, WatchQuery } from './watches.dto.js';
import { TestWatchNotFound, WatchNotFound } from './watches.errors.js';

/** An API client's own watches. */
@Injectable()
export class ClientWatchesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly served: ServedService,
  ) {}

  /** Newest first. */
  async list({ state, ...asked }: WatchQuery, client: ClientCaller): Promise<ClientWatchPage> {
    const watches = await this.transactions.read((tx) => {
      const query = tx
        .createQueryBuilder(tableOn(Watch, client), 'w')
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
    const watch = await this.transactions.read((tx) => tx.findOneBy(tableOn(Watch, client), where));
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
    return this.transactions.run(async (all) => {
      const tx = onSide(all, client);
      const watch = await tx.findOneBy(tableOn(Watch, tx), where);
      if (!watch) throw new WatchNotFound();
      await tx.delete(tableOn(Watch, tx), { id: watch.id });
      await this.audit.recordLive(tx, watchEvent(watch, 'watch-removed', actorOf(client)));
      return printWatch(watch);
    });
  }

  /** Serves an open test watch. @throws {InvalidPostcode | InvalidUprn | TestWatchNotFound} */
  async advance(
    postcode: string,
    uprn: string | undefined,
    client: ClientCaller,
  ): Promise<ClientWatch> {
    const where = placeOfWatch(postcode, uprn, client);
    requireSandbox(client, new TestWatchNotFound());
    return this.transactions.run(async (all) => {
      const tx = onSide(all, client);
      const watch = await tx.findOneBy(tableOn(Watch, tx), { ...where, state: 'open' });
      const [served] = watch ? await this.served.report(tx, client.clientId, [watch]) : [];
      if (!served) throw new TestWatchNotFound();
      return printWatch(served);
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
