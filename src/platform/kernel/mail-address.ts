/** `name` may be empty. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/**
 * Whether the text is one plain email address (RFC 5321 §4.1.2, without quoted local parts, address
 * literals or comments), so that it cannot end a header or add a recipient. Without an encoded word (RFC 2047), which
 * mail programs show as another text.
 */
export function isMailAddress(text: string): boolean {
  const [local = '', domain = '', ...more] = text.split('@');
  return (
    more.length === 0 &&
    text.length <= 254 &&
    local.length <= 64 &&
    !local.includes('=?') &&
    /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u.test(local) &&
    /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)*[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u.test(
      domain,
    )
  );
}

/**
 * Reads `ada@example.com`, `Ada Lovelace <ada@example.com>` or `"Lovelace, Ada" <ada@example.com>` (RFC 5322 §3.2.4);
 * undefined for anything else.
 */
export function readMailbox(text: string): Mailbox | undefined {
  const [, quoted, plain, bracketed, bare] =
    /^\s*(?:(?:"((?:[^"\\\p{Cc}]|\\[^\p{Cc}])*)"|([^<>"\p{Cc}]*?))\s*<([^<>\s]+)>|([^<>\s]+))\s*$/u.exec(
      text,
    ) ?? [];
  const name = quoted?.replaceAll(/\\(.)/gu, '$1') ?? plain ?? '';
  const address = bracketed ?? bare ?? '';
  return isMailAddress(address) ? { name, address } : undefined;
}
