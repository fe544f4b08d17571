import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from './columns.js';

/** A random value that belongs to this database: every instance, and every copy, has the same. */
@Entity({ name: 'database_secrets' })
export class DatabaseSecret {
  @PrimaryColumn(column.text(32))
  name: string;

  /** Hexadecimal. */
  @Column(column.text(64))
  value: string;
}
