import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from '../../platform/database/columns.js';

/** The orders that one instance's callers have open; one row per instance. */
@Entity({ name: 'order_viewers' })
export class OrderViewers {
  @PrimaryColumn(column.uuid)
  instanceId: string;

  @Column(column.json)
  viewings: [orderId: string, staffId: string, name: string][];

  /** Each instance renews its row at least every 15 seconds. */
  @Column(column.instant)
  seenAt: Date;
}
