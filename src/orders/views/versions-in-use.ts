import { In } from 'typeorm';
import { checksUse } from '../../availability/stored-checks.js';
import { CatalogueVersion } from '../../catalogue/versions/catalogue-version.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { HOUR } from '../../platform/kernel/time.js';
import { Order, TestOrder } from '../record/order.entity.js';

/** Those of the catalogue versions to which an order or a stored check refers. */
export async function versionsInUse(tx: Tx, numbers: readonly number[]): Promise<number[]> {
  const versions = await tx.find(CatalogueVersion, {
    select: { number: true, activatedAt: true, retiredAt: true },
    where: { number: In(numbers) },
    order: { number: 'DESC' },
  });
  const used: number[] = [];
  for (const version of versions) {
    if ((await isOrdered(tx, version)) || (await isChecked(tx, version))) {
      used.push(version.number);
    }
  }
  return used;
}

async function isOrdered(tx: Tx, { number }: CatalogueVersion): Promise<boolean> {
  for (const orders of [Order, TestOrder]) {
    if (await tx.existsBy<{ catalogueVersion: number }>(orders, { catalogueVersion: number }))
      return true;
  }
  return false;
}

/** Whether a check used the version. Instances may still use it shortly after it is retired. */
async function isChecked(
  tx: Tx,
  { number, activatedAt, retiredAt }: CatalogueVersion,
): Promise<boolean> {
  // It never was live. A live version is never pruned.
  if (!activatedAt || !retiredAt) return false;
  const live = { start: activatedAt.getTime(), end: retiredAt.getTime() + HOUR };
  return checksUse(tx, number, live);
}
