/** In characters. */
export const SHORTEST = 12;
/** Far above what a person types. */
export const LONGEST = 128;
/** Characters that must be left without the parts that are easy to guess. */
const LEFT = 6;
/** Characters that, added at either end, leave a common password common. */
const DECORATION = 4;

export interface PasswordOwner {
  readonly name: string;
  readonly email: string;
}

const SERVICE = 'Product Availability Service';

/**
 * The form in which a password is hashed and compared, independent of the keyboard
 * (NIST SP 800-63B-4, 3.1.1.2).
 */
export function normalised(password: string): string {
  return password.normalize('NFKC');
}

/**
 * Why the password is refused; null where it is accepted. It has to be long, not common and not the
 * owner's name; any characters will do.
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
    return `Use at least ${SHORTEST} characters; three or four words that only you put together are good.`;
  }
  if (length > LONGEST) return `Use at most ${LONGEST} characters.`;
  if (password.includes('\0')) return 'Use characters that can be typed.';
  const lower = password.toLowerCase();
  if (isCommon(lower, common)) {
    return 'This password is on the list of the most common ones, or nearly. Choose another one.';
  }
  if (isOwn(lower, owner)) {
    return 'This is little more than your name, your e-mail address or the name of this service. Choose another one.';
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

/** Whether each character follows the one before it, upwards or downwards: `abcdefghijkl`, `8901`. */
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

/** The most common passwords, in lower case; loaded when they are first needed. */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  return (loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  ));
}
