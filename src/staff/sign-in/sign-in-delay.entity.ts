import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { column } from '../../database/columns.js';

/** How long a name to sign in with has to wait after failures, whether it is a member's or not. */
@Entity({ name: 'sign_in_delays' })
@Index('ix_sign_in_delays_failed', ['failedAt'])
export class SignInDelay {
  /** SHA-256 of what was tried: `password` or `code`, and the name in lower case. */
  @PrimaryColumn(column.text(64))
  key: string;

  @Column(column.integer)
  failures: number;

  @Column(column.instant)
  failedAt: Date;

  /** Until then nothing is tried. */
  @Column(column.instant)
  nextAt: Date;
}
