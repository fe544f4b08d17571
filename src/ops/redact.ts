/** Secrets, and their replacements. */
const secrets: readonly (readonly [RegExp, string])[] = [
  [/pas_(live|test)_[0-9A-Za-z]{8,}/g, 'pas_$1_[token]'],
  [/\b(Bearer|Basic)\s+[^\s"',]{6,}/gi, '$1 [credentials]'],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@"']{1,256}@/gi, '$1[credentials]@'],
  [/[^\s@"'<>()[\]{},;:=]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi, '[email]'],
  [/(?<![\w.:-])\+\d[\d ()-]{7,20}\d/g, '[phone]'],
];

/** Control characters except tab and line feed. JSON escapes only some that terminals obey. */
const commands = /(?![\t\n])[\p{Cc}\u2028\u2029]/gu;

/** Removes tokens, passwords, email addresses, phone numbers and terminal commands. */
export function redact(text: string): string {
  let rest = text;
  for (const [secret, instead] of secrets) rest = rest.replace(secret, instead);
  return rest.replace(commands, escapeCharacter);
}

export function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
