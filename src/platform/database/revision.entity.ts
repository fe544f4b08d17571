import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column, optional } from './columns.js';

/** Counts the changes of data that instances keep in memory. */
@Entity({ name: 'revisions' })
export class Revision {
  @PrimaryColumn(column.text(32))
  name: string;

  @Column(column.integer)
  number: number;

  /** Random for each change: after a failover to an older state, a number can come twice. */
  @Column(optional(column.text(36)))
  mark: string | null;
}
