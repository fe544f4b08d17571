import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../database/columns.js';

/** A webhook of the operator or of an API client. */
@Entity({ name: 'webhook_endpoints' })
@Index('ux_webhook_endpoints_client', ['clientId', 'isTest'], { unique: true })
export class WebhookEndpoint {
  @PrimaryColumn(column.uuid)
  id: string;

  /**
   * Receives events of this client's orders; null: of all live orders. A client has at most one for
   * live and one for test orders.
   */
  @Column(optional(column.uuid))
  @ForeignKey('ApiClient', { name: 'fk_webhook_endpoints_client' })
  clientId: string | null;

  /** Receives events of test orders only. Only test tokens read and change it. */
  @Column(column.boolean)
  isTest: boolean;

  /** Never logged: path and query may contain a secret. */
  @Column(column.longText)
  url: string;

  /** A JSON array of signing secrets, newest first, encrypted with `WEBHOOK_KEY`. */
  @Column(column.longText)
  sealedSecrets: string;

  @Column(column.boolean)
  enabled: boolean;

  @Column(optional(column.text(200)))
  disabledReason: string | null;

  /** Failed deliveries in a row. */
  @Column(column.integer)
  failures: number;

  /** When the first of them failed. */
  @Column(optional(column.instant))
  failingSince: Date | null;

  /** Until then no delivery is tried. */
  @Column(optional(column.instant))
  quietUntil: Date | null;

  /** Since then it gets one attempt an hour. */
  @Column(optional(column.instant))
  pausedAt: Date | null;

  @Column(column.instant)
  createdAt: Date;
}

/** An endpoint whose last delivery succeeded, or that starts again. */
export const healthy = { failures: 0, failingSince: null, quietUntil: null, pausedAt: null };
