import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../database/columns.js';

/** Where events are posted: to a system of the operator, or to an API client's. */
@Entity({ name: 'webhook_endpoints' })
@Index('ux_webhook_endpoints_client', ['clientId'], { unique: true })
export class WebhookEndpoint {
  @PrimaryColumn(column.uuid)
  id: string;

  /** Whose orders it is told of; null is the operator, who is told of all. A client has one at most. */
  @Column(optional(column.uuid))
  @ForeignKey('ApiClient', { name: 'fk_webhook_endpoints_client' })
  clientId: string | null;

  /** May hold a secret of its own in path or query; never logged. */
  @Column(column.longText)
  url: string;

  /** The signing secrets, newest first, as a JSON array that is encrypted with `WEBHOOK_KEY`. */
  @Column(column.longText)
  sealedSecrets: string;

  @Column(column.boolean)
  enabled: boolean;

  /** Why it was disabled. */
  @Column(optional(column.text(200)))
  disabledReason: string | null;

  @Column(column.instant)
  createdAt: Date;
}
