import { daysInWords, detailsInWords } from '../../orders/record/site-details.dto.js';
import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Clock } from '../../platform/kernel/clock.js';
import type { FollowUpFilter } from './list.dto.js';
import { SearchTooBroad } from '../../orders/record/orders.errors.js';
import {
  type BegunExport,
  type ExportPart,
  RecordedExportService,
} from '../../platform/audit/recorded-export.service.js';
import { FollowUpService, type ListedOrder } from './follow-up.service.js';
import type { OrderListing } from './list-filter.js';
import { MOST_FOUND } from './search.js';
import { publishedFields } from '../../catalogue/content/offers.js';
import { csvLine } from '../../platform/kernel/text.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';

/** Times are UTC, money is in major units. */
type Columns = readonly (readonly [name: string, cell: (order: FollowUpOrder) => unknown])[];

const beforeOffer: Columns = [
  ['orderId', (o) => o.orderId],
  ['reference', (o) => o.reference],
  ['state', (o) => o.state],
  ['receivedAt', (o) => o.receivedAt],
  ['firstContactDueAt', (o) => o.firstContactDueAt],
  ['late', (o) => o.late],
  ['firstContactAt', (o) => o.firstContactAt],
  ['lastContactAt', (o) => o.lastContactAt],
  ['contactAttempts', (o) => o.contactAttempts],
  ['nextActionAt', (o) => o.nextActionAt],
  ['nextActionReason', (o) => o.nextActionReason],
  ['ownerId', (o) => o.ownerId],
  ['ownerName', (o) => o.ownerName],
  ['closedAt', (o) => o.closedAt],
  ['closeReason', (o) => o.closeReason],
  ['externalReference', (o) => o.externalReference],
  ['duplicateOf', (o) => o.duplicateOf],
  ['possibleDuplicateOf', (o) => o.possibleDuplicateOf],
  ['postcode', (o) => o.postcode],
  ['uprn', (o) => o.uprn],
  ['zone', (o) => o.zone],
];

const afterOffer: Columns = [
  ['acceptExtraUpTo', (o) => o.acceptExtraUpTo],
  ['chargesAwaiting', (o) => o.chargesAwaiting],
  ['chargesAccepted', (o) => o.chargesAccepted],
  ['clientId', (o) => o.client.id],
  ['clientName', (o) => o.client.name],
  ['clientReference', (o) => o.clientReference],
  ['contactName', (o) => o.contact.name],
  ['contactEmail', (o) => o.contact.email],
  ['contactPhone', (o) => o.contact.phone],
  ['notes', (o) => o.notes],
  ['checkId', (o) => o.checkId],
  ['distanceMetres', (o) => o.nearest?.distanceMetres],
  ['buildBand', (o) => o.nearest?.band],
  ['constraints', (o) => o.constraints.map(({ code }) => code).join(' ')],
  ['kind', (o) => o.kind],
  ['wantedBandwidth', (o) => o.wanted?.bandwidth],
  ['wantedTerm', (o) => o.wanted?.term],
  ['wantedDescription', (o) => o.wanted?.description],
  ['offeredPrice', (o) => o.offered?.price],
  ['offeredCurrency', (o) => o.offered?.currency],
  ['quoteId', (o) => o.quoteId],
  ['lineId', (o) => o.lineId],
  ['details', (o) => o.details && detailsInWords(o.details).join('; ')],
  ['expedite', (o) => o.expedite],
  ['serviceId', (o) => o.delivery?.serviceId],
  ['committedDate', (o) => o.delivery?.committedDate],
  ['waitingFor', (o) => o.delivery?.waitingFor?.party],
  ['liveOn', (o) => o.delivery?.liveOn],
  ['confirmedPrice', (o) => o.confirmed?.price],
  ['confirmedSetupPrice', (o) => o.confirmed?.setupPrice],
  ['waitedClient', (o) => o.delivery?.waited.client],
  ['waitedOperator', (o) => o.delivery?.waited.operator],
  ['waitedThirdParty', (o) => o.delivery?.waited.thirdParty],
  ['preferredDays', (o) => o.preferredDays && daysInWords(o.preferredDays)],
];

function columns(): Columns {
  const offer = publishedFields().flatMap(({ name, exportedAs = name }): Columns =>
    exportedAs === null ? [] : [[exportedAs, (order) => order.product?.[name]]],
  );
  return [...beforeOffer, ...offer, ...afterOffer];
}

export function csvFormat() {
  const all = columns();
  return {
    header: csvLine(all.map(([name]) => name)),
    row: (order: FollowUpOrder) => csvLine(all.map(([, cell]) => cell(order))),
  };
}

/** Orders that an export reads in one turn of the event loop, and holds in memory. */
const GROUP = 32;

/** Exports whole lists. The audit trail records who exported contact details, with the filter. */
@Injectable()
export class ExportService {
  constructor(
    private readonly exports: RecordedExportService,
    private readonly followUp: FollowUpService,
    private readonly clock: Clock,
  ) {}

  /** Records the start of an export. @throws {SearchTooBroad} if the search left out matches */
  async begin(filter: FollowUpFilter, caller: StaffCaller): Promise<BegunExport> {
    const matches = await this.followUp.find(filter);
    if (matches && !matches.complete) throw new SearchTooBroad(MOST_FOUND);
    const listing = { filter, found: matches, me: caller.staffId, now: this.clock.now() };
    return this.exports.begin({ format: 'csv', filter: { ...filter } }, caller, () =>
      this.parts(listing),
    );
  }

  private async *parts(listing: OrderListing): AsyncGenerator<ExportPart> {
    const { header, row } = csvFormat();
    yield { text: header, rows: 0 };
    for (let last: ListedOrder | undefined; ;) {
      const { orders, printed } = await this.followUp.after(listing, last, GROUP);
      yield { text: printed.map(row).join(''), rows: orders.length };
      last = orders.at(-1);
      if (orders.length < GROUP) return;
    }
  }
}
