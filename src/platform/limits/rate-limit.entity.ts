import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column, optional } from '../database/columns.js';

/** The count of a key; SharedCountsService writes it, only on PostgreSQL. */
@Entity({ name: 'rate_limits' })
export class RateLimit {
  @PrimaryColumn(column.text(255))
  key: string;

  @Column(column.integer)
  points: number;

  @Column(optional(column.instant))
  expire: Date | null;
}
