import { Injectable, Logger } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import { isInSandbox, type Caller, type ClientCaller } from '../platform/access/caller.js';
import type { BackgroundBuffer } from '../platform/kernel/background-buffer.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { Clock } from '../platform/kernel/clock.js';
import { Config } from '../platform/config/config.js';
import { Unavailable } from '../platform/problems/problem.js';
import { lastDayOfOlder } from '../platform/kernel/client-options.js';
import { MINUTE } from '../platform/kernel/time.js';
import { isScope, type Scope, scopesOfRole } from '../platform/access/scopes.js';
import { RevisionsService } from '../platform/database/revisions.service.js';
import type { Side } from '../platform/database/sides.js';
import { REQUEST_DEADLINE, Transactions } from '../platform/database/transactions.js';
import { StaffMember } from '../staff/member/staff-member.entity.js';
import { AccessToken } from './access-token.entity.js';
import { ApiClient } from './api-client.entity.js';
import { TokenInvalid } from './clients.errors.js';
import { hashToken, isSandboxToken, isTokenShaped } from './token-format.js';

interface TokenEntry {
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

interface LastUse {
  readonly tokenId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Cached `Authorization` headers. */
const MOST_HEADERS = 10_000;

/**
 * Finds callers by token. All usable tokens are in memory, so that a call needs no SQL. Without the
 * database, memory is trusted for a bounded time: another instance may have revoked a token.
 */
@Injectable()
export class AccessService {
  private readonly logger = new Logger(AccessService.name);
  private entries = new Map<string, TokenEntry>();
  private entriesById = new Map<string, TokenEntry>();
  /** Hashes of usable tokens whose holder is disabled. */
  private withoutHolder: ReadonlySet<string> = new Set();
  private readonly headers = new Map<string, TokenEntry>();
  private readonly lastUses: BackgroundBuffer<LastUse>;

  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly revisions: RevisionsService,
    private readonly config: Config,
    background: BackgroundWork,
  ) {
    revisions.register('access', () => this.load());
    this.lastUses = background.buffer({
      keyOf: ({ tokenId }) => tokenId,
      write: (uses) => this.storeLastUses(uses),
      delay: MINUTE,
      batchSize: 500,
    });
  }

  /**
   * The owner of the token.
   * @throws {TokenInvalid} where it cannot be used
   * @throws {Unavailable} if memory is not trusted
   */
  async callerOf(token: string): Promise<Caller> {
    if (!this.isTrusted) {
      throw new Unavailable('The database is away: no token can be checked at the moment.');
    }
    const hash = hashToken(token);
    const now = this.clock.now().getTime();
    const held = this.entries.get(hash);
    const isExpired = held !== undefined && held.expiresAt <= now;
    const look = () => this.lookAgain(token, hash, isExpired);
    const entry =
      held && !isExpired ? held : await this.transactions.within(REQUEST_DEADLINE, look);
    if (isExpired) throw new TokenInvalid('expired');
    if (!entry) throw new TokenInvalid('unknown, revoked or disabled');
    if (isSandboxToken(token) !== isInSandbox(entry.caller)) {
      throw new TokenInvalid('issued before there was a sandbox');
    }
    this.lastUses.add({ tokenId: entry.caller.tokenId, at: now });
    return entry.caller;
  }

  /**
   * The caller of a header that was accepted before, if the token is still valid. Saves parsing and
   * hashing, which cost more than the rest of a check. The full pipeline decides about other headers.
   */
  recognise(header: string | undefined, at = this.clock.now()): Caller | undefined {
    const entry = header === undefined ? undefined : this.headers.get(header);
    if (!entry || !this.isTrusted) return undefined;
    const now = at.getTime();
    if (entry.expiresAt <= now) return undefined;
    this.lastUses.add({ tokenId: entry.caller.tokenId, at: now });
    return entry.caller;
  }

  /** The enabled API clients that have a valid token with the scope, once for live and once for test tokens. */
  clientsWith(scope: Scope, side: Side): ClientCaller[] {
    const now = this.clock.now().getTime();
    const found = new Map<string, ClientCaller>();
    for (const { caller, expiresAt } of this.entries.values()) {
      if (caller.kind !== 'client' || caller.isTest !== side.isTest) continue;
      if (expiresAt <= now || !caller.scopes.has(scope)) continue;
      found.set(caller.quota, caller);
    }
    return [...found.values()];
  }

  /** Says in the log which API clients follow a version of the API that ends. */
  warnOfOlderVersions(): void {
    const callers = [...this.entries.values()].map(({ caller }) => caller);
    const older = callers.filter(
      (caller) => caller.kind === 'client' && caller.compatibility === '0.2',
    );
    if (older.length === 0) return;
    const names = [...new Set(older.map(({ name }) => name))].sort().join(', ');
    this.logger.warn(
      `Compatibility 0.2 ends on ${lastDayOfOlder}: the first major version after that day leaves it out. These API clients use it: ${names}. ` +
        'Ask them to read bandwidthCapacity, and bandwidths that are not whole; then set their API version to 0.3.',
    );
  }

  /** Whether the database was read in the last 15 minutes. */
  get isTrusted(): boolean {
    return this.revisions.age('access') <= this.config.tokenTrustSeconds;
  }

  /** Caches the header until tokens or their holders change. */
  remember(header: string, caller: Caller): void {
    const entry = this.entriesById.get(caller.tokenId);
    // The caller may be from before the last change.
    if (entry?.caller !== caller) return;
    if (this.headers.size >= MOST_HEADERS) this.headers.clear();
    this.headers.set(header, entry);
  }

  /** Whether a caller with this token would be accepted now. */
  isUsable(tokenId: string): boolean {
    if (!this.isTrusted) return false;
    const entry = this.entriesById.get(tokenId);
    return entry !== undefined && entry.expiresAt > this.clock.now().getTime();
  }

  /**
   * Finds a token that another process has just issued. Queries the database for every refused token,
   * so that the time of a refusal does not reveal the reason.
   */
  private async lookAgain(
    token: string,
    hash: string,
    isExpired: boolean,
  ): Promise<TokenEntry | undefined> {
    if (!isTokenShaped(token)) throw new TokenInvalid('malformed');
    const usable = { hash, revokedAt: IsNull(), expiresAt: MoreThan(this.clock.now()) };
    const asking = this.transactions.read((tx) => tx.existsBy(AccessToken, usable));
    const isUsable = await (isExpired ? asking.catch(() => false) : asking);
    if (!isUsable || this.withoutHolder.has(hash)) return undefined;
    await this.transactions.shared(this.revisions.look());
    return this.entries.get(hash);
  }

  /** Whether the token would be accepted from memory, without asking the database. */
  knows(token: string): boolean {
    return this.entries.has(hashToken(token));
  }

  private async load(): Promise<void> {
    const now = this.clock.now();
    const { tokens, clients, staff } = await this.transactions.read(async (tx) => ({
      tokens: await tx.findBy(AccessToken, { revokedAt: IsNull(), expiresAt: MoreThan(now) }),
      clients: await tx.findBy(ApiClient, { enabled: true }),
      staff: await tx.findBy(StaffMember, { enabled: true }),
    }));
    const clientsById = new Map(clients.map((client) => [client.id, client]));
    const staffById = new Map(staff.map((member) => [member.id, member]));
    this.entries = new Map(
      tokens.flatMap((token) => {
        const caller =
          callerOfClient(token, clientsById.get(token.clientId ?? '')) ??
          callerOfStaff(token, staffById.get(token.staffMemberId ?? ''));
        return caller ? [[token.hash, { caller, expiresAt: token.expiresAt.getTime() }]] : [];
      }),
    );
    this.entriesById = new Map(
      [...this.entries.values()].map((entry) => [entry.caller.tokenId, entry]),
    );
    this.withoutHolder = new Set(
      tokens.map(({ hash }) => hash).filter((hash) => !this.entries.has(hash)),
    );
    this.headers.clear();
  }

  /** Writes when tokens were last used, outside the transactions of requests. */
  writeLastUse(): Promise<void> {
    return this.lastUses.flush();
  }

  private storeLastUses(uses: readonly LastUse[]): Promise<void> {
    return this.transactions.run(async (tx) => {
      for (const { tokenId: id, at } of uses) {
        await tx.update(AccessToken, { id }, { lastUsedAt: new Date(at) });
      }
    });
  }
}

function scopesOf(token: AccessToken): ReadonlySet<Scope> {
  return new Set(token.scopes.split(' ').filter(isScope));
}

function callerOfClient(token: AccessToken, client: ApiClient | undefined): Caller | undefined {
  return (
    client && {
      kind: 'client',
      tokenId: token.id,
      clientId: client.id,
      name: client.name,
      scopes: scopesOf(token),
      priceList: client.priceList,
      compatibility: client.compatibility,
      nearNet: client.nearNet,
      interconnects: client.interconnects,
      limits: {
        lookupsPerMinute: client.lookupsPerMinute,
        lookupBurst: client.lookupBurst,
        ordersPerMinute: client.ordersPerMinute,
        inFlight: client.inFlight,
      },
      isTest: token.isTest,
      quota: token.isTest ? `${client.id} test` : client.id,
      token: { label: token.label, expiresAt: token.expiresAt },
    }
  );
}

/** The role may have changed since the token was issued: a scope beyond it does not count. */
function callerOfStaff(token: AccessToken, member: StaffMember | undefined): Caller | undefined {
  if (!member) return undefined;
  const allowed = scopesOfRole(member.role);
  return {
    kind: 'staff',
    tokenId: token.id,
    staffId: member.id,
    name: member.name,
    scopes: new Set([...scopesOf(token)].filter((scope) => allowed.has(scope))),
    role: member.role,
  };
}
