import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { isThisMachine } from './addresses.js';

/** Options of nodemailer. */
export interface SmtpOptions {
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
