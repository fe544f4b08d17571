import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import { placeKeyOf, Postcode } from '../platform/kernel/postcode.js';
import { openWatches } from './open-watches.js';

/** Where clients wait for products: the open watches. */
@Injectable()
export class WatchDemandService {
  constructor(private readonly transactions: Transactions) {}

  /** The number of open watches by sector, such as `EC2A 2`. @param client null for all */
  async bySector(client: string | null): Promise<Map<string, number>> {
    const counts = new Map<number, { postcode: number; watches: number }>();
    for await (const page of openWatches(this.transactions, 'watches')) {
      for (const rows of page) {
        if (client !== null && rows.clientId !== client) continue;
        for (let i = 0; i < rows.count; i += 1) {
          const postcode = rows.packed(i);
          const sector = placeKeyOf.sector(postcode);
          const known = counts.get(sector);
          if (known) known.watches += 1;
          else counts.set(sector, { postcode, watches: 1 });
        }
      }
    }
    return new Map(
      [...counts.values()].map((one) => [new Postcode(one.postcode).sector, one.watches]),
    );
  }
}
