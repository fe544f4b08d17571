/** Above every UPRN: 12 digits fit in 40 bits. */
export const UPRN_BOUND = 2 ** 40;

/** A postcode, or premises there. */
export interface PlaceKey {
  /** The packed postcode. */
  readonly packed: number;
  readonly uprn?: number | null;
  /** How near the network is, in a number of one catalogue version; without it, prices by distance are not seen. */
  readonly near?: number | null;
}

/**
 * Reads a Unique Property Reference Number: 1 to 12 digits, not all zero. Leading zeros are padding.
 * There is no check digit, so a mistyped UPRN is usually that of another property. Null for other texts.
 */
export function parseUprn(text: string): number | null {
  return /^\d{1,12}$/.test(text) ? Number(text) || null : null;
}

/** As text, without padding; null for null. */
export function printUprn(uprn: number | null): string | null {
  return uprn === null ? null : String(uprn);
}
