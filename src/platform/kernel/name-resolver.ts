import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import { MINUTE, SECOND } from './time.js';

/** Milliseconds of one query, of which each name server gets `TRIES`, and of all queries for a name. */
const QUERY = 1_500;
const TRIES = 2;
const LONGEST = 5 * SECOND;
/** Milliseconds. A failure is remembered, too, so that the messages of one host do not all wait for it. */
const [SHORTEST_TTL, LONGEST_TTL, FAILURE_TTL] = [SECOND, 5 * MINUTE, 5 * SECOND];
const MOST_NAMES = 1_000;

export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

interface Resolved {
  readonly addresses: readonly LookupAddress[];
  /** Milliseconds. */
  readonly ttl: number;
}

interface CachedName {
  readonly addresses: Promise<readonly LookupAddress[]>;
  until: number;
}

interface ResolverSettings {
  /** Name servers as `address:port`; by default those of the machine. */
  readonly servers?: readonly string[];
  readonly hosts?: string;
  readonly resolvConf?: string;
  readonly now?: () => number;
}

/**
 * Resolves names by c-ares, with timeouts and a cache. `dns.lookup` has neither: it runs in the thread
 * pool, where a few names without an answer hold up each new connection to the database.
 */
export class NameResolver {
  private readonly cache = new Map<string, CachedName>();
  private readonly now: () => number;

  constructor(private readonly settings: ResolverSettings = {}) {
    this.now = settings.now ?? (() => performance.now());
  }

  /** The addresses of a name, IPv4 first. @throws {Error} if there are none, or no server answers in time */
  readonly resolve: ResolveName = (name) => {
    const cached = this.cache.get(name);
    if (cached && cached.until > this.now()) return cached.addresses;
    const resolving = this.find(name);
    const entry: CachedName = {
      addresses: resolving.then(({ addresses }) => addresses),
      until: Infinity,
    };
    resolving.then(
      ({ ttl }) => (entry.until = this.now() + ttl),
      () => (entry.until = this.now() + FAILURE_TTL),
    );
    this.cache.delete(name);
    this.cache.set(name, entry);
    const [oldest] = this.cache.keys();
    if (this.cache.size > MOST_NAMES) this.cache.delete(oldest!);
    return entry.addresses;
  };

  private async find(name: string): Promise<Resolved> {
    const local = await this.inHosts(name);
    if (local.length > 0) return { addresses: local, ttl: SHORTEST_TTL };
    const resolver = new Resolver({ timeout: QUERY, tries: TRIES });
    if (this.settings.servers) resolver.setServers(this.settings.servers);
    const timer = setTimeout(() => resolver.cancel(), LONGEST);
    try {
      for (const candidate of [name, ...(await this.inSearchDomains(name))]) {
        const found = await query(resolver, candidate);
        if (found) return found;
      }
    } finally {
      clearTimeout(timer);
    }
    throw new Error(`The name ${name} has no address.`);
  }

  /** As in /etc/hosts, which c-ares does not read for queries. */
  private async inHosts(name: string): Promise<readonly LookupAddress[]> {
    const lines = await linesOf(this.settings.hosts ?? '/etc/hosts');
    const addresses = lines.flatMap(([address, ...names]) =>
      names.some((one) => one.toLowerCase() === name) ? [address!] : [],
    );
    if (addresses.length === 0 && name === 'localhost') addresses.push('127.0.0.1', '::1');
    return sorted(addresses);
  }

  /** Such as `mail.example.svc.cluster.local` for `mail.example`. */
  private async inSearchDomains(name: string): Promise<readonly string[]> {
    if (name.endsWith('.')) return [];
    const lines = await linesOf(this.settings.resolvConf ?? '/etc/resolv.conf');
    const [, ...domains] = lines.findLast(([key]) => key === 'search') ?? [];
    return domains.filter((domain) => domain !== '.').map((domain) => `${name}.${domain}`);
  }
}

/** The names that this process resolves. */
export const names = new NameResolver();

/** For `net.connect`, which then connects to exactly these addresses. @param check throws to refuse them */
export function lookupBy(
  resolve: ResolveName,
  check: (addresses: readonly LookupAddress[]) => void = () => undefined,
): LookupFunction {
  const checked = async (host: string) => {
    const addresses = await resolve(host);
    check(addresses);
    return addresses;
  };
  return (host, { all }, callback) => {
    checked(host).then(
      (addresses) =>
        all
          ? callback(null, [...addresses])
          : callback(null, addresses[0]!.address, addresses[0]!.family),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/** Undefined if there is no such name. @throws {Error} if no server answers in time */
async function query(resolver: Resolver, name: string): Promise<Resolved | undefined> {
  const results = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ]);
  const records = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (records.length > 0) {
    const ttl = Math.min(...records.map((record) => record.ttl)) * SECOND;
    return {
      addresses: sorted(records.map(({ address }) => address)),
      ttl: Math.max(SHORTEST_TTL, Math.min(ttl, LONGEST_TTL)),
    };
  }
  const codes = results.flatMap((result) =>
    result.status === 'rejected' ? (result.reason as { code?: string }).code : [],
  );
  if (codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')) return undefined;
  throw new Error(`No name server answered for ${name} (${codes.join(', ')}).`);
}

function sorted(addresses: readonly string[]): LookupAddress[] {
  return addresses
    .map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    .sort((a, b) => a.family - b.family);
}

/** The words of each line, without comments; none if there is no such file. */
async function linesOf(file: string): Promise<string[][]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );
}
