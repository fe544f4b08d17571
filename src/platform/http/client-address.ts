import { Logger } from '@nestjs/common';
import type { Application, Request } from 'express';
import { isIP } from 'node:net';

/**
 * The address in an entry of `X-Forwarded-For`, where some proxies write a port behind it (RFC 7239 §6):
 * `192.0.2.1:4711`, `[2001:db8::1]:443`, also in quotes.
 * @returns undefined for what is no address, such as `unknown` or `_hidden`
 */
export function readAddress(text: string): string | undefined {
  const entry = text.trim().replace(/^"(.*)"$/, '$1');
  if (isIP(entry) !== 0) return entry;
  const [, bracketed] = /^\[([^\]]+)\](?::[\w.-]+)?$/.exec(entry) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? bracketed : undefined;
  const [, address = ''] = /^([\d.]+):[\w.-]+$/.exec(entry) ?? [];
  return isIP(address) === 4 ? address : undefined;
}

/** Trusts these proxies, also where the proxy before them has written their port. */
export function trustProxies(app: Application, proxies: readonly string[]): void {
  app.set('trust proxy', proxies);
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (entry: string, hop: number) => trusts(readAddress(entry) ?? entry, hop));
}

/** The applications that have logged an entry that is no address. */
const reported = new WeakSet<object>();

/**
 * The address of the client. Where a proxy has written something else, the address of this proxy: what
 * cannot be read must not become one caller for everyone.
 * @returns the empty text only where the connection is closed already
 */
export function clientAddress({ ips, socket, app }: Request): string {
  const entries = [...ips, socket.remoteAddress ?? ''];
  const [first = ''] = entries;
  const address = readAddress(first);
  if (address !== undefined) return address;
  const proxy = entries.map(readAddress).find((entry) => entry !== undefined) ?? '';
  if (ips.length > 0 && !reported.has(app)) {
    reported.add(app);
    // Without the entry: a log line must not contain untrusted text.
    new Logger('TRUST_PROXY').warn(
      `The proxy ${proxy} sent no address of the client in X-Forwarded-For. Such requests count for the proxy. Correct the proxy, or take it out of TRUST_PROXY.`,
    );
  }
  return proxy;
}
