import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from './columns.js';

/** A random value of this database, the same for every instance and in every backup. */
@Entity({ name: 'database_secrets' })
export class DatabaseSecret {
  @PrimaryColumn(column.text(32))
  name: string;

  /** Hexadecimal. */
  @Column(column.text(64))
  value: string;
}
