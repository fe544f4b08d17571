import { AuditEntry } from '../platform/audit/audit-entry.entity.js';
import type { Tx } from '../platform/database/engine/tx.js';
import {
  type EmailKind,
  EmailKindsService,
} from '../platform/notifications/messages/email-kinds.service.js';
import {
  type ContactDetails,
  greeting,
  londonTime,
  mailboxes,
  type Sender,
} from '../platform/notifications/messages/email-parts.js';
import { AccessToken } from './access-token.entity.js';
import { ApiClient, contactOfClient } from './api-client.entity.js';
import { Injectable } from '@nestjs/common';
import { Between, IsNull, Not } from 'typeorm';
import { Clock } from '../platform/kernel/clock.js';
import { Transactions } from '../platform/database/transactions.js';
import type { EmailDraft } from '../platform/notifications/messages/email.js';
import { OutboxService } from '../platform/notifications/outbox.service.js';
import { DAY } from '../platform/kernel/time.js';
import { counted } from '../platform/kernel/counts.js';

/** A change of an API client's live webhook. */
interface WebhookChangeFacts {
  readonly company: string;
  readonly contact: ContactDetails;
  readonly at: Date;
  /** As in the audit trail: `replaced`, `removed`. */
  readonly action: string;
  /** Null where there was no webhook before. */
  readonly hostBefore: string | null;
  /** Null where there is no webhook any more. */
  readonly hostAfter: string | null;
  /** "the access token …4f2a". */
  readonly changedBy: string;
}

/** A live webhook of an API client that the service pauses, because it keeps failing. */
interface WebhookPauseFacts {
  readonly company: string;
  readonly contact: ContactDetails;
  readonly at: Date;
  readonly host: string;
  readonly failingSince: Date;
  /** Of the last attempt. */
  readonly reason: string;
}

export const webhookChanged: EmailKind<WebhookChangeFacts> = {
  code: 'webhook-changed',
  name: 'Webhook changed',
  about: 'audit entry',
  to: 'client',
  bounded: true,
  facts: changeFacts,
  write: (change, { salesContact, salesInbox }) => ({
    to: mailboxes(change.contact),
    replyTo: salesInbox[0],
    subject: `A webhook was ${change.action}`,
    parts: [
      greeting(change.contact),
      {
        paragraph: `A webhook of ${change.company} for the Product Availability Service was ${change.action} on ${londonTime(change.at)}. It receives events of your live orders.`,
      },
      {
        facts: [
          ['Host before', change.hostBefore ?? 'none'],
          ['Host now', change.hostAfter ?? 'none'],
          ['Changed by', change.changedBy],
        ],
      },
      {
        paragraph: `If you did not expect this, tell us at once: ${salesContact}. If someone else has your token, ask us to revoke it.`,
      },
    ],
  }),
};

export const webhookPaused: EmailKind<WebhookPauseFacts> = {
  code: 'webhook-paused',
  name: 'Webhook paused',
  about: 'audit entry',
  to: 'client',
  facts: pauseFacts,
  write: (pause, { salesContact, salesInbox }) => ({
    to: mailboxes(pause.contact),
    replyTo: salesInbox[0],
    subject: 'Your webhook is paused: it has failed for a day',
    parts: [
      greeting(pause.contact),
      {
        paragraph: `The webhook of ${pause.company} for the Product Availability Service, which receives events of your live orders, has accepted nothing since ${londonTime(pause.failingSince)}. We paused it on ${londonTime(pause.at)}.`,
      },
      {
        facts: [
          ['Host', pause.host],
          ['Failing since', londonTime(pause.failingSince)],
          ['Last failure', pause.reason],
        ],
      },
      {
        paragraph: `We try one event an hour. When your endpoint answers it with 2xx, the webhook is resumed and the waiting events follow. An event waits for up to five days. If your endpoint works again, you need not wait for the next attempt: register the webhook again, or tell us: ${salesContact}. Your orders are not affected: read their state with the API.`,
      },
    ],
  }),
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

async function changeFacts(tx: Tx, id: string): Promise<WebhookChangeFacts | null> {
  const entry = await tx.findOneBy(AuditEntry, { id });
  if (!entry) return null;
  const { client, token, hostBefore, hostAfter } = entry.details as WebhookDetails;
  const receiver = await receiverOf(tx, client);
  return (
    receiver && {
      ...receiver,
      at: entry.at,
      action: entry.action,
      hostBefore,
      hostAfter,
      changedBy: await changedBy(tx, entry, token),
    }
  );
}

async function pauseFacts(tx: Tx, id: string): Promise<WebhookPauseFacts | null> {
  const entry = await tx.findOneBy(AuditEntry, { id });
  if (!entry) return null;
  const { client, host, failingSince, reason } = entry.details as PauseDetails;
  const receiver = await receiverOf(tx, client);
  return (
    receiver && { ...receiver, at: entry.at, host, failingSince: new Date(failingSince), reason }
  );
}

async function receiverOf(tx: Tx, id: string) {
  const client = await tx.findOneBy(ApiClient, { id });
  return client && { company: client.name, contact: contactOfClient(client) };
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

interface TokenExpiryFacts {
  readonly company: string;
  readonly contact: ContactDetails;
  readonly label: string;
  /** Its last four characters. */
  readonly ending: string;
  readonly expiresAt: Date;
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
    emails.declare<TokenExpiryFacts>({
      code: 'token-expiry',
      name: 'Token expires soon',
      about: 'token',
      to: 'client',
      facts: (tx, id) => this.facts(tx, id),
      write: tokenExpiryEmail,
    });
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

  private async facts(tx: Tx, id: string): Promise<TokenExpiryFacts | null> {
    const token = await tx.findOneBy(AccessToken, { id, revokedAt: IsNull() });
    if (!token?.clientId || token.expiresAt <= this.clock.now()) return null;
    const client = await tx.findOneBy(ApiClient, { id: token.clientId, enabled: true });
    if (!client) return null;
    const { label, ending, expiresAt } = token;
    return { company: client.name, contact: contactOfClient(client), label, ending, expiresAt };
  }
}

export function tokenExpiryEmail(
  token: TokenExpiryFacts,
  { salesContact, salesInbox }: Sender,
  now: Date,
): EmailDraft {
  const left = daysLeft(token.expiresAt, now);
  const named = token.label === '' ? `…${token.ending}` : `"${token.label}" (…${token.ending})`;
  return {
    to: mailboxes(token.contact),
    replyTo: salesInbox[0],
    subject: `Your access token …${token.ending} expires in ${left}`,
    parts: [
      greeting(token.contact),
      {
        paragraph: `The token ${named} of ${token.company} for the Product Availability Service expires on ${londonTime(token.expiresAt)}, in ${left}. After that, requests with it are refused.`,
      },
      {
        paragraph: `Ask for a new token before then: ${salesContact}. Both tokens work at the same time, so you can switch without downtime. If you have already switched, ask us to revoke this one.`,
      },
    ],
  };
}

function daysLeft(expiresAt: Date, now: Date): string {
  const days = Math.round((expiresAt.getTime() - now.getTime()) / DAY);
  return days < 1 ? 'less than a day' : counted(days, 'day');
}
