/** The pattern of any text without NUL, which no database can store. */
export const ANY_TEXT = '^[^\\u0000]*$';

/** What a text in a form or an option has to be. */
export interface TextRule {
  readonly name: string;
  /** Characters; any number where it is left out. */
  readonly most?: number;
  /** What to write where there is nothing; a text without it may be left out. */
  readonly missing?: string;
  readonly is?: (text: string) => boolean;
  /** What to write where `is` is false. */
  readonly wrong?: string;
}

/** The faults by name, in words for the person who typed. @param read returns trimmed texts */
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
  if (text.length > most) return `Write at most ${most} characters; these are ${text.length}.`;
  if (/\p{Cc}/u.test(text)) return 'Write it on one line, without control characters.';
  return is && !is(text) ? (wrong ?? 'This is not right.') : undefined;
}
