import type { Nearest } from '../../catalogue/content/catalogue.js';
import type {
  ConfirmedPrice,
  WokenAction,
  OrderProgress,
  OrderState,
  WorkKind,
} from './order-states.js';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ApiClient } from '../../clients/api-client.entity.js';
import type { CancellationTerm } from '../../catalogue/content/cancellation.js';
import type { ConstraintCode, PlaceConstraint } from '../../catalogue/content/zone-fields.js';
import type { PriceBasis } from '../../catalogue/content/cells.js';
import { type OfferedProduct, bandwidthInWords } from '../../catalogue/content/offer-fields.js';
import { column, optional } from '../../platform/database/columns.js';
import { WithSandbox } from '../../platform/database/sides.js';
import type { AmendmentRecord } from './amendments.js';
import type { PreferredDays, SiteDetails } from './site-details.dto.js';
import { counted, whole } from '../../platform/kernel/counts.js';

/** What the client of an enquiry wants. */
export interface Wanted {
  /** Gbit/s. */
  readonly bandwidth: number | null;
  /** Months. */
  readonly term: number | null;
  readonly description: string | null;
}

export const nothingNamed: Wanted = { bandwidth: null, term: null, description: null };

/** `10 Gbit/s, 36 months`, without the client's own words. */
export function wantedInWords(wanted: Omit<Wanted, 'description'> | null): string {
  const { bandwidth, term } = wanted ?? nothingNamed;
  const words = [
    ...(bandwidth === null ? [] : [bandwidthInWords(bandwidth)]),
    ...(term === null ? [] : [counted(term, 'month')]),
  ];
  return words.join(', ') || 'not stated';
}

/** `350 m from the network, in the band to 500 m`. */
export function nearestInWords({ distanceMetres, band }: Nearest): string {
  const [metres, to] = [distanceMetres, band].map((value) => whole(value));
  return `${metres} m from the network, in the band to ${to} m`;
}

/**
 * The row of a request in the queue, live or test: an order or an enquiry. See `ProductOrder` for the
 * columns that only an order has.
 */
export abstract class OrderRecord implements OrderProgress {
  /** UUID v7. */
  @PrimaryColumn(column.uuid)
  id: string;

  @Column(column.text(8))
  kind: WorkKind;

  /** `ORD-` or `ENQ-`, and 6 characters of Crockford's base 32, easy to read aloud. */
  @Column(column.text(10))
  reference: string;

  @Column(column.uuid)
  clientId: string;

  @Column(optional(column.text(64)))
  clientReference: string | null;

  @Column(column.text(8))
  postcode: string;

  /** Of the premises that the client named. */
  @Column(optional(column.bigInteger))
  uprn: number | null;

  /** The postcode's area, for filters and reports. */
  @Column(column.text(2))
  area: string;

  @Column(optional(column.text(32)))
  productCode: string | null;

  /** See `familyOf`. */
  @Column(optional(column.text(32)))
  productFamily: string | null;

  /** Of an enquiry, what the client wants. */
  @Column(optional(column.integer))
  bandwidthMbps: number | null;

  /** The ordered offer in the form of the API; never changed. Queries use the columns below. */
  @Column({ ...optional(column.json), update: false })
  terms: OfferedProduct | null;

  /** Of enquiries only. */
  @Column(optional(column.json))
  wanted: Wanted | null;

  /** The enquiry that the order came from. */
  @Column(optional(column.uuid))
  enquiryId: string | null;

  /** The quote that the request came from. */
  @Column(optional(column.uuid))
  quoteId: string | null;

  /** The number of the line there, from 1. */
  @Column(optional(column.integer))
  quoteLine: number | null;

  /** Of an enquiry, what the client wants. */
  @Column(optional(column.integer))
  termMonths: number | null;

  /** A month's price, excluding VAT. */
  @Column(optional(column.money))
  amountMinor: number | null;

  @Column(optional(column.text(3)))
  currency: string | null;

  @Column(optional(column.text(16)))
  basis: PriceBasis | null;

  /** Of an enquiry, that of its place; null where nothing covers it. */
  @Column(optional(column.text(64)))
  zone: string | null;

  @Column(column.text(32))
  priceList: string;

  @Column(optional(column.integer))
  catalogueVersion: number | null;

  /** The check that the client cited. */
  @Column(optional(column.text(10)))
  checkId: string | null;

  /** Of a place without coverage near the network, when the request was placed. */
  @Column(optional(column.json))
  nearest: Nearest | null;

  /** What made the place less than plain then; null where nothing did. */
  @Column(optional(column.json))
  constraints: readonly PlaceConstraint[] | null;

  /** What cancelling costs once it is accepted, by the catalogue of its terms; null without one. */
  @Column(optional(column.json))
  cancellation: readonly CancellationTerm[] | null;

  @Column(optional(column.text(120)))
  contactName: string | null;

  @Column(optional(column.text(254)))
  contactEmail: string | null;

  @Column(optional(column.text(40)))
  contactPhone: string | null;

  @Column(optional(column.longText))
  notes: string | null;

  /** Where in the building the service ends. */
  @Column(optional(column.json))
  details: SiteDetails | null;

  @Column(optional(column.json))
  preferredDays: PreferredDays | null;

  /** The last amendments with what they changed, oldest first: here, where an erasure finds them. */
  @Column(optional(column.json))
  amendments: readonly AmendmentRecord[] | null;

  /** Extra charges up to this sum are accepted in advance. */
  @Column(optional(column.money))
  acceptExtraMinor: number | null;

  /** The client wants it sooner, and may be charged for that. */
  @Column(column.boolean)
  expedite: boolean;

  /** An order of the same client, product and postcode up to 24 hours earlier. */
  @Column(optional(column.uuid))
  possibleDuplicateOf: string | null;

  @Column(column.instant)
  receivedAt: Date;

  @Column(column.text(16))
  state: OrderState;

  /** A closed order keeps its last owner. */
  @Column(optional(column.uuid))
  ownerId: string | null;

  /** A deadline in working time; it stays when the order returns to the queue. */
  @Column(column.instant)
  firstContactDueAt: Date;

  /** When `nearly late` starts. */
  @Column(column.instant)
  firstContactWarnAt: Date;

  @Column(optional(column.instant))
  claimedAt: Date | null;

  @Column(optional(column.instant))
  firstContactAt: Date | null;

  @Column(optional(column.instant))
  lastContactAt: Date | null;

  @Column(column.integer)
  contactAttempts: number;

  /** Of scheduled orders only. */
  @Column(optional(column.instant))
  nextActionAt: Date | null;

  @Column(optional(column.text(32)))
  nextActionReason: string | null;

  /** When its owner last took it as a due call-back. */
  @Column(optional(column.instant))
  takenAt: Date | null;

  /** See `nextDueOf`. Lists of open orders are sorted by it. */
  @Column(column.instant)
  nextDueAt: Date;

  @Column(optional(column.instant))
  closedAt: Date | null;

  @Column(optional(column.text(32)))
  closeReason: string | null;

  /** Of a won order in another system. */
  @Column(optional(column.text(64)))
  externalReference: string | null;

  /** Of an order for an indicative price that is won. */
  @Column(optional(column.json))
  confirmed: ConfirmedPrice | null;

  /** The original, as staff decided. */
  @Column(optional(column.uuid))
  duplicateOf: string | null;

  @Column(column.integer)
  reopenings: number;

  /** When the state that the API client sees last changed. */
  @Column(column.instant)
  publicStateAt: Date;

  /** When its last audit entry was made. */
  @Column(column.instant)
  lastEntryAt: Date;

  /** Counts the moves, for optimistic locking. */
  @Column(column.integer)
  version: number;

  /** What was scheduled when the client wrote. It comes back when the message is settled. */
  @Column(optional(column.json))
  wokenAction: WokenAction | null;
}

/** The columns that orders have and enquiries do not. */
interface OrderedTerms {
  readonly kind: 'order';
  readonly productCode: string;
  readonly productFamily: string;
  readonly bandwidthMbps: number;
  readonly terms: OfferedProduct;
  readonly termMonths: number;
  readonly amountMinor: number;
  readonly currency: string;
  readonly basis: PriceBasis;
}

/** A request of the kind `order`. */
export type ProductOrder = Order & OrderedTerms;

export function isProductOrder(order: Order): order is ProductOrder {
  return order.kind === 'order';
}

/** Lists are filtered by these. They are in the indexes, so that a filter reads no row that it leaves out. */
const filtered = ['productFamily', 'bandwidthMbps', 'termMonths'];

/** An order with its agreed terms, or an enquiry, and the progress of its follow-up. */
@WithSandbox(
  'ux_orders_reference',
  'ix_orders_client_received',
  'ix_orders_client_constrained',
  'ix_orders_client_public_state',
  'ix_orders_received',
  'ix_orders_catalogue_version',
  'ux_orders_quote_line',
  'ix_orders_quoted_changed',
)
@Entity({ name: 'orders' })
@Index('ux_orders_reference', ['reference'], { unique: true })
// The last four characters: an expression, which the migration has.
@Index('ix_orders_reference_end', { synchronize: false })
@Index('ix_orders_state_received', ['state', 'receivedAt', 'id', ...filtered])
@Index('ix_orders_client_received', ['clientId', 'receivedAt', 'id'])
@Index('ix_orders_twin', ['postcode', 'productCode', 'receivedAt', 'clientId', 'id'])
@Index('ix_orders_received', ['receivedAt', 'id'])
// Partial, because SQLite would use a full index for "closed_at IS NULL" and sort all open orders.
@Index('ix_orders_closed', ['closedAt', 'id', ...filtered], {
  where: `"closed_at" IS NOT NULL`,
})
@Index('ix_orders_check', ['checkId'])
@Index('ix_orders_uprn', ['uprn', 'id'], { where: `"uprn" IS NOT NULL` })
@Index('ix_orders_client_public_state', ['clientId', 'publicStateAt', 'id'])
@Index('ix_orders_possible_duplicate', ['possibleDuplicateOf'])
@Index('ix_orders_open', ['receivedAt', 'id', ...filtered], { where: `"closed_at" IS NULL` })
@Index('ix_orders_open_amount', ['amountMinor', 'id', ...filtered], {
  where: `"closed_at" IS NULL`,
})
@Index('ix_orders_open_next', ['nextDueAt', 'id', ...filtered], { where: `"closed_at" IS NULL` })
@Index('ix_orders_open_owner', ['ownerId', 'nextDueAt', 'id'], { where: `"closed_at" IS NULL` })
@Index('ix_orders_next_action', ['nextActionAt', 'id'], { where: `"next_action_at" IS NOT NULL` })
@Index('ix_orders_owner_next_action', ['ownerId', 'nextActionAt', 'id'], {
  where: `"next_action_at" IS NOT NULL`,
})
// Partial: storing an order does not maintain them.
@Index('ix_orders_enquiries', ['receivedAt', 'id'], { where: `"kind" = 'enquiry'` })
@Index('ix_orders_client_enquiries', ['clientId', 'receivedAt', 'id'], {
  where: `"kind" = 'enquiry'`,
})
@Index('ix_orders_enquiry', ['enquiryId'], { where: `"enquiry_id" IS NOT NULL` })
// A line of a quote becomes one order, and one enquiry.
@Index('ux_orders_quote_line', ['quoteId', 'quoteLine', 'kind'], {
  unique: true,
  where: `"quote_id" IS NOT NULL`,
})
@Index('ix_orders_quoted_changed', ['publicStateAt'], { where: `"quote_id" IS NOT NULL` })
@Index('ix_orders_constrained', ['receivedAt', 'id'], { where: `"constraints" IS NOT NULL` })
@Index('ix_orders_client_constrained', ['clientId', 'receivedAt', 'id'], {
  where: `"constraints" IS NOT NULL`,
})
// Pruning a catalogue version checks for references.
@Index('ix_orders_catalogue_version', ['catalogueVersion'])
@Index('ix_orders_due', ['firstContactDueAt', 'id'])
@Index('ix_orders_state_due', ['state', 'firstContactDueAt', 'id'])
@Index('ix_orders_open_due', ['firstContactDueAt', 'id'], { where: `"closed_at" IS NULL` })
// Last, because SQLite prefers the newer of two equally rated indexes, and these are smaller.
@Index('ix_orders_uncontacted', ['firstContactDueAt', 'id'], {
  where: `"closed_at" IS NULL AND "first_contact_at" IS NULL`,
})
@Index('ix_orders_uncontacted_state', ['state', 'firstContactDueAt', 'id'], {
  where: `"closed_at" IS NULL AND "first_contact_at" IS NULL`,
})
@ForeignKey(() => ApiClient, ['clientId'], ['id'], { name: 'fk_orders_client' })
export class Order extends OrderRecord {}

/**
 * Of orders that need a next step. Lists by what is due next start with them, except all open orders: there,
 * the overdue ones are first.
 */
export const NO_NEXT_STEP = new Date(0);
/** Of enquiries whose offers are open. */
const LAST = new Date('9999-12-31T00:00:00Z');

type DueColumn = 'nextActionAt' | 'firstContactAt' | 'firstContactDueAt' | 'state';

/** When what lists show as the next step is due: the next action, or the first contact. */
export function nextDueOf(order: Pick<Order, DueColumn>): Date {
  if (order.nextActionAt) return order.nextActionAt;
  if (order.firstContactAt === null) return order.firstContactDueAt;
  return order.state === 'offered' ? LAST : NO_NEXT_STEP;
}

/** The line of the quote that a request came from. */
export function quoteLineOf({ quoteId, quoteLine }: Pick<Order, 'quoteId' | 'quoteLine'>) {
  return { quoteId, lineId: quoteLine === null ? null : String(quoteLine) };
}

/**
 * A condition for requests `o` whose place had a constraint. The code is a literal of the list, in the stored JSON. Few
 * requests have any: their index spares a list the others.
 */
export function hasConstraint(code: ConstraintCode): string {
  return `(o.constraints IS NOT NULL AND o.constraints LIKE '%"code":"${code}"%')`;
}
