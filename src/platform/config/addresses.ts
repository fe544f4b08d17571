import ipaddr from 'ipaddr.js';

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
