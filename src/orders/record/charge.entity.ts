import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../../platform/database/columns.js';
import { WithSandbox } from '../../platform/database/sides.js';
import type { ChargeCategory, ChargeState } from './charge-states.js';

/** The columns of an extra charge, on a live or a test order. */
export abstract class ChargeRecord {
  /** UUID v7. */
  @PrimaryColumn(column.uuid)
  id: string;

  @Column(column.uuid)
  orderId: string;

  @Column(column.text(16))
  category: ChargeCategory;

  /** One-off, excluding VAT. */
  @Column(column.money)
  amountMinor: number;

  /** That of the order. */
  @Column(column.text(3))
  currency: string;

  /** For the client. Null once personal data of the order is erased. */
  @Column(optional(column.longText))
  note: string | null;

  /** As stored: see `chargeStateAt`. */
  @Column(column.text(16))
  state: ChargeState;

  /** Without an answer by then, it lapses. */
  @Column(column.instant)
  dueAt: Date;

  @Column(column.instant)
  proposedAt: Date;

  /** When it was accepted, rejected or withdrawn, or lapsed. */
  @Column(optional(column.instant))
  endedAt: Date | null;

  /** The person at the client. */
  @Column(optional(column.text(120)))
  answeredBy: string | null;

  /** The staff member; null where the sandbox proposed it. */
  @Column(optional(column.uuid))
  proposedBy: string | null;
}

/** An extra amount that staff propose on an order. */
@WithSandbox('ix_charges_order', 'ix_charges_open')
@Entity({ name: 'charges' })
@Index('ix_charges_order', ['orderId', 'id'])
@Index('ix_charges_proposed', ['proposedAt', 'id'])
@Index('ix_charges_open', ['dueAt', 'id'], { where: `"state" = 'awaitingResponse'` })
export class Charge extends ChargeRecord {}
