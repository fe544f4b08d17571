import { LIVE } from '../platform/database/sides.js';
import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import { groupsOf, inTurns } from '../platform/kernel/turns.js';
import { placeKeyOf, Postcode } from '../platform/kernel/postcode.js';
import { openWatches } from './stored-watches.js';

/** Sectors that are named in one turn of the event loop. */
const IN_A_TURN = 2_000;

/** Where clients wait for products: the open watches. */
@Injectable()
export class WatchDemandService {
  constructor(private readonly transactions: Transactions) {}

  /** The number of open watches by sector, such as `EC2A 2`. @param client null for all */
  async bySector(client: string | null): Promise<Map<string, number>> {
    const counts = new Map<number, { postcode: number; watches: number }>();
    for await (const page of openWatches(this.transactions, LIVE)) {
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
    const named = new Map<string, number>();
    for await (const group of inTurns(groupsOf(counts.values(), IN_A_TURN))) {
      for (const one of group) named.set(new Postcode(one.postcode).sector, one.watches);
    }
    return named;
  }
}
