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

  @Column(column.instant)
  createdAt: Date;
}
