import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../database/columns.js';

/** A reseller's or partner's system, and the people behind it. */
@Entity({ name: 'api_clients' })
@Index('ux_api_clients_name', ['name'], { unique: true })
export class ApiClient {
  @PrimaryColumn(column.uuid)
  id: string;

  @Column(column.text(120))
  name: string;

  @Column(column.text(120))
  contactName: string;

  @Column(column.text(254))
  contactEmail: string;

  @Column(column.text(40))
  contactPhone: string;

  @Column(column.text(32))
  priceList: string;

  /** Adds the key that clients of version 0.2.0 read: `bandwidthCapactity`. */
  @Column(column.boolean)
  legacyFieldNames: boolean;

  /** Its own limits; null: those of the configuration. */
  @Column(optional(column.integer))
  lookupsPerMinute: number | null;

  /** Look-ups in one second. */
  @Column(optional(column.integer))
  lookupBurst: number | null;

  @Column(optional(column.integer))
  ordersPerMinute: number | null;

  @Column(optional(column.integer))
  inFlight: number | null;

  @Column(column.boolean)
  enabled: boolean;

  @Column(column.instant)
  createdAt: Date;
}
