import { LessThan } from 'typeorm';
import { DAY, SECOND } from '../../platform/kernel/time.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { CatalogueVersion } from './catalogue-version.entity.js';
import {
  type ScheduledVersion,
  VersionStateProblem,
  WouldWithdrawSchedule,
} from './catalogue.errors.js';

/** Seconds in which every instance loads a scheduled version. During them it cannot be withdrawn. */
const SCHEDULE_AHEAD = 5;

const FURTHEST_AHEAD_DAYS = 366;

/** How a person publishes or restores a version. */
export interface Publication {
  /** The reason to pass broken guard rails. */
  readonly accept?: string | null;
  /** The numbers of the scheduled versions that may become drafts again. */
  readonly withdraw?: readonly number[];
}

/** A version that is live now. */
export interface PublishedVersion extends CatalogueVersion {
  /** The versions whose schedules the publication withdrew. */
  readonly withdrawn: readonly ScheduledVersion[];
}

/** The scheduled versions with a number below this one. Versions go live in the order of their numbers. */
export function scheduledBelow(tx: Tx, number: number): Promise<CatalogueVersion[]> {
  return tx.find(CatalogueVersion, {
    where: { state: 'scheduled', number: LessThan(number) },
    order: { number: 'ASC' },
  });
}

/**
 * Makes the scheduled versions below `number` drafts again: they can no longer go live.
 * @param confirmed their numbers, as the caller knows them
 * @returns them as they were
 * @throws {WouldWithdrawSchedule} if the caller did not name one of them
 */
export async function withdrawBelow(
  tx: Tx,
  number: number,
  confirmed: readonly number[],
): Promise<CatalogueVersion[]> {
  const overtaken = await scheduledBelow(tx, number);
  if (overtaken.some((version) => !confirmed.includes(version.number))) {
    throw new WouldWithdrawSchedule(overtaken);
  }
  for (const version of overtaken) {
    await tx.update(
      CatalogueVersion,
      { number: version.number },
      { state: 'draft', activatesAt: null },
    );
  }
  return overtaken;
}

/** Makes a version live, and retires the one before. */
export async function takeOver(
  tx: Tx,
  { number }: Pick<CatalogueVersion, 'number'>,
  at: Date,
): Promise<void> {
  await tx.update(CatalogueVersion, { state: 'active' }, { state: 'retired', retiredAt: at });
  await tx.update(
    CatalogueVersion,
    { number },
    { state: 'active', activatedAt: at, activatesAt: null, retiredAt: null },
  );
}

/** @throws {VersionStateProblem} unless a version can be scheduled for `at` */
export function refuseInstant(number: number, at: Date, now: Date): void {
  const ahead = at.getTime() - now.getTime();
  if (ahead < SCHEDULE_AHEAD * SECOND) {
    throw new VersionStateProblem(
      `Version ${number} is not scheduled: the instant must be at least ${SCHEDULE_AHEAD} seconds ahead, so that every instance can load the version.`,
    );
  }
  if (ahead > FURTHEST_AHEAD_DAYS * DAY) {
    throw new VersionStateProblem(
      `Version ${number} is not scheduled: the instant must be within ${FURTHEST_AHEAD_DAYS} days.`,
    );
  }
}

/** @throws {VersionStateProblem} if a version goes live within seconds, when its schedule can no longer change */
export function refuseIfImminent(activatesAt: Date | null, now: Date): void {
  if (!activatesAt || activatesAt.getTime() - now.getTime() >= SCHEDULE_AHEAD * SECOND) return;
  throw new VersionStateProblem(
    'The version goes live within seconds, so its schedule can no longer be changed. Roll back afterwards.',
  );
}
