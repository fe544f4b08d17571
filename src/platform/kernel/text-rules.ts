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

/** The rule for a text in a form or an option. */
export interface TextRule {
  readonly name: string;
  /** Maximum length in characters. */
  readonly most?: number;
  /** The fault of an empty text. Without it, the text is optional. */
  readonly missing?: string;
  readonly is?: (text: string) => boolean;
  /** The fault if `is` returns false. */
  readonly wrong?: string;
}

/** Faults by name, for the person who typed. @param read returns trimmed texts */
export function faultsOf(
  read: (name: string) => string,
  rules: readonly TextRule[],
): ReadonlyMap<string, string> {
  const faults = new Map<string, string>();
  for (const { name, ...rule } of rules) {
    const fault = faultOf(read(name), rule);
    if (fault !== undefined) faults.set(name, fault);
  }
  return faults;
}

function faultOf(text: string, { most = Infinity, missing, is, wrong }: Omit<TextRule, 'name'>) {
  if (text === '') return missing;
  if (text.length > most) return tooLong(most, text);
  if (!ONE_LINE.test(text)) return NOT_ONE_LINE;
  return is && !is(text) ? (wrong ?? 'This is not valid.') : undefined;
}
