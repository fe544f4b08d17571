/** Failures that cost nothing: a person mistypes. */
const FREE = 3;
/** Seconds. An attacker gets some 300 guesses a day at one account, its owner always gets in. */
const LONGEST_DELAY = 300;
/** Milliseconds after which a failure is no longer counted. */
export const FORGOTTEN_AFTER = 24 * 60 * 60_000;

/** Seconds to wait after so many failures in a row: 0, 0, 0, 1, 2, 4 … 256, 300. */
export function delayAfter(failures: number): number {
  return failures <= FREE ? 0 : Math.min(2 ** (failures - FREE - 1), LONGEST_DELAY);
}
