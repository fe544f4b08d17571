let loaded: Promise<ReadonlySet<string>> | undefined;

/** The most common passwords, in lower case; read when somebody sets a password, which is seldom. */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  return (loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  ));
}
