import { isUniqueViolation } from '../../database/errors.js';

/** A reference has 30 random bits: with a million of them, one new reference in a thousand is taken. */
const MOST_ATTEMPTS = 5;

/** Repeats a transaction that fails because a random reference is taken. */
export async function withFreshReferences<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (!isUniqueViolation(error) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}
