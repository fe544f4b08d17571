import { DAY } from '../kernel/time.js';
import type { Mailbox } from '../kernel/mail-address.js';
import {
  type EmailDraft,
  type Email,
  oneLine,
  type EmailPart,
  type EmailValue,
  writeEmail,
} from './email.js';

interface ContactDetails {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

/** An order as the people who must act on it need to see it. */
export interface OrderEmailFacts {
  readonly orderId: string;
  readonly reference: string;
  readonly receivedAt: Date;
  readonly client: ContactDetails & { readonly company: string };
  readonly clientReference: string | null;
  /** As given with the order. */
  readonly contact: ContactDetails;
  readonly postcode: string;
  readonly productCode: string;
  readonly productName: string;
  /** Bandwidth, price and so on. */
  readonly terms: readonly (readonly [label: string, text: string])[];
  readonly zone: string;
  readonly checkId: string | null;
  readonly notes: string | null;
  /** The reference of an earlier order that may be the same. */
  readonly possibleDuplicateOf: string | null;
  /** By when somebody should have called. */
  readonly callBy: Date | null;
}

/** A token of an API client that ends soon. */
export interface TokenExpiryFacts {
  readonly company: string;
  readonly contact: ContactDetails;
  readonly label: string;
  /** Its last four characters. */
  readonly ending: string;
  readonly expiresAt: Date;
}

/** Orders that somebody should have touched, or should now. */
export interface ReminderFacts {
  readonly groups: readonly {
    readonly heading: string;
    /** How many there are in all. */
    readonly total: number;
    /** The most urgent of them. */
    readonly items: readonly string[];
  }[];
}

export interface EmailFacts {
  'new-order': OrderEmailFacts;
  acknowledgement: OrderEmailFacts;
  'token-expiry': TokenExpiryFacts;
  reminder: ReminderFacts;
}
export type EmailKind = keyof EmailFacts;

/** What the emails know of the operator. */
export interface Sender {
  readonly salesInbox: readonly Mailbox[];
  /** As in the messages of the interface: an address or a telephone number. */
  readonly salesContact: string;
}

type Writers = {
  [K in EmailKind]: (facts: EmailFacts[K], sender: Sender, now: Date) => EmailDraft;
};

/** The email of this kind. Without a recipient it cannot be sent. */
export function emailOf<K extends EmailKind>(
  kind: K,
  facts: EmailFacts[K],
  sender: Sender,
  now: Date,
): Email {
  return writeEmail(writers[kind](facts, sender, now));
}

const subjects: Readonly<Record<EmailKind, 'order' | 'token' | 'time of day'>> = {
  'new-order': 'order',
  acknowledgement: 'order',
  'token-expiry': 'token',
  reminder: 'time of day',
};

/** Whether the subject of a message of this kind is an order, as that of every order event is. */
export function isAboutOrder(kind: string): boolean {
  return !isEmailKind(kind) || subjects[kind] === 'order';
}

export function isEmailKind(text: string): text is EmailKind {
  return Object.hasOwn(writers, text);
}

const writers: Writers = {
  'new-order': (order, { salesInbox }) => {
    const twin = order.possibleDuplicateOf;
    const person = order.contact.email === null ? order.client : order.contact;
    return {
      to: salesInbox,
      replyTo: mailboxOf(person),
      subject: `New order ${order.reference}: ${order.productName} at ${order.postcode}, ${order.client.company}`,
      parts: [
        ...(twin === null
          ? []
          : [
              {
                paragraph: `Possible duplicate of ${twin}: the same client asked for the same product at the same postcode within 24 hours.`,
              },
            ]),
        { paragraph: 'A client placed an order request. Please make contact.' },
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
            ['Postcode', order.postcode],
            ...productRows(order),
            ['Zone', order.zone],
            ['Check', order.checkId],
          ],
        },
        { facts: [['Notes', { lines: order.notes ?? '(none)' }]] },
        { facts: [['Order id', order.orderId]] },
      ],
    };
  },

  acknowledgement: (order, { salesInbox, salesContact }) => ({
    to: mailboxes(order.contact),
    replyTo: salesInbox[0],
    subject: `Your order request ${order.reference} was received`,
    parts: [
      { paragraph: `Hello${order.contact.name ? ` ${oneLine(order.contact.name, 120)}` : ''},` },
      {
        paragraph: `${order.client.company} placed this order request for you. A member of our team will contact you.`,
      },
      {
        facts: [
          ['Reference', order.reference],
          ["Your supplier's reference", order.clientReference],
          ['Postcode', order.postcode],
          ...productRows(order),
        ],
      },
      {
        paragraph: `This is not a contract. Questions: ${salesContact}. Please name the reference.`,
      },
    ],
  }),

  'token-expiry': (token, { salesContact, salesInbox }, now) => {
    const left = daysLeft(token.expiresAt, now);
    const named = token.label === '' ? `…${token.ending}` : `"${token.label}" (…${token.ending})`;
    return {
      to: mailboxes(token.contact),
      replyTo: salesInbox[0],
      subject: `Your access token …${token.ending} expires in ${left}`,
      parts: [
        { paragraph: `Hello${token.contact.name ? ` ${oneLine(token.contact.name, 120)}` : ''},` },
        {
          paragraph: `the token ${named} of ${token.company} for the Product Availability Service expires on ${londonTime(token.expiresAt)}, in ${left}. Requests with it will then be refused.`,
        },
        {
          paragraph: `Ask for a new one in time: ${salesContact}. Both work side by side, so that you can change over without a gap. If you have changed over already, ask us to revoke this one.`,
        },
      ],
    };
  },

  reminder: ({ groups }, { salesInbox }) => ({
    to: salesInbox,
    subject: groups.map(({ heading, total }) => `${total} ${heading.toLowerCase()}`).join(', '),
    parts: groups.map(({ heading, total, items }): EmailPart => ({
      heading: `${heading}: ${total}`,
      items: total > items.length ? [...items, `and ${total - items.length} more`] : items,
    })),
  }),
};

/** A point in time as a person in London writes it: `Mon 23 Nov 2026, 09:30`. */
export function londonTime(at: Date): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/London',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${part.weekday} ${part.day} ${part.month} ${part.year}, ${part.hour}:${part.minute}`;
}

function daysLeft(expiresAt: Date, now: Date): string {
  const days = Math.round((expiresAt.getTime() - now.getTime()) / DAY);
  return days < 1 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`;
}

function productRows(order: OrderEmailFacts): [string, EmailValue][] {
  return [
    ['Product', `${order.productName} (${order.productCode})`],
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
    [`${label} e-mail`, email === null ? null : { mail: email }],
  ];
}

function mailboxOf({ name, email }: ContactDetails): Mailbox | undefined {
  return email === null ? undefined : { name: oneLine(name ?? '', 120), address: email };
}

function mailboxes(person: ContactDetails): Mailbox[] {
  const mailbox = mailboxOf(person);
  return mailbox ? [mailbox] : [];
}
