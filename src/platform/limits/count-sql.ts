import { DATABASE_NOW } from '../database/postgres/postgres.js';
import { MINUTE } from '../kernel/time.js';

/** The key of an API client's orders in `rate_limits`. */
export function keyOf(quota: string): string {
  return `orders:${quota}`;
}

/**
 * Counts for all instances on PostgreSQL, in windows of a minute that start with the first count. A window
 * never ends later than a minute from now, even if the database's clock has gone back.
 * @param asked a query of `key` and `number`, one row for each key
 * @returns a statement whose rows are `key`, `points` and `remaining` (milliseconds)
 */
export function countSql(asked: string): string {
  const isOpen = `r.expire > ${DATABASE_NOW}`;
  const longest = `${DATABASE_NOW} + ${MINUTE}`;
  // In the order of the keys, so that two instances never wait for each other.
  return `INSERT INTO rate_limits AS r (key, points, expire)
    SELECT key, number, ${longest} FROM (${asked}) AS asked ORDER BY key
    ON CONFLICT (key) DO UPDATE SET
      points = CASE WHEN ${isOpen} THEN r.points ELSE 0 END + excluded.points,
      expire = CASE WHEN ${isOpen} THEN LEAST(r.expire, ${longest}) ELSE ${longest} END
    RETURNING key, points, (expire - ${DATABASE_NOW})::integer AS remaining`;
}
