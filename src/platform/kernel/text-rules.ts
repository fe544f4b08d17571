/** Any text without NUL, which PostgreSQL cannot store. */
export const ANY_TEXT = '^[^\\u0000]*$';

/** A text without line breaks and other control characters. */
export const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;

/** The fault of a text that is not `ONE_LINE`. */
export const NOT_ONE_LINE = 'Use one line, without control characters.';

/** The fault of a text of more than `most` characters. */
export function tooLong(most: number, text: string): string {
  return `Use at most ${most.toLocaleString('en-GB')} characters; these are ${text.length.toLocaleString('en-GB')}.`;
}
