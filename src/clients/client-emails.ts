import { AuditEntry } from '../platform/audit/audit-entry.entity.js';
import type { Tx } from '../platform/database/engine/tx.js';
import {
  type EmailKind,
  EmailKindsService,
  type EmailLetter,
} from '../platform/notifications/messages/email-kinds.service.js';
import { londonTime } from '../platform/notifications/messages/email-parts.js';
import { type EmailFacts, readWords } from '../platform/notifications/messages/email-words.js';
import { AccessToken } from './access-token.entity.js';
import { ApiClient, contactOfClient } from './api-client.entity.js';
import { Injectable } from '@nestjs/common';
import { Between, IsNull, Not } from 'typeorm';
import { Clock } from '../platform/kernel/clock.js';
import { Transactions } from '../platform/database/transactions.js';
import { OutboxService } from '../platform/notifications/outbox.service.js';
import { DAY } from '../platform/kernel/time.js';
import { counted } from '../platform/kernel/counts.js';

/** A change of an API client's live webhook. */
export const webhookChanged: EmailKind = {
  code: 'webhook-changed',
  name: 'Webhook changed',
  about: 'audit entry',
  to: 'client',
  words: readWords('webhook-changed', import.meta.url),
  bounded: true,
  facts: changeLetter,
};

/** A live webhook of an API client that the service pauses, because it keeps failing. */
export const webhookPaused: EmailKind = {
  code: 'webhook-paused',
  name: 'Webhook paused',
  about: 'audit entry',
  to: 'client',
  words: readWords('webhook-paused', import.meta.url),
  facts: pauseLetter,
};

interface WebhookDetails extends Record<string, unknown> {
  readonly client: string;
  readonly token: string | null;
  readonly hostBefore: string | null;
  readonly hostAfter: string | null;
}

interface PauseDetails extends Record<string, unknown> {
  readonly client: string;
  readonly host: string;
  readonly failingSince: string;
  readonly reason: string;
}

async function changeLetter(tx: Tx, id: string): Promise<EmailLetter | null> {
  const entry = await tx.findOneBy(AuditEntry, { id });
  if (!entry) return null;
  const { client, token, hostBefore, hostAfter } = entry.details as WebhookDetails;
  return letterTo(tx, client, {
    action: entry.action,
    at: londonTime(entry.at),
    hostBefore: hostBefore ?? 'none',
    hostAfter: hostAfter ?? 'none',
    changedBy: await changedBy(tx, entry, token),
  });
}

async function pauseLetter(tx: Tx, id: string): Promise<EmailLetter | null> {
  const entry = await tx.findOneBy(AuditEntry, { id });
  if (!entry) return null;
  const { client, host, failingSince, reason } = entry.details as PauseDetails;
  const since = londonTime(new Date(failingSince));
  return letterTo(tx, client, { at: londonTime(entry.at), host, failingSince: since, reason });
}

async function letterTo(tx: Tx, clientId: string, facts: EmailFacts): Promise<EmailLetter | null> {
  const client = await tx.findOneBy(ApiClient, { id: clientId });
  if (!client) return null;
  return { contact: contactOfClient(client), facts: { company: client.name, ...facts } };
}

async function changedBy(tx: Tx, { actorType }: AuditEntry, id: string | null): Promise<string> {
  if (actorType === 'system') return 'the service';
  if (id === null) return 'the operator';
  const token = await tx.findOneBy(AccessToken, { id });
  return `the access token …${token?.ending ?? ''}`;
}

/** Days before a token expires at which its client receives a reminder. */
const STAGES = [30, 7, 1] as const;

/** The latest stage reached; null before the first, after expiry, and if issued within the stage. */
export function stageOf(
  { createdAt, expiresAt }: { readonly createdAt: Date; readonly expiresAt: Date },
  now: Date,
): (typeof STAGES)[number] | null {
  const left = expiresAt.getTime() - now.getTime();
  if (left <= 0) return null;
  const stage = STAGES.filter((days) => left <= days * DAY).at(-1);
  if (stage === undefined) return null;
  return expiresAt.getTime() - createdAt.getTime() > stage * DAY ? stage : null;
}

/** Reminds the contact of an API client 30, 7 and 1 days before a token expires, each once. */
@Injectable()
export class TokenRemindersService {
  constructor(
    emails: EmailKindsService,
    private readonly outbox: OutboxService,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {
    emails.declare({ ...tokenExpiry, facts: (tx, id) => this.letter(tx, id) });
  }

  /** Queues the emails that are due. */
  async queueDue(): Promise<void> {
    if (!this.outbox.sends('token-expiry')) return;
    const now = this.clock.now();
    const tokens = await this.transactions.read((tx) =>
      tx.findBy(AccessToken, {
        clientId: Not(IsNull()),
        revokedAt: IsNull(),
        expiresAt: Between(now, new Date(now.getTime() + STAGES[0] * DAY)),
      }),
    );
    for (const token of tokens) {
      const stage = stageOf(token, now);
      if (stage !== null) {
        await this.outbox.addEmailOnce('token-expiry', token.id, `${token.id} ${stage}`);
      }
    }
  }

  private async letter(tx: Tx, id: string): Promise<EmailLetter | null> {
    const now = this.clock.now();
    const token = await tx.findOneBy(AccessToken, { id, revokedAt: IsNull() });
    if (!token?.clientId || token.expiresAt <= now) return null;
    const client = await tx.findOneBy(ApiClient, { id: token.clientId, enabled: true });
    return client && expiryLetter(token, client, now);
  }
}

export const tokenExpiry = {
  code: 'token-expiry',
  name: 'Token expires soon',
  about: 'token',
  to: 'client',
  words: readWords('token-expiry', import.meta.url),
} as const;

export function expiryLetter(
  { label, ending, expiresAt }: Pick<AccessToken, 'label' | 'ending' | 'expiresAt'>,
  client: ApiClient,
  now: Date,
): EmailLetter {
  return {
    contact: contactOfClient(client),
    facts: {
      company: client.name,
      token: label === '' ? `…${ending}` : `"${label}" (…${ending})`,
      ending,
      expiresAt: londonTime(expiresAt),
      left: daysLeft(expiresAt, now),
    },
  };
}

function daysLeft(expiresAt: Date, now: Date): string {
  const days = Math.round((expiresAt.getTime() - now.getTime()) / DAY);
  return days < 1 ? 'less than a day' : counted(days, 'day');
}
