import { clusterOf } from '../kernel/crockford.js';
import type { SqlValue } from '../database/engine/engine.js';
import type { Check } from './check.entity.js';

/** Milliseconds. */
export const HOUR = 3_600_000;

/**
 * A group is a row of several records: `id` is its first record's, `hour` counts from 1970 (UTC),
 * `last_checked_at` is when the last of them was made, `size` is how many they are, and `records` is a
 * JSON array with an array of values for each, which the views `checks` and `test_checks` name
 * (migration `CheckGroups`).
 */
export const groupColumns = [
  'id',
  'catalogue_version',
  'hour',
  'last_checked_at',
  'size',
  'records',
];

/**
 * Records that were made one after the other, in groups. What the records of a group share is what
 * they are looked for by: the cluster of their ids, the catalogue version and the hour.
 * @returns the values of each group, in the order of the columns
 */
export function groupsOf(checks: readonly Check[]): SqlValue[][] {
  const groups: SqlValue[][] = [];
  let group: Check[] = [];
  for (const check of checks) {
    if (group.length > 0 && !areTogether(group[0]!, check)) {
      groups.push(valuesOf(group));
      group = [];
    }
    group.push(check);
  }
  if (group.length > 0) groups.push(valuesOf(group));
  return groups;
}

function areTogether(a: Check, b: Check): boolean {
  return (
    clusterOf(a.id) === clusterOf(b.id) &&
    a.catalogueVersion === b.catalogueVersion &&
    hourOf(a.checkedAt) === hourOf(b.checkedAt)
  );
}

export function hourOf(at: Date): number {
  return Math.floor(at.getTime() / HOUR);
}

function valuesOf(group: readonly Check[]): SqlValue[] {
  const [{ id, catalogueVersion, checkedAt }] = group as [Check];
  const records = group.map((check) => [
    check.id,
    check.clientId,
    check.postcode,
    check.area,
    check.priceList,
    check.productCount,
    check.checkedAt.getTime(),
    check.staffId,
  ]);
  const last = Math.max(...group.map((check) => check.checkedAt.getTime()));
  const { length } = group;
  return [id, catalogueVersion, hourOf(checkedAt), last, length, JSON.stringify(records)];
}
