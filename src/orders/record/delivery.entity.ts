import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../../platform/database/columns.js';
import { WithSandbox } from '../../platform/database/sides.js';
import type { DateChangeRecord, MilestoneRecord, WaitedDays, WaitingParty } from './milestones.js';

/** What happens between the acceptance of an order and a working service. Days are those of London. */
export abstract class DeliveryRecord {
  /** Written when the order is won. */
  @PrimaryColumn(column.uuid)
  orderId: string;

  @Column(column.text(10))
  acceptedOn: string;

  /** `acceptedOn` and the lead time of the agreed terms. */
  @Column(column.text(10))
  promisedOn: string;

  /** The circuit, in the words of the operator's systems. */
  @Column(optional(column.text(64)))
  serviceId: string | null;

  @Column(optional(column.text(10)))
  committedDate: string | null;

  /** Oldest first. */
  @Column(column.json)
  dateChanges: readonly DateChangeRecord[];

  @Column(column.json)
  milestones: MilestoneRecord;

  @Column(optional(column.text(10)))
  waitingParty: WaitingParty | null;

  @Column(optional(column.text(200)))
  waitingWhat: string | null;

  @Column(optional(column.instant))
  waitingSince: Date | null;

  /** Working days in London that earlier waits have taken, by party; null for none. */
  @Column(optional(column.json))
  waited: WaitedDays | null;

  /** Calendar days of them that the client took; null for none. */
  @Column(optional(column.integer))
  clientDays: number | null;

  /** When the client was last reminded of what it is waited for. */
  @Column(optional(column.instant))
  remindedAt: Date | null;

  @Column(optional(column.text(10)))
  liveOn: string | null;

  /** The first day on which the date is at risk: see `riskOf`. Null once it is live. */
  @Column(optional(column.text(10)))
  riskOn: string | null;

  /** When the client asked to cancel the accepted order; null once staff have answered. */
  @Column(optional(column.instant))
  cancellationAskedAt: Date | null;

  /** When it changed, as long as no webhook has reported it. */
  @Column(optional(column.instant))
  unreportedSince: Date | null;

  /** When the last webhook was added. */
  @Column(optional(column.instant))
  reportedAt: Date | null;
}

const unreported = { where: `"unreported_since" IS NOT NULL` };

@WithSandbox('ix_deliveries_unreported')
@Entity({ name: 'deliveries' })
@Index('ix_deliveries_waiting', ['waitingParty', 'orderId'], {
  where: `"waiting_party" IS NOT NULL`,
})
@Index('ix_deliveries_risk', ['riskOn', 'orderId'], { where: `"risk_on" IS NOT NULL` })
@Index('ix_deliveries_live', ['liveOn', 'orderId'], { where: `"live_on" IS NOT NULL` })
@Index('ix_deliveries_cancellation', ['cancellationAskedAt', 'orderId'], {
  where: `"cancellation_asked_at" IS NOT NULL`,
})
@Index('ix_deliveries_unreported', ['unreportedSince', 'orderId'], unreported)
export class Delivery extends DeliveryRecord {}
