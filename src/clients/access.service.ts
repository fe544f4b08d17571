import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import type { Caller } from '../access/caller.js';
import type { BackgroundBuffer } from '../kernel/background-buffer.js';
import { BackgroundWork } from '../kernel/background-work.js';
import { Clock } from '../kernel/clock.js';
import { MINUTE } from '../kernel/time.js';
import { isScope, type Scope } from '../access/scopes.js';
import { RevisionsService } from '../database/revisions.service.js';
import { Transactions } from '../database/transactions.js';
import { StaffMember } from '../staff/staff-member.entity.js';
import { AccessToken } from './access-token.entity.js';
import { ApiClient } from './api-client.entity.js';
import { TokenInvalid } from './clients.errors.js';
import { hashToken, isTestToken, isTokenShaped } from './token-format.js';

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

/** `Authorization` headers kept beside their tokens. */
const MOST_HEADERS = 10_000;

/** Who calls, by token: every usable token lies in memory, so that a call costs no SQL. */
@Injectable()
export class AccessService {
  private entries = new Map<string, TokenEntry>();
  private entriesById = new Map<string, TokenEntry>();
  /** Of usable tokens whose holder is disabled. */
  private withoutHolder: ReadonlySet<string> = new Set();
  private readonly headers = new Map<string, TokenEntry>();
  private readonly lastUses: BackgroundBuffer<LastUse>;

  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly revisions: RevisionsService,
    background: BackgroundWork,
  ) {
    revisions.follow('access', () => this.load());
    this.lastUses = background.buffer({
      keyOf: ({ tokenId }) => tokenId,
      write: (uses) => this.storeLastUses(uses),
      delay: MINUTE,
      batchSize: 500,
    });
  }

  /**
   * The caller that the token belongs to.
   * @throws {TokenInvalid} for whatever reason it cannot be used
   */
  async callerOf(token: string): Promise<Caller> {
    const hash = hashToken(token);
    const now = this.clock.now().getTime();
    const held = this.entries.get(hash);
    const isExpired = held !== undefined && held.expiresAt <= now;
    const entry = held && !isExpired ? held : await this.lookAgain(token, hash, isExpired);
    if (isExpired) throw new TokenInvalid('expired');
    if (!entry) throw new TokenInvalid('unknown, revoked or disabled');
    if (isTestToken(token) !== isTestCaller(entry.caller)) {
      throw new TokenInvalid('issued before there was a sandbox');
    }
    this.lastUses.add({ tokenId: entry.caller.tokenId, at: now });
    return entry.caller;
  }

  /**
   * The caller whose token came in exactly this header before and was accepted then, if it still
   * holds. This spares every further request the parsing and the hashing, which cost more than the
   * rest of a check. The full pipeline accepts or refuses what is not recognised here.
   */
  recognise(header: string | undefined): Caller | undefined {
    const entry = header === undefined ? undefined : this.headers.get(header);
    if (!entry) return undefined;
    const now = this.clock.now().getTime();
    if (entry.expiresAt <= now) return undefined;
    this.lastUses.add({ tokenId: entry.caller.tokenId, at: now });
    return entry.caller;
  }

  /** Recognises the header from now on, until tokens or their holders change. */
  remember(header: string, caller: Caller): void {
    const entry = this.entriesById.get(caller.tokenId);
    // A caller that was looked up before the last change is not kept.
    if (entry?.caller !== caller) return;
    if (this.headers.size >= MOST_HEADERS) this.headers.clear();
    this.headers.set(header, entry);
  }

  /** Whether a caller with this token would be let in now. */
  isUsable(tokenId: string): boolean {
    const now = this.clock.now().getTime();
    for (const { caller, expiresAt } of this.entries.values()) {
      if (caller.tokenId === tokenId) return expiresAt > now;
    }
    return false;
  }

  /**
   * A token that was issued a moment ago, by another process, is not in memory yet. For every one that
   * is refused the database is asked once, so that the time of a refusal does not tell the reason.
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
    await this.revisions.look();
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

  /** Writes when tokens were last used; never in a request's own transaction. */
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

/** Staff have no sandbox. */
function isTestCaller(caller: Caller): boolean {
  return caller.kind === 'client' && caller.isTest;
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
      legacyFieldNames: client.legacyFieldNames,
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

function callerOfStaff(token: AccessToken, member: StaffMember | undefined): Caller | undefined {
  return (
    member && {
      kind: 'staff',
      tokenId: token.id,
      staffId: member.id,
      name: member.name,
      scopes: scopesOf(token),
      role: member.role,
    }
  );
}
