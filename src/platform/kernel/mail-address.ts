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

/** Reads `ada@example.com` or `Ada Lovelace <ada@example.com>`; undefined for anything else. */
export function readMailbox(text: string): Mailbox | undefined {
  const [, name = '', bracketed, bare] =
    /^\s*(?:([^<>"\p{Cc}]*?)\s*<([^<>\s]+)>|([^<>\s]+))\s*$/u.exec(text) ?? [];
  const address = bracketed ?? bare ?? '';
  return isMailAddress(address) ? { name, address } : undefined;
}
