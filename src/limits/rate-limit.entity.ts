import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column, optional } from '../database/columns.js';

/** What has been counted for a key; written by SharedCounts, on PostgreSQL only. */
@Entity({ name: 'rate_limits' })
export class RateLimit {
  @PrimaryColumn(column.text(255))
  key: string;

  @Column(column.integer)
  points: number;

  @Column(optional(column.instant))
  expire: Date | null;
}
