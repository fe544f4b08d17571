import { Injectable } from '@nestjs/common';
import type { Writable } from 'node:stream';
import { actorOf, AuditService } from '../../audit/audit.service.js';
import type { StaffCaller } from '../../access/caller.js';
import { Clock } from '../../kernel/clock.js';
import { writeTexts } from '../../http/write-texts.js';
import { newId } from '../../database/new-id.js';
import { Transactions } from '../../database/transactions.js';
import type { Order } from '../../orders/order.entity.js';
import { csvFormat, jsonLinesFormat } from './export-format.js';
import type { FollowUpFilter } from '../follow-up.dto.js';
import { SearchTooBroad } from '../follow-up.errors.js';
import { FollowUpService } from './follow-up.service.js';
import type { OrderListing } from './list-filter.js';
import { MOST_FOUND } from './search.js';

/** Orders that an export reads at a time and holds in memory. */
const GROUP = 128;

const formats = { csv: csvFormat, jsonl: jsonLinesFormat };

/** Exports whole lists. The audit trail records who exported contact details, with the filter. */
@Injectable()
export class ExportService {
  constructor(
    private readonly transactions: Transactions,
    private readonly followUp: FollowUpService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Records the start of an export. @throws {SearchTooBroad} if the search left out matches */
  async begin(
    format: keyof typeof formats,
    filter: FollowUpFilter,
    caller: StaffCaller,
  ): Promise<{ writeTo: (out: Writable) => Promise<void> }> {
    const found = await this.followUp.find(filter);
    if (found && !found.complete) throw new SearchTooBroad(MOST_FOUND);
    const id = newId();
    await this.record(id, 'began', { format, filter: { ...filter } }, caller);
    const listing = { filter, found, me: caller.staffId, now: this.clock.now() };
    return { writeTo: (out) => this.write(id, format, listing, caller, out) };
  }

  private async write(
    id: string,
    format: keyof typeof formats,
    listing: OrderListing,
    caller: StaffCaller,
    out: Writable,
  ): Promise<void> {
    const { header, row } = formats[format]();
    const done = { rows: 0, complete: false };
    const { followUp } = this;
    async function* texts() {
      yield header;
      for (let last: Order | undefined; ;) {
        const { orders, printed } = await followUp.after(listing, last, GROUP);
        done.rows += orders.length;
        yield printed.map(row).join('');
        last = orders.at(-1);
        if (orders.length < GROUP) return;
      }
    }
    try {
      done.complete = await writeTexts(out, texts());
    } finally {
      // Its request counts as running until then, also where the caller has left.
      if (!done.complete) out.destroy();
      await this.record(id, 'ended', done, caller);
    }
    out.end();
  }

  private record(
    id: string,
    action: string,
    details: Record<string, unknown>,
    caller: StaffCaller,
  ): Promise<void> {
    const actor = actorOf(caller);
    return this.transactions.run((tx) =>
      this.audit.record(tx, { subject: ['export', id], action, actor, details }),
    );
  }
}
