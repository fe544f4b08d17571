import { AuditEntry } from '../platform/audit/audit-entry.entity.js';
import type { Tx } from '../platform/database/engine/tx.js';
import type { EmailKind } from '../platform/notifications/messages/email-kinds.service.js';
import {
  type ContactDetails,
  greeting,
  londonTime,
  mailboxes,
} from '../platform/notifications/messages/email-parts.js';
import { AccessToken } from './access-token.entity.js';
import { ApiClient, contactOfClient } from './api-client.entity.js';

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
