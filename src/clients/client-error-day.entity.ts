import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from '../platform/database/columns.js';

/** Errors that one client has received, per day and code. */
@Entity({ name: 'client_error_days' })
export class ClientErrorDay {
  /** In London, `2026-11-21`. */
  @PrimaryColumn(column.text(10))
  day: string;

  @PrimaryColumn(column.uuid)
  clientId: string;

  /** Of the problem, such as `rate-limited`. */
  @PrimaryColumn(column.text(32))
  code: string;

  /** Of requests with test tokens. */
  @PrimaryColumn(column.boolean)
  isTest: boolean;

  @Column(column.integer)
  errors: number;

  /** When the latest one occurred. */
  @Column(column.instant)
  lastAt: Date;
}
