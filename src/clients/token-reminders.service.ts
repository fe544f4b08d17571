import { Injectable } from '@nestjs/common';
import { Between, IsNull, Not } from 'typeorm';
import { Clock } from '../platform/kernel/clock.js';
import { Transactions } from '../platform/database/transactions.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { EmailKindsService } from '../platform/notifications/messages/email-kinds.service.js';
import {
  type ContactDetails,
  greeting,
  londonTime,
  mailboxes,
  type Sender,
} from '../platform/notifications/messages/email-parts.js';
import type { EmailDraft } from '../platform/notifications/messages/email.js';
import { OutboxService } from '../platform/notifications/outbox.service.js';
import { AccessToken } from './access-token.entity.js';
import { ApiClient, contactOfClient } from './api-client.entity.js';
import { DAY } from '../platform/kernel/time.js';
import { counted } from '../platform/kernel/counts.js';

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

export interface TokenExpiryFacts {
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
