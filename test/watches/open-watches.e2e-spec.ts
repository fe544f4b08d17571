import { LIVE } from '../../src/platform/database/sides.js';
import { expect, it } from '@jest/globals';
import { addRows } from '../../src/platform/database/engine/rows.js';
import { newId } from '../../src/platform/database/new-id.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { parsePostcode, type Postcode } from '../../src/platform/kernel/postcode.js';
import { openWatches } from '../../src/watches/stored-watches.js';
import { Watch } from '../../src/watches/watch.entity.js';
import { onOneEngine, startService } from '../support/service.js';

/** A page has 1,000: it ends among the premises of one postcode. */
const PREMISES = 2_500;
const STORED_TOGETHER = 1_000;

onOneEngine('the pages of open watches', (engine) => {
  it('have each watch once where a page ends within a postcode', async () => {
    const service = await startService(engine);
    const transactions = service.get(Transactions);
    const { id: clientId } = await service.given.client();
    const { packed } = parsePostcode('N1 1AA') as Postcode;
    const now = service.clock.now();
    // The order of the rows in the table is not that of the UPRNs.
    const uprns = Array.from({ length: PREMISES }, (_, i) => 1 + ((i * 7_919) % PREMISES));
    for (let at = 0; at < PREMISES; at += STORED_TOGETHER) {
      const rows = uprns.slice(at, at + STORED_TOGETHER).map((uprn) => ({
        ...{ id: newId(), clientId, packed, uprn, clientReference: null, batch: null },
        ...{
          minBandwidthMbps: 1,
          maxPriceMilli: null,
          includeBuild: false,
          state: 'open' as const,
        },
        ...{ createdAt: now, changedAt: now },
      }));
      await transactions.run((tx) => addRows(tx, Watch, rows));
    }
    const read: number[] = [];
    let pages = 0;
    for await (const page of openWatches(transactions, LIVE)) {
      pages += 1;
      for (const rows of page) {
        for (let i = 0; i < rows.count; i += 1) read.push(rows.uprn(i));
      }
    }
    expect(pages).toBe(3);
    expect(read.sort((a, b) => a - b)).toEqual(uprns.sort((a, b) => a - b));
  });
});
