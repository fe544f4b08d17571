import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../../platform/database/columns.js';
import type { BespokeOffer } from '../record/bespoke-offer.entity.js';
import type { DeliveryRecord } from '../record/delivery.entity.js';

/** The columns of an offer that change. */
export type UndoneOffer = Pick<
  BespokeOffer,
  'id' | 'state' | 'openedAt' | 'endedAt' | 'approverId'
>;

/** The columns of a delivery that a change sets. */
export type UndoneDelivery = Partial<DeliveryRecord> &
  Pick<DeliveryRecord, 'unreportedSince' | 'reportedAt'>;

/** How to take back the last move of an order, while that is possible. */
@Entity({ name: 'order_undos' })
@Index('ix_order_undos_staff', ['staffId', 'until'])
export class OrderUndo {
  @PrimaryColumn(column.uuid)
  orderId: string;

  /** Who made the move. */
  @Column(column.uuid)
  staffId: string;

  /** Of the move, in the audit trail. */
  @Column(column.text(64))
  action: string;

  /** The version that the move has made. */
  @Column(column.integer)
  version: number;

  @Column(column.instant)
  until: Date;

  /** The columns that the move set, as they were. */
  @Column(column.json)
  before: Record<string, unknown>;

  /** Bespoke offers of an enquiry that the move changed, as they were. */
  @Column(column.json)
  offers: readonly UndoneOffer[];

  /** The delivery of an accepted order that was changed, as it was. */
  @Column(optional(column.json))
  delivery: UndoneDelivery | null;

  /** The ids of the outbox messages that wait until then. */
  @Column(column.json)
  messages: readonly string[];
}
