import { Injectable } from '@nestjs/common';
import type { ClientCaller } from '../platform/access/caller.js';
import { Transactions } from '../platform/database/transactions.js';
import { placeOfWatch } from './client-watches.service.js';
import { ServedService } from './served.service.js';
import { printWatch } from './watch-rows.js';
import { TestWatch } from './watch.entity.js';
import type { ClientWatch } from './watches.dto.js';
import { TestWatchNotFound } from './watches.errors.js';

@Injectable()
export class TestWatchesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly served: ServedService,
  ) {}

  /** @throws {InvalidPostcode | InvalidUprn | TestWatchNotFound} */
  async advance(
    postcode: string,
    uprn: string | undefined,
    client: ClientCaller,
  ): Promise<ClientWatch> {
    const where = placeOfWatch(postcode, uprn, client);
    if (!client.isTest) throw new TestWatchNotFound();
    return this.transactions.run(async (tx) => {
      const watch = await tx.findOneBy(TestWatch, { ...where, state: 'open' });
      const [served] = watch ? await this.served.report(tx, client.clientId, [watch], true) : [];
      if (!served) throw new TestWatchNotFound();
      return printWatch(served);
    });
  }
}
