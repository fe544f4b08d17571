import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ApiClient } from '../clients/api-client.entity.js';
import { column, optional } from '../platform/database/columns.js';
import { WithSandbox } from '../platform/database/sides.js';
import type { WatchCondition } from './watch-condition.js';

export const watchStates = ['open', 'served', 'ended'] as const;
export type WatchState = (typeof watchStates)[number];

/** Instead of a UPRN: the watch is of the postcode. Unique indexes do not compare NULL. */
export const NO_UPRN = 0;

/** A place at which an API client waits for products. One watch of each client at each place. */
export abstract class WatchRecord implements WatchCondition {
  /** UUID v7. */
  @PrimaryColumn(column.uuid)
  id: string;

  @Column(column.uuid)
  clientId: string;

  /** The packed postcode. */
  @Column(column.integer)
  packed: number;

  /** `NO_UPRN` for the postcode. */
  @Column(column.bigInteger)
  uprn: number;

  @Column(optional(column.text(64)))
  clientReference: string | null;

  @Column(column.integer)
  minBandwidthMbps: number;

  @Column(optional(column.bigInteger))
  maxPriceMilli: number | null;

  @Column(column.boolean)
  includeBuild: boolean;

  @Column(column.text(8))
  state: WatchState;

  @Column(column.instant)
  createdAt: Date;

  /** When it was last put, while it is open; else when it was served or ended. */
  @Column(column.instant)
  changedAt: Date;

  /** The transaction that served it: its webhook message names it. Null if no message reported it. */
  @Column(optional(column.uuid))
  batch: string | null;
}

const evaluated = [
  'clientId',
  'packed',
  'uprn',
  'minBandwidthMbps',
  'maxPriceMilli',
  'includeBuild',
];

@WithSandbox()
@Entity({ name: 'watches' })
// No index begins with the state: SQLite would prefer it to the one of the evaluation.
@Index('ux_watches_place', ['clientId', 'packed', 'uprn'], { unique: true })
@Index('ix_watches_open', evaluated, { where: `"state" = 'open'` })
@Index('ix_watches_batch', ['batch'], { where: `"batch" IS NOT NULL` })
@Index('ix_watches_client', ['clientId', 'createdAt', 'id', 'state'])
@Index('ix_watches_open_changed', ['changedAt', 'id'], { where: `"state" = 'open'` })
@Index('ix_watches_closed_changed', ['changedAt', 'id'], { where: `"state" <> 'open'` })
@ForeignKey(() => ApiClient, ['clientId'], ['id'], { name: 'fk_watches_client' })
export class Watch extends WatchRecord {}

/** A caller who is no client, and waits for products at a place that Direct enquiries watches. */
@Entity({ name: 'watch_callers' })
@Index('ux_watch_callers_email', ['packed', 'uprn', 'email'], { unique: true })
@Index('ix_watch_callers_put', ['putAt', 'id'])
export class WatchCaller {
  @PrimaryColumn(column.uuid)
  id: string;

  @Column(column.integer)
  packed: number;

  /** `NO_UPRN` for the postcode. */
  @Column(column.bigInteger)
  uprn: number;

  @Column(column.text(254))
  email: string;

  @Column(column.instant)
  putAt: Date;

  /** When the email to the caller was added; null while the caller waits. */
  @Column(optional(column.instant))
  servedAt: Date | null;
}

/** Tells the places of one client's watches apart. */
export function placeKeyOfWatch({ packed, uprn }: Pick<Watch, 'packed' | 'uprn'>): string {
  return `${packed} ${uprn}`;
}
