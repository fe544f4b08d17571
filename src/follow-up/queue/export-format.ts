import type { FollowUpOrder } from '../follow-up.dto.js';

/** The columns of an export, each with what stands in it. Times are UTC, money is in major units. */
const columns: readonly [name: string, cell: (order: FollowUpOrder) => unknown][] = [
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
  ['zone', (o) => o.zone],
  ['productCode', (o) => o.product.productCode],
  ['productName', (o) => o.product.name],
  ['bandwidthProvisioned', (o) => o.product.bandwidthProvisioned],
  ['term', (o) => o.product.term],
  ['price', (o) => o.product.price],
  ['currency', (o) => o.product.currency],
  ['leadTimeDays', (o) => o.product.leadTimeDays],
  ['clientId', (o) => o.client.id],
  ['clientName', (o) => o.client.name],
  ['clientReference', (o) => o.clientReference],
  ['contactName', (o) => o.contact.name],
  ['contactEmail', (o) => o.contact.email],
  ['contactPhone', (o) => o.contact.phone],
  ['notes', (o) => o.notes],
  ['checkId', (o) => o.checkId],
];

export const csvHeader = `${columns.map(([name]) => name).join(',')}\r\n`;

/** A record of RFC 4180. */
export function csvRecord(order: FollowUpOrder): string {
  return `${columns.map(([, cell]) => csvCell(cell(order))).join(',')}\r\n`;
}

/**
 * A cell that a spreadsheet shows as text: one that begins as a formula does gets an apostrophe in
 * front (OWASP, *CSV Injection*). Numbers of ours are left alone.
 */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'string') return JSON.stringify(value);
  const safe = /^[\s]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A line of JSON Lines: the order as the list shows it, with nothing added to its texts. */
export function jsonLine(order: FollowUpOrder): string {
  return `${JSON.stringify(order)}\n`;
}
