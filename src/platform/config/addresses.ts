import ipaddr from 'ipaddr.js';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

/** Options of nodemailer. */
interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. */
  readonly secure: boolean;
  /** Requires STARTTLS. */
  readonly requireTLS: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
  readonly tls: ConnectionOptions;
}

/**
 * Reads `smtp://user:password@host:587` (STARTTLS) or `smtps://…` (TLS). TLS is required unless the
 * server is on this machine or the URL has `?requireTLS=false`; `?ca=<file>` adds a private authority.
 * @returns undefined where the text is not such a URL
 */
export function readSmtpUrl(text: string): SmtpOptions | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  const known = [...url.searchParams.keys()].every((key) => key === 'requireTLS' || key === 'ca');
  const requireTLS = url.searchParams.get('requireTLS') ?? String(!isThisMachine(url.hostname));
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!known || host === '' || !['true', 'false'].includes(requireTLS)) return undefined;
  if ((!secure && url.protocol !== 'smtp:') || !/^\/?$/.test(url.pathname)) return undefined;
  const ca = url.searchParams.get('ca');
  const authority = ca === null ? undefined : contentOf(ca);
  if (ca !== null && authority === undefined) return undefined;
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && requireTLS === 'true',
    ...(url.username !== '' && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
    tls: {
      minVersion: 'TLSv1.2',
      ...(isIP(host) === 0 && { servername: host }),
      ...(authority !== undefined && { ca: authority }),
    },
  };
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Private networks that webhooks may call, in CIDR notation. */
export type Networks = readonly string[];

const globalUnicast = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an IP address is on the public internet. Refuses reserved ranges, such as link-local (cloud
 * metadata), and IPv6 addresses that embed an IPv4 one (mapped, NAT64, 6to4, Teredo).
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(globalUnicast);
}

/** Whether the address is public, or in one of the networks. */
export function mayCall(text: string, networks: Networks): boolean {
  if (isPublicAddress(text)) return true;
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === address.kind() && address.match(base, bits);
  });
}

/** Such as `10.0.0.0/8` or `fd00::/8`. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text);
}

/** Whether the host of a URL is this machine, which plain text does not leave. */
export function isThisMachine(host: string): boolean {
  return host === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]';
}

export interface UrlRules {
  /** Allow `http:` too, for development. */
  readonly http: boolean;
  readonly networks: Networks;
}

/** Why the text cannot be the URL of a webhook, if so. Each delivery checks what the host resolves to. */
export function faultOfUrl(text: string, { http, networks }: UrlRules): string | undefined {
  if (text.length > 2_000) return 'The URL has more than 2,000 characters.';
  if (!URL.canParse(text)) return 'This is not a URL.';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(http && url.protocol === 'http:')) {
    return 'The URL must start with https://.';
  }
  if (url.username !== '' || url.password !== '')
    return 'The URL must not carry a user or password.';
  if (url.hash !== '') return 'The URL must not have a fragment.';
  const literal = addressIn(url);
  if (literal !== undefined && !mayCall(literal, networks)) {
    return 'The address is not on the public internet.';
  }
  return undefined;
}

/** The host where it is an IP address, without brackets. */
export function addressIn(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(host) ? host : undefined;
}
