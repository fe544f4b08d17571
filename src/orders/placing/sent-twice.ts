import { setTimeout as delay } from 'node:timers/promises';
import { RequestInProgress } from '../record/orders.errors.js';
import { readIdempotencyKey } from './idempotency.js';

/** A double click sends a form twice: the second request waits up to 8 × 150 ms for the first. */
const RETRIES = { times: 8, milliseconds: 150 };

/** What the form of a page does once for each key, however often it is sent. */
export async function sentTwice<T>(
  onceKey: string,
  work: (key: string | undefined) => Promise<T>,
): Promise<T> {
  const key = readIdempotencyKey(onceKey);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(key);
    } catch (error) {
      if (!(error instanceof RequestInProgress) || attempt === RETRIES.times) throw error;
      await delay(RETRIES.milliseconds);
    }
  }
}
