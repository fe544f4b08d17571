import { Not } from 'typeorm';
import type { Tx } from '../../platform/database/engine/tx.js';
import {
  CatalogueVersion,
  DISCARDED,
  filesHash,
  type VersionState,
} from './catalogue-version.entity.js';
import { VersionNotFound, VersionStateProblem } from './catalogue.errors.js';

/** Finds the versions that exist for people and programs. */
export const notDiscarded = Not(DISCARDED as VersionState);

/** @throws {VersionNotFound} */
export async function versionOf(tx: Tx, number: number): Promise<CatalogueVersion> {
  const version = await tx.findOneBy(CatalogueVersion, { number, state: notDiscarded });
  if (!version) throw new VersionNotFound();
  return version;
}

/** @throws {VersionStateProblem} unless the version can go live */
export async function refuseUnlessPending(
  tx: Tx,
  { number, state }: CatalogueVersion,
): Promise<void> {
  if (state === 'active') throw new VersionStateProblem(`Version ${number} is already active.`);
  if (state === 'retired') {
    throw new VersionStateProblem(
      `Version ${number} is retired. To use its content again, restore it.`,
    );
  }
  const active = await tx.findOneBy(CatalogueVersion, { state: 'active' });
  if (active && active.number > number) {
    throw new VersionStateProblem(
      `Version ${number} cannot be activated: the active version ${active.number} is newer. Make it again from the live version, or import its files again.`,
    );
  }
}

/**
 * Returns the live version.
 * @param judged the one with which the guard rails compared
 * @throws {VersionStateProblem} if another one has gone live since
 */
export async function liveAsJudged(
  tx: Tx,
  judged: number | null,
): Promise<CatalogueVersion | null> {
  const active = await tx.findOneBy(CatalogueVersion, { state: 'active' });
  if (!active || active.number === judged) return active;
  throw new VersionStateProblem(
    `Version ${active.number} went live meanwhile. Check the changes again.`,
  );
}

/**
 * The version to restore, by default the last one with another content than the live one.
 * @throws {VersionNotFound | VersionStateProblem}
 */
export async function sourceOf(tx: Tx, number: number | null): Promise<CatalogueVersion> {
  const active = await tx.findOneBy(CatalogueVersion, { state: 'active' });
  const source = await versionOf(tx, number ?? (await versionBefore(tx, active)));
  if (source.state === 'retired') return source;
  throw new VersionStateProblem(
    source.state === 'active'
      ? `Version ${source.number} is already active.`
      : `Version ${source.number} has never been active. Activate it instead.`,
  );
}

/** Numbers only go up. */
export async function nextNumber(tx: Tx): Promise<number> {
  const [newest] = await tx.find(CatalogueVersion, { order: { number: 'DESC' }, take: 1 });
  return (newest?.number ?? 0) + 1;
}

/** The last retired version with another content. @throws {VersionStateProblem} */
async function versionBefore(tx: Tx, active: CatalogueVersion | null): Promise<number> {
  const retired = await tx.find(CatalogueVersion, {
    where: { state: 'retired' },
    order: { number: 'DESC' },
  });
  const before = retired.find((one) => !active || filesHash(one) !== filesHash(active));
  if (before) return before.number;
  throw new VersionStateProblem('There is no earlier version to restore.');
}

/** Makes a version live, and retires the one before. */
export async function takeOver(tx: Tx, number: number, at: Date): Promise<void> {
  await tx.update(CatalogueVersion, { state: 'active' }, { state: 'retired', retiredAt: at });
  await tx.update(
    CatalogueVersion,
    { number },
    { state: 'active', activatedAt: at, retiredAt: null },
  );
}
