import { DAY } from '../../kernel/time.js';
import { chargeEmails, type ChargeEmailFacts } from './charge-email.js';
import { type EmailDraft, type Email, type EmailPart, writeEmail } from './email.js';
import {
  type ContactDetails,
  greeting,
  londonTime,
  mailboxes,
  pageOf,
  type Sender,
} from './email-parts.js';
import {
  approvalEmail,
  type ApprovalEmailFacts,
  offerEmail,
  type OfferEmailFacts,
} from './offer-email.js';
import { acknowledgement, announcement, type OrderEmailFacts } from './order-email.js';

export interface TokenExpiryFacts {
  readonly company: string;
  readonly contact: ContactDetails;
  readonly label: string;
  /** Its last four characters. */
  readonly ending: string;
  readonly expiresAt: Date;
}

/** A change of an API client's live webhook. */
export interface WebhookChangeFacts {
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
export interface WebhookPauseFacts {
  readonly company: string;
  readonly contact: ContactDetails;
  readonly at: Date;
  readonly host: string;
  readonly failingSince: Date;
  /** Of the last attempt. */
  readonly reason: string;
}

/** Places that an API client watched, and that can be served now. */
export interface WatchServedFacts {
  readonly contact: ContactDetails;
  readonly company: string;
  /** `LS1 4AP`, with UPRN and the client's reference. */
  readonly places: readonly string[];
}

export interface ReminderFacts {
  readonly groups: readonly {
    readonly heading: string;
    readonly total: number;
    /** The most urgent ones. */
    readonly items: readonly { readonly reference: string; readonly text: string }[];
  }[];
}

export interface EmailFacts {
  'new-order': OrderEmailFacts;
  'new-enquiry': OrderEmailFacts;
  acknowledgement: OrderEmailFacts;
  'charge-proposed': ChargeEmailFacts;
  'charge-answered': ChargeEmailFacts;
  'charge-lapsed': ChargeEmailFacts;
  'charge-withdrawn': ChargeEmailFacts;
  offer: OfferEmailFacts;
  'approval-wanted': ApprovalEmailFacts;
  'token-expiry': TokenExpiryFacts;
  'webhook-changed': WebhookChangeFacts;
  'webhook-paused': WebhookPauseFacts;
  reminder: ReminderFacts;
  'watch-served': WatchServedFacts;
}
export type EmailKind = keyof EmailFacts;

type Writers = {
  [K in EmailKind]: (facts: EmailFacts[K], sender: Sender, now: Date) => EmailDraft;
};

export function emailOf<K extends EmailKind>(
  kind: K,
  facts: EmailFacts[K],
  sender: Sender,
  now: Date,
): Email {
  return writeEmail(writers[kind](facts, sender, now));
}

type EmailSubject = 'order' | 'charge' | 'token' | 'audit entry' | 'time of day' | 'watches';

const subjects: Readonly<Record<EmailKind, EmailSubject>> = {
  'new-order': 'order',
  'new-enquiry': 'order',
  acknowledgement: 'order',
  'charge-proposed': 'charge',
  'charge-answered': 'charge',
  'charge-lapsed': 'charge',
  'charge-withdrawn': 'charge',
  offer: 'order',
  'approval-wanted': 'order',
  'token-expiry': 'token',
  'webhook-changed': 'audit entry',
  'webhook-paused': 'audit entry',
  reminder: 'time of day',
  'watch-served': 'watches',
};

/** What the subject id of a message of this kind identifies; order events are always about an order. */
export function subjectOf(kind: string): EmailSubject {
  if (kind === 'watch.served') return 'watches';
  return isEmailKind(kind) ? subjects[kind] : 'order';
}

export function isEmailKind(text: string): text is EmailKind {
  return Object.hasOwn(writers, text);
}

const writers: Writers = {
  'new-order': announcement,
  'new-enquiry': announcement,

  acknowledgement,
  ...chargeEmails,
  offer: offerEmail,
  'approval-wanted': approvalEmail,

  'token-expiry': (token, { salesContact, salesInbox }, now) => {
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
  },

  'webhook-changed': (change, { salesContact, salesInbox }) => ({
    to: mailboxes(change.contact),
    replyTo: salesInbox[0],
    subject: `Your webhook was changed: ${change.action}`,
    parts: [
      greeting(change.contact),
      {
        paragraph: `The webhook of ${change.company} for the Product Availability Service, which receives events of your live orders, was changed on ${londonTime(change.at)}.`,
      },
      {
        facts: [
          ['Change', change.action],
          ['Host before', change.hostBefore ?? '(no webhook)'],
          ['Host now', change.hostAfter ?? '(no webhook)'],
          ['Changed by', change.changedBy],
        ],
      },
      {
        paragraph: `If you did not expect this, tell us at once: ${salesContact}. A token that someone else knows has to be revoked.`,
      },
    ],
  }),

  'webhook-paused': (pause, { salesContact, salesInbox }) => ({
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

  'watch-served': ({ contact, company, places }, { salesContact, salesInbox }) => ({
    to: mailboxes(contact),
    replyTo: salesInbox[0],
    subject: `Now available: ${places.length === 1 ? places[0] : `${places.length} places that you watch`}`,
    parts: [
      greeting(contact),
      { paragraph: `Products can now be ordered at these places, which ${company} watches:` },
      { heading: 'Places', items: places },
      {
        paragraph: `Check a place before you order: this email names no product or price. Questions? ${salesContact}.`,
      },
    ],
  }),

  reminder: ({ groups }, sender) => ({
    to: sender.salesInbox,
    subject: groups.map(({ heading, total }) => `${total} ${heading.toLowerCase()}`).join(', '),
    parts: groups.map(({ heading, total, items }): EmailPart => {
      const named = items.map(({ reference, text }) => ({ text, link: pageOf(reference, sender) }));
      const more = total - items.length;
      return {
        heading: `${heading}: ${total}`,
        items: more > 0 ? [...named, `and ${more} more`] : named,
      };
    }),
  }),
};

function daysLeft(expiresAt: Date, now: Date): string {
  const days = Math.round((expiresAt.getTime() - now.getTime()) / DAY);
  return days < 1 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`;
}
