/** What must not be in a log, and what stands there instead. */
const secrets: readonly (readonly [RegExp, string])[] = [
  [/pas_(live|test)_[0-9A-Za-z]{8,}/g, 'pas_$1_[token]'],
  [/\b(Bearer|Basic)\s+[^\s"',]{6,}/gi, '$1 [credentials]'],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@"']{1,256}@/gi, '$1[credentials]@'],
  [/[^\s@"'<>()[\]{},;:=]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi, '[e-mail]'],
  [/(?<![\w.:-])\+\d[\d ()-]{7,20}\d/g, '[telephone]'],
];

/** JSON escapes the characters below the blank; a terminal obeys some above it, too. */
// eslint-disable-next-line no-control-regex
const commands = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

/** The text without tokens, passwords, e-mail addresses, telephone numbers or terminal commands. */
export function redact(text: string): string {
  let rest = text;
  for (const [secret, instead] of secrets) rest = rest.replace(secret, instead);
  return rest.replace(commands, escapeCharacter);
}

export function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
