/** In characters. */
export const SHORTEST = 12;
/** Far above what a person types. */
export const LONGEST = 128;
/** Characters that must remain without the parts that are easy to guess. */
const LEFT = 6;
/** Characters at either end that do not make a common password acceptable. */
const DECORATION = 4;

export interface PasswordOwner {
  readonly name: string;
  readonly email: string;
}

const SERVICE = 'Product Availability Service';

/** The form for hashing and comparing, independent of the keyboard (NIST SP 800-63B-4, 3.1.1.2). */
export function normalised(password: string): string {
  return password.normalize('NFKC');
}

/**
 * Why the password is unacceptable: too short, common, or the owner's name; null where it is acceptable.
 * @param common in lower case
 */
export function passwordFault(
  typed: string,
  owner: PasswordOwner,
  common: ReadonlySet<string>,
): string | null {
  const password = normalised(typed);
  const { length } = [...password];
  if (length < SHORTEST) {
    return `Use at least ${SHORTEST} characters, such as three or four random words.`;
  }
  if (length > LONGEST) return `Use at most ${LONGEST} characters.`;
  if (password.includes('\0')) return 'Use only printable characters.';
  const lower = password.toLowerCase();
  if (isCommon(lower, common)) {
    return 'This password is too common. Choose another one.';
  }
  if (isOwn(lower, owner)) {
    return 'This password is too close to your name, your email address or the name of this service. Choose another one.';
  }
  return null;
}

function isCommon(lower: string, common: ReadonlySet<string>): boolean {
  const ends = new RegExp(`^[^\\p{L}]{0,${DECORATION}}|[^\\p{L}]{0,${DECORATION}}$`, 'gu');
  const unit = repeatedUnit(lower);
  return [lower, lower.replaceAll(ends, ''), unit, unit.replaceAll(ends, '')].some(
    (form) => form.length < LEFT || common.has(form) || isRun(form),
  );
}

/** The repeated unit of the text, or the text itself: `abcabcabcabc` repeats `abc`. */
function repeatedUnit(text: string): string {
  for (let length = 1; length < text.length; length += 1) {
    const unit = text.slice(0, length);
    if (unit.repeat(Math.ceil(text.length / length)).startsWith(text)) return unit;
  }
  return text;
}

/** Whether the characters are in ascending or descending order: `abcdefghijkl`, `8901`. */
function isRun(text: string): boolean {
  const steps = [...text].map((character, i, all) => {
    const step = i === 0 ? 0 : character.codePointAt(0)! - all[i - 1]!.codePointAt(0)!;
    return Math.abs(step) === 9 && /^\d+$/.test(text) ? -Math.sign(step) : step;
  });
  const [, first] = steps;
  return (first === 1 || first === -1) && steps.slice(1).every((step) => step === first);
}

function isOwn(lower: string, { name, email }: PasswordOwner): boolean {
  const words = wordsOf(`${name} ${email} ${SERVICE}`).sort((a, b) => b.length - a.length);
  let rest = wordsOf(lower).join('');
  const all = rest.length;
  for (const word of words) if (word.length >= 3) rest = rest.replaceAll(word, '');
  return rest.length < all && rest.length < LEFT;
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

let loaded: Promise<ReadonlySet<string>> | undefined;

/** The most common passwords, in lower case; loaded at the first use. */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  return (loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  ));
}
