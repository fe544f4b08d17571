import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from '../../database/columns.js';

/** Which orders lie open on the screens of one instance's callers; one row an instance. */
@Entity({ name: 'order_viewers' })
export class OrderViewers {
  @PrimaryColumn(column.uuid)
  instanceId: string;

  /** Order, staff member and name, of each who looks. */
  @Column(column.json)
  viewings: [orderId: string, staffId: string, name: string][];

  /** When the instance last said so; it says so again at least every 15 seconds. */
  @Column(column.instant)
  seenAt: Date;
}
