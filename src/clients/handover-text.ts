import type { TokenKind } from './token-format.js';

interface HandoverToken {
  readonly kind: TokenKind;
  readonly token: string;
  readonly expiresAt: Date;
}

interface Handover {
  readonly client: { readonly name: string; readonly contactName: string };
  /** The test token first. */
  readonly tokens: readonly HandoverToken[];
  readonly publicUrl: string;
  /** An email address or a phone number. */
  readonly salesContact: string;
}

const purposes: Readonly<Record<TokenKind, string>> = {
  test: 'to build and test with: our staff never see its orders',
  live: 'its orders are real',
};

/** The text that an administrator sends to a client with its new tokens. */
export function handoverText({ client, tokens, publicUrl, salesContact }: Handover): string {
  const [first] = tokens;
  // ZZ99 exists for test tokens only. With a live token, a check would count as demand.
  const path = first?.kind === 'test' ? 'postcode/ZZ99%201AA' : 'me';
  const lost = tokens.length === 1 ? 'this token' : 'these tokens';
  return [
    `Hello ${client.contactName},`,
    '',
    `${client.name} can now use the Product Availability Service.`,
    '',
    `Base address: ${publicUrl}`,
    ...tokens.map(
      ({ kind, token, expiresAt }) =>
        `${kind === 'test' ? 'Test' : 'Live'} token: ${token} (${purposes[kind]}; valid until ${day(expiresAt)})`,
    ),
    '',
    'Your first request, at a command line:',
    `curl -H "Authorization: Bearer ${first?.token}" "${publicUrl}/product-availability/${path}"`,
    '',
    `Quick start: ${publicUrl}/docs/quick-start`,
    `Documentation: ${publicUrl}/docs`,
    '',
    `Keep ${lost} secret. We do not store ${tokens.length === 1 ? 'it' : 'them'}: if you lose one, ask us for another.`,
    `Questions? ${salesContact}`,
    '',
  ].join('\n');
}

function day(instant: Date): string {
  return instant.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'Europe/London',
  });
}
