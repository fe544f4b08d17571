import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Clock } from '../../platform/kernel/clock.js';
import type { Order } from '../../orders/record/order.entity.js';
import { csvFormat, jsonLinesFormat } from './export-format.js';
import type { FollowUpFilter } from './list.dto.js';
import { SearchTooBroad } from '../../orders/staff/follow-up.errors.js';
import {
  type BegunExport,
  type ExportPart,
  RecordedExportService,
} from '../../platform/audit/recorded-export.service.js';
import { FollowUpService } from './follow-up.service.js';
import type { OrderListing } from './list-filter.js';
import { MOST_FOUND } from './search.js';

/** Orders that an export reads at a time and holds in memory. */
const GROUP = 64;

const formats = { csv: csvFormat, jsonl: jsonLinesFormat };

/** Exports whole lists. The audit trail records who exported contact details, with the filter. */
@Injectable()
export class ExportService {
  constructor(
    private readonly exports: RecordedExportService,
    private readonly followUp: FollowUpService,
    private readonly clock: Clock,
  ) {}

  /** Records the start of an export. @throws {SearchTooBroad} if the search left out matches */
  async begin(
    format: keyof typeof formats,
    filter: FollowUpFilter,
    caller: StaffCaller,
  ): Promise<BegunExport> {
    const found = await this.followUp.find(filter);
    if (found && !found.complete) throw new SearchTooBroad(MOST_FOUND);
    const listing = { filter, found, me: caller.staffId, now: this.clock.now() };
    return this.exports.begin({ format, filter: { ...filter } }, caller, () =>
      this.parts(format, listing),
    );
  }

  private async *parts(
    format: keyof typeof formats,
    listing: OrderListing,
  ): AsyncGenerator<ExportPart> {
    const { header, row } = formats[format]();
    yield { text: header, rows: 0 };
    for (let last: Order | undefined; ;) {
      const { orders, printed } = await this.followUp.after(listing, last, GROUP);
      yield { text: printed.map(row).join(''), rows: orders.length };
      last = orders.at(-1);
      if (orders.length < GROUP) return;
    }
  }
}
