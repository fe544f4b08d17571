import { DAY } from '../kernel/time.js';
import {
  type EmailDraft,
  type Email,
  oneLine,
  type EmailPart,
  type EmailValue,
  writeEmail,
} from './email.js';
import {
  type ContactDetails,
  londonTime,
  mailboxes,
  mailboxOf,
  placeRows,
  type Sender,
} from './email-parts.js';
import {
  approvalEmail,
  type ApprovalEmailFacts,
  offerEmail,
  type OfferEmailFacts,
} from './offer-email.js';

/** Of an order or an enquiry. */
export interface OrderEmailFacts {
  readonly isEnquiry: boolean;
  /** Of a caller who is no client. */
  readonly isDirect: boolean;
  readonly orderId: string;
  readonly reference: string;
  readonly receivedAt: Date;
  readonly client: ContactDetails & { readonly company: string };
  readonly clientReference: string | null;
  /** As given with the order. */
  readonly contact: ContactDetails;
  readonly postcode: string;
  /** Of the premises that the client named. */
  readonly uprn: number | null;
  /** Null for an enquiry. */
  readonly productCode: string | null;
  /** Of an enquiry, the wanted bandwidth and term. */
  readonly productName: string;
  /** Of an enquiry, in the client's own words. */
  readonly wanted: string | null;
  /** Bandwidth, price and so on. */
  readonly terms: readonly (readonly [label: string, text: string])[];
  readonly zone: string | null;
  readonly checkId: string | null;
  readonly notes: string | null;
  /** The reference of an earlier order that may be the same. */
  readonly possibleDuplicateOf: string | null;
  /** The deadline for the first contact. */
  readonly callBy: Date | null;
}

/** An extra charge on an order, for the contact of its API client or for the sales inbox. */
export interface ChargeEmailFacts {
  readonly orderId: string;
  readonly reference: string;
  readonly company: string;
  /** Of the API client. */
  readonly contact: ContactDetails;
  readonly clientReference: string | null;
  readonly postcode: string;
  readonly productName: string;
  /** Such as `Survey`. */
  readonly category: string;
  /** Such as `250.00 GBP`. */
  readonly amount: string;
  readonly note: string | null;
  readonly dueAt: Date;
  /** Such as `accepted`. */
  readonly state: string;
  readonly answeredBy: string | null;
}

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
    readonly items: readonly string[];
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

  // The API client chooses the address: no text of the client is in it, or it could write to anyone.
  acknowledgement: (order, { salesInbox, salesContact }) => ({
    to: mailboxes({ ...order.contact, name: null }),
    replyTo: salesInbox[0],
    subject: `Your ${requestOf(order)} ${order.reference} was received`,
    parts: [
      { paragraph: 'Hello,' },
      {
        paragraph: `${order.isDirect ? 'We have logged your enquiry.' : `${order.client.company} ${order.isEnquiry ? 'sent this enquiry' : 'placed this order request'} for you.`} A member of our team will contact you.`,
      },
      {
        facts: [['Reference', order.reference], ...placeRows(order), ...productRows(order)],
      },
      {
        paragraph: `This is not a contract. Questions? ${salesContact}. Please quote the reference.`,
      },
    ],
  }),

  'charge-proposed': (charge, sender) =>
    chargeEmail(charge, sender, {
      subject: 'Extra charge proposed',
      what:
        charge.state === 'accepted'
          ? 'we propose an extra charge on this order. It is within the amount that the order accepts in advance, so it is accepted.'
          : `we propose an extra charge on this order. Please accept or reject it by ${londonTime(charge.dueAt)}, with the API or by contacting us. Without an answer it lapses.`,
    }),

  'charge-lapsed': (charge, sender) =>
    chargeEmail(charge, sender, {
      subject: 'Extra charge lapsed',
      what: 'we received no answer to this extra charge in time. You can no longer accept it. The order stays open, and we will contact you.',
    }),

  'charge-withdrawn': (charge, sender) =>
    chargeEmail(charge, sender, {
      subject: 'Extra charge withdrawn',
      what: 'we have withdrawn this extra charge. You need not answer it.',
    }),

  'charge-answered': (charge, { salesInbox }) => ({
    to: salesInbox,
    replyTo: mailboxOf(charge.contact),
    subject: `Extra charge ${charge.state}: ${charge.reference}, ${charge.company}`,
    parts: [
      { paragraph: `The client ${charge.state} an extra charge.` },
      {
        facts: [
          ...chargeRows(charge, "Client's reference"),
          ['Answered by', charge.answeredBy ?? '(not stated)'],
        ],
      },
      { facts: [['Order id', charge.orderId]] },
    ],
  }),

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
          paragraph: `the token ${named} of ${token.company} for the Product Availability Service expires on ${londonTime(token.expiresAt)}, in ${left}. After that, requests with it are refused.`,
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
      { paragraph: `products can now be ordered at these places, which ${company} watches:` },
      { heading: 'Places', items: places },
      {
        paragraph: `Check a place before you order: this email names no product or price. Questions? ${salesContact}.`,
      },
    ],
  }),

  reminder: ({ groups }, { salesInbox }) => ({
    to: salesInbox,
    subject: groups.map(({ heading, total }) => `${total} ${heading.toLowerCase()}`).join(', '),
    parts: groups.map(({ heading, total, items }): EmailPart => ({
      heading: `${heading}: ${total}`,
      items: total > items.length ? [...items, `and ${total - items.length} more`] : items,
    })),
  }),
};

interface ChargeNews {
  readonly subject: string;
  readonly what: string;
}

/** To the API client's contact: the contact of an order may be the client's own customer. */
function chargeEmail(
  charge: ChargeEmailFacts,
  { salesInbox, salesContact }: Sender,
  { subject, what }: ChargeNews,
): EmailDraft {
  return {
    to: mailboxes(charge.contact),
    replyTo: salesInbox[0],
    subject: `${subject}: ${charge.reference}`,
    parts: [
      greeting(charge.contact),
      { paragraph: what },
      { facts: chargeRows(charge, 'Your reference') },
      { paragraph: `Questions? ${salesContact}. Please quote the reference.` },
    ],
  };
}

function chargeRows(
  charge: ChargeEmailFacts,
  referenceLabel: string,
): [string, EmailValue | null][] {
  return [
    ['Reference', charge.reference],
    [referenceLabel, charge.clientReference],
    ['Postcode', charge.postcode],
    ['Product', charge.productName],
    ['Charge', `${charge.category}, ${charge.amount} once, excluding VAT`],
    ['Note', charge.note === null ? null : { lines: charge.note }],
  ];
}

function greeting({ name }: ContactDetails): EmailPart {
  return { paragraph: `Hello${name ? ` ${oneLine(name, 120)}` : ''},` };
}

function daysLeft(expiresAt: Date, now: Date): string {
  const days = Math.round((expiresAt.getTime() - now.getTime()) / DAY);
  return days < 1 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`;
}

/** To the sales inbox. */
function announcement(order: OrderEmailFacts, { salesInbox }: Sender): EmailDraft {
  const [kind, verb] = order.isEnquiry
    ? ['enquiry', 'sent an enquiry']
    : ['order', 'placed an order request'];
  const twin = order.possibleDuplicateOf;
  const person = order.contact.email === null ? order.client : order.contact;
  return {
    to: salesInbox,
    replyTo: mailboxOf(person),
    subject: `New ${kind} ${order.reference}: ${order.productName} at ${order.postcode}, ${order.client.company}`,
    parts: [
      ...(twin === null
        ? []
        : [
            {
              paragraph: `Possible duplicate of ${twin}: the same client asked for ${order.isEnquiry ? 'something' : 'the same product'} at the same postcode within 24 hours.`,
            },
          ]),
      { paragraph: `A client ${verb}. Please make contact.` },
      {
        facts: [
          ['Reference', order.reference],
          ['Received', londonTime(order.receivedAt)],
          ['Call by', order.callBy && londonTime(order.callBy)],
          ['Client', order.client.company],
          ["Client's reference", order.clientReference],
          ...personRows('Contact', order.contact),
          ...personRows('Client contact', order.client),
        ],
      },
      {
        facts: [
          ...placeRows(order),
          ...productRows(order),
          ['Zone', order.zone],
          ['Check', order.checkId],
        ],
      },
      ...(order.wanted === null ? [] : [{ facts: [descriptionRow(order.wanted)] }]),
      { facts: [['Notes', { lines: order.notes ?? '(none)' }]] },
      { facts: [[order.isEnquiry ? 'Enquiry id' : 'Order id', order.orderId]] },
    ],
  };
}

function descriptionRow(wanted: string): [string, EmailValue] {
  return ['Description', { lines: wanted }];
}

function requestOf({ isEnquiry }: OrderEmailFacts): string {
  return isEnquiry ? 'enquiry' : 'order request';
}

function productRows(order: OrderEmailFacts): [string, EmailValue][] {
  return [
    order.productCode === null
      ? ['Wanted', order.productName]
      : ['Product', `${order.productName} (${order.productCode})`],
    ...order.terms.map(([label, text]): [string, EmailValue] => [label, text]),
  ];
}

function personRows(
  label: string,
  { name, email, phone }: ContactDetails,
): [string, EmailValue | null][] {
  return [
    [label, name ?? (email === null && phone === null ? '(none given)' : null)],
    [`${label} phone`, phone === null ? null : { phone }],
    [`${label} email`, email === null ? null : { mail: email }],
  ];
}
