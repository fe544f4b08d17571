import { LIVE, SANDBOX } from '../platform/database/sides.js';
import { Injectable } from '@nestjs/common';
import { IsNull, In } from 'typeorm';
import { isUuid } from '../platform/kernel/uuid.js';
import { type Actor, AuditService } from '../platform/audit/audit.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { Refused } from '../platform/problems/refused.js';
import { holderOf, type Scope, scopesOfRole } from '../platform/access/scopes.js';
import { newId } from '../platform/database/new-id.js';
import { RevisionsService } from '../platform/database/revisions.service.js';
import { Transactions } from '../platform/database/transactions.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { StaffMember } from '../staff/member/staff-member.entity.js';
import { AccessToken } from './access-token.entity.js';
import { isDirectClient, ApiClient } from './api-client.entity.js';
import { hashToken, newToken, type TokenKind } from './token-format.js';
import { DAY } from '../platform/kernel/time.js';
import type { NamesOf } from '../platform/audit/audit-names.service.js';

/** `…4f2a of Example Reseller`, as people know a token. */
export const tokenNames: NamesOf = async (tx, ids) => {
  const tokens = await tx.findBy(AccessToken, { id: In([...ids]) });
  const holders = tokens.flatMap(({ clientId, staffMemberId }) => clientId ?? staffMemberId ?? []);
  const where = { id: In(holders) };
  const owners = [...(await tx.findBy(ApiClient, where)), ...(await tx.findBy(StaffMember, where))];
  const names = new Map(owners.map(({ id, name }) => [id, name]));
  return new Map(
    tokens.map(({ id, ending, clientId, staffMemberId }) => {
      const holder = names.get(clientId ?? staffMemberId ?? '');
      return [id, holder === undefined ? `…${ending}` : `…${ending} of ${holder}`];
    }),
  );
};

export interface TokenRequest {
  readonly holder: { readonly clientId: string } | { readonly staffMemberId: string };
  readonly kind: TokenKind;
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly days: number;
}

export interface IssuedToken {
  readonly id: string;
  readonly kind: TokenKind;
  /** Shown this once; only its hash is stored. */
  readonly token: string;
  readonly expiresAt: Date;
}

@Injectable()
export class TokensService {
  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** @throws {Refused} where a scope is not for this holder or its role, or the lifetime is out of bounds */
  async issue(request: TokenRequest, actor: Actor): Promise<IssuedToken> {
    const issued = await this.transactions.run((tx) => this.issueIn(tx, request, actor));
    await this.revisions.catchUp();
    return issued;
  }

  /** A test and a live token, or neither. @throws {Refused} as `issue` */
  async issuePair(
    request: Omit<TokenRequest, 'kind'>,
    actor: Actor,
  ): Promise<readonly [test: IssuedToken, live: IssuedToken]> {
    const pair = await this.transactions.run(async (tx) => {
      const test = await this.issueIn(tx, { ...request, kind: 'test' }, actor);
      return [test, await this.issueIn(tx, { ...request, kind: 'live' }, actor)] as const;
    });
    await this.revisions.catchUp();
    return pair;
  }

  /** The tokens of a holder, or all, newest first. */
  list(holder: Partial<Pick<AccessToken, 'clientId' | 'staffMemberId'>> = {}) {
    return this.transactions.read((tx) =>
      tx.find(AccessToken, { where: holder as object, order: { id: 'DESC' } }),
    );
  }

  /**
   * @param reason for the audit trail
   * @throws {Refused} where the token is unknown or was revoked before
   */
  async revoke(id: string, actor: Actor, reason?: string): Promise<void> {
    const refused = new Refused(`There is no usable token ${id}; \`tokens list\` shows them.`);
    if (!isUuid(id)) throw refused;
    await this.transactions.run(async (tx) => {
      const { affected } = await tx.update(
        AccessToken,
        { id, revokedAt: IsNull() },
        { revokedAt: this.clock.now() },
      );
      if (affected !== 1) throw refused;
      const details = reason === undefined ? undefined : { reason };
      await this.audit.record(tx, { subject: ['token', id], action: 'revoked', actor, details });
      await this.revisions.bump(tx, 'access');
    });
    await this.revisions.catchUp();
  }

  private async issueIn(tx: Tx, request: TokenRequest, actor: Actor): Promise<IssuedToken> {
    const { holder, kind, label, scopes, days } = request;
    const wanted = 'clientId' in holder ? 'client' : 'staff';
    const foreign = scopes.filter((scope) => holderOf(scope) !== wanted);
    if (foreign.length > 0) throw new Refused(`Not for a ${wanted} token: ${foreign.join(', ')}.`);
    if (kind === 'test' && wanted === 'staff') {
      throw new Refused('Only API clients have test tokens: there is no sandbox for staff.');
    }
    if ('clientId' in holder && isDirectClient({ id: holder.clientId })) {
      throw new Refused('Direct enquiries are for staff: this client has no tokens.');
    }
    if (scopes.length === 0) throw new Refused('A token needs at least one scope.');
    if (!(Number.isInteger(days) && days >= 1 && days <= 3650)) {
      throw new Refused('A token is valid for 1 to 3650 days.');
    }
    const token = newToken(kind);
    const now = this.clock.now();
    const id = newId();
    const expiresAt = new Date(now.getTime() + days * DAY);
    if ('staffMemberId' in holder) await refuseBeyondRole(tx, holder.staffMemberId, scopes);
    await tx.insert(AccessToken, {
      id,
      hash: hashToken(token),
      ending: token.slice(-4),
      clientId: null,
      staffMemberId: null,
      ...holder,
      label,
      scopes: scopes.join(' '),
      ...(kind === 'test' ? SANDBOX : LIVE),
      createdAt: now,
      expiresAt,
    });
    const details = { scopes, expiresAt, ...(kind === 'test' && { test: true }) };
    await this.audit.record(tx, { subject: ['token', id], action: 'issued', actor, details });
    await this.revisions.bump(tx, 'access');
    return { id, kind, token, expiresAt };
  }
}

async function refuseBeyondRole(tx: Tx, id: string, scopes: readonly Scope[]): Promise<void> {
  const { name, role } = await tx.findOneByOrFail(StaffMember, { id });
  const allowed = scopesOfRole(role);
  const beyond = scopes.filter((scope) => !allowed.has(scope));
  if (beyond.length === 0) return;
  throw new Refused(
    `${name} is ${role}: a token of this member cannot have ${beyond.join(', ')}. Change the role first, or leave them out.`,
  );
}
