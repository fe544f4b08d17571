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
  ['kind', (o) => o.kind],
  ['wantedBandwidth', (o) => o.wanted?.bandwidth],
  ['wantedTerm', (o) => o.wanted?.term],
  ['wantedDescription', (o) => o.wanted?.description],
  ['offeredPrice', (o) => o.offered?.price],
  ['offeredCurrency', (o) => o.offered?.currency],
];

function columns(): Columns {
  const offer = publishedFields().flatMap(({ name, exportedAs = name }): Columns =>
    exportedAs === null ? [] : [[exportedAs, (order) => order.product?.[name]]],
  );
  return [...beforeOffer, ...offer, ...afterOffer];
}

export interface ExportFormat {
  readonly header: string;
  readonly row: (order: FollowUpOrder) => string;
}

export function csvFormat(): ExportFormat {
  const all = columns();
  return {
    header: csvLine(all.map(([name]) => name)),
    row: (order) => csvLine(all.map(([, cell]) => cell(order))),
  };
}

/** JSON Lines: each order as the list shows it. */
export function jsonLinesFormat(): ExportFormat {
  return { header: '', row: (order) => `${JSON.stringify(order)}\n` };
}
