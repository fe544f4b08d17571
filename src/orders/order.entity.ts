import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ApiClient } from '../clients/api-client.entity.js';
import type { OfferedProduct } from '../catalogue/content/offer-fields.js';
import { column, optional } from '../database/columns.js';
import type { OrderProgress } from './moves/order-state.js';
import type { OrderState } from './moves/order-states.js';

/** The columns of an order, live or test. */
export abstract class OrderRecord implements OrderProgress {
  /** UUID v7. */
  @PrimaryColumn(column.uuid)
  id: string;

  /** Short, to be read aloud: `ORD-` and 6 characters of Crockford's base 32. */
  @Column(column.text(10))
  reference: string;

  @Column(column.uuid)
  clientId: string;

  /** The client's own. */
  @Column(optional(column.text(64)))
  clientReference: string | null;

  /** Canonical. */
  @Column(column.text(8))
  postcode: string;

  /** The postcode's area, for filters and reports. */
  @Column(column.text(2))
  area: string;

  @Column(column.text(32))
  productCode: string;

  /** What was ordered, as the interface says it: never changed. The columns beside it are for queries. */
  @Column({ ...column.json, update: false })
  terms: OfferedProduct;

  @Column(column.integer)
  termMonths: number;

  /** A month's price, excluding VAT. */
  @Column(column.money)
  amountMinor: number;

  @Column(column.text(3))
  currency: string;

  @Column(column.text(32))
  zone: string;

  @Column(column.text(32))
  priceList: string;

  /** The version whose terms these are. */
  @Column(column.integer)
  catalogueVersion: number;

  /** The check that the client cited. */
  @Column(optional(column.text(10)))
  checkId: string | null;

  @Column(optional(column.text(120)))
  contactName: string | null;

  @Column(optional(column.text(254)))
  contactEmail: string | null;

  @Column(optional(column.text(40)))
  contactPhone: string | null;

  @Column(optional(column.longText))
  notes: string | null;

  /** An earlier order of the same client for the same product and postcode, within 24 hours. */
  @Column(optional(column.uuid))
  possibleDuplicateOf: string | null;

  @Column(column.instant)
  receivedAt: Date;

  @Column(column.text(16))
  state: OrderState;

  /** Of a closed order: who had it last. */
  @Column(optional(column.uuid))
  ownerId: string | null;

  /** In working time after it was received. Kept when the order goes back to the queue. */
  @Column(column.instant)
  firstContactDueAt: Date;

  /** When most of that time has passed. */
  @Column(column.instant)
  firstContactWarnAt: Date;

  /** When its owner got it. */
  @Column(optional(column.instant))
  claimedAt: Date | null;

  @Column(optional(column.instant))
  firstContactAt: Date | null;

  @Column(optional(column.instant))
  lastContactAt: Date | null;

  @Column(column.integer)
  contactAttempts: number;

  /** When it comes back to its owner; of scheduled orders only. */
  @Column(optional(column.instant))
  nextActionAt: Date | null;

  @Column(optional(column.text(32)))
  nextActionReason: string | null;

  @Column(optional(column.instant))
  closedAt: Date | null;

  @Column(optional(column.text(32)))
  closeReason: string | null;

  /** The won order's in another system. */
  @Column(optional(column.text(64)))
  externalReference: string | null;

  /** The order that staff say it repeats. */
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

  /** Counts the moves; a move names the version that it saw. */
  @Column(column.integer)
  version: number;
}

/** What a client asked for, with the offer as it stood, and the state of the staff's work on it. */
@Entity({ name: 'orders' })
@Index('ux_orders_reference', ['reference'], { unique: true })
@Index('ix_orders_state_received', ['state', 'receivedAt', 'id'])
@Index('ix_orders_client_received', ['clientId', 'receivedAt', 'id'])
@Index('ix_orders_twin', ['postcode', 'clientId', 'productCode', 'receivedAt'])
@Index('ix_orders_catalogue_version', ['catalogueVersion'])
@Index('ix_orders_received', ['receivedAt', 'id'])
@Index('ix_orders_closed', ['closedAt', 'id'], { where: `"closed_at" IS NOT NULL` })
@Index('ix_orders_check', ['checkId'])
@Index('ix_orders_client_public_state', ['clientId', 'publicStateAt', 'id'])
@Index('ix_orders_possible_duplicate', ['possibleDuplicateOf'])
@Index('ix_orders_open', ['receivedAt', 'id'], { where: `"closed_at" IS NULL` })
@Index('ix_orders_due', ['firstContactDueAt', 'id'])
@Index('ix_orders_state_due', ['state', 'firstContactDueAt', 'id'])
@Index('ix_orders_open_due', ['firstContactDueAt', 'id'], { where: `"closed_at" IS NULL` })
@Index('ix_orders_open_owner', ['ownerId', 'receivedAt', 'id'], { where: `"closed_at" IS NULL` })
@Index('ix_orders_next_action', ['nextActionAt', 'id'], { where: `"next_action_at" IS NOT NULL` })
@Index('ix_orders_owner_next_action', ['ownerId', 'nextActionAt', 'id'], {
  where: `"next_action_at" IS NOT NULL`,
})
@Index('ix_orders_uncontacted', ['firstContactDueAt', 'id'], {
  where: `"closed_at" IS NULL AND "first_contact_at" IS NULL`,
})
@Index('ix_orders_uncontacted_state', ['state', 'firstContactDueAt', 'id'], {
  where: `"closed_at" IS NULL AND "first_contact_at" IS NULL`,
})
@ForeignKey(() => ApiClient, ['clientId'], ['id'], { name: 'fk_orders_client' })
export class Order extends OrderRecord {}

/**
 * One that was placed with a test token: in a table of its own, so that no list, search, report,
 * export, reminder or count of the live ones can ever find it.
 */
@Entity({ name: 'test_orders' })
@Index('ux_test_orders_reference', ['reference'], { unique: true })
@Index('ix_test_orders_client_received', ['clientId', 'receivedAt', 'id'])
@Index('ix_test_orders_client_public_state', ['clientId', 'publicStateAt', 'id'])
@Index('ix_test_orders_received', ['receivedAt', 'id'])
@Index('ix_test_orders_catalogue_version', ['catalogueVersion'])
@ForeignKey(() => ApiClient, ['clientId'], ['id'], { name: 'fk_test_orders_client' })
export class TestOrder extends OrderRecord {}

/** The orders that a caller can have and see. */
export function ordersOf({ isTest }: { readonly isTest: boolean }): typeof Order {
  return isTest ? TestOrder : Order;
}

/** As which the audit trail knows them. */
export function orderSubject({ isTest }: { readonly isTest: boolean }): 'order' | 'test-order' {
  return isTest ? 'test-order' : 'order';
}
