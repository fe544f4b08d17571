import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ApiClient } from '../clients/api-client.entity.js';
import { column, optional } from '../database/columns.js';

export const openStates = ['waiting', 'in_progress', 'scheduled'] as const;
export const closedStates = ['won', 'lost', 'cancelled', 'duplicate'] as const;
export const orderStates = [...openStates, ...closedStates] as const;
export type OrderState = (typeof orderStates)[number];

/** What a client asked for, with the offer as it stood, and the state of the staff's work on it. */
@Entity({ name: 'orders' })
@Index('ux_orders_reference', ['reference'], { unique: true })
@Index('ix_orders_state_received', ['state', 'receivedAt', 'id'])
@Index('ix_orders_client_received', ['clientId', 'receivedAt', 'id'])
@Index('ix_orders_postcode', ['postcode'])
@Index('ix_orders_catalogue_version', ['catalogueVersion'])
export class Order {
  /** UUID v7. */
  @PrimaryColumn(column.uuid)
  id: string;

  /** Short, to be read aloud: `ORD-` and 6 characters of Crockford's base 32. */
  @Column(column.text(10))
  reference: string;

  @Column(column.uuid)
  @ForeignKey(() => ApiClient, { name: 'fk_orders_client' })
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

  @Column(column.text(120))
  productName: string;

  @Column(column.integer)
  bandwidthProvisionedMbps: number;

  @Column(column.integer)
  bandwidthCapacityMbps: number;

  @Column(column.integer)
  termMonths: number;

  /** A month's price, excluding VAT. */
  @Column(column.money)
  amountMinor: number;

  @Column(column.text(3))
  currency: string;

  @Column(column.integer)
  leadTimeDays: number;

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

  @Column(optional(column.uuid))
  ownerId: string | null;

  /** Counts the moves; a move names the version that it saw. */
  @Column(column.integer)
  version: number;
}
