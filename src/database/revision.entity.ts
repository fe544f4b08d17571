import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from './columns.js';

/** Counts the changes of data that instances keep in memory. */
@Entity({ name: 'revisions' })
export class Revision {
  @PrimaryColumn(column.text(32))
  name: string;

  @Column(column.integer)
  number: number;
}
