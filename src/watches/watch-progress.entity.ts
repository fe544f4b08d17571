import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from '../platform/database/columns.js';

/** What an evaluation compares the watches with. */
export interface WatchTarget {
  /** The catalogue version. */
  readonly version: number;
  /** The last instant so far at which a date changed what it answers; the epoch if none did. */
  readonly readyAt: Date;
  /** The sum of two revisions: of API clients, which can get another price list, and of the postcodes' positions. */
  readonly access: number;
  /**
   * `NEAR_NET`, `POINT_OFFSET` and the factor of routes, which decide about watches with `includeBuild`, and whether
   * emails reach callers, who wait until then.
   */
  readonly settings: string;
}

/**
 * The change up to which all watches have been evaluated, or are being evaluated. Stored, so that a
 * crash after a change delays an evaluation but never omits it.
 */
@Entity({ name: 'watch_progress' })
export class WatchProgress implements WatchTarget {
  /** Always 1. */
  @PrimaryColumn(column.integer)
  id: number;

  @Column(column.integer)
  version: number;

  @Column(column.instant)
  readyAt: Date;

  @Column(column.integer)
  access: number;

  @Column(column.text(32))
  settings: string;

  /** The last evaluation. */
  @Column(column.uuid)
  run: string;

  /** When another instance may start it again. */
  @Column(column.instant)
  leaseUntil: Date;

  @Column(column.boolean)
  done: boolean;
}

/** Whether a catalogue in memory is older than what others have evaluated. */
export function isBehind(
  { version, readyAt }: Pick<WatchTarget, 'version' | 'readyAt'>,
  than: Pick<WatchTarget, 'version' | 'readyAt'>,
): boolean {
  return version < than.version || (version === than.version && readyAt < than.readyAt);
}
