/** Parts of several emails. */
import type { Mailbox } from '../../kernel/mail-address.js';
import { printUprn } from '../../kernel/uprn.js';
import { type EmailPart, oneLine } from './email.js';
import type { EmailFact, EmailFacts } from './email-words.js';

export interface ContactDetails {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

export interface Sender {
  readonly salesInbox: readonly Mailbox[];
  /** An email address or a phone number. */
  readonly salesContact: string;
  /** Who sends. */
  readonly mailFrom?: Mailbox | null;
  /** Of the service, without a slash at the end. */
  readonly publicUrl: string;
}

/** Such as `Mon 23 Nov 2026, 09:30`. */
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

export function placeFacts({
  postcode,
  uprn,
}: {
  readonly postcode: string;
  readonly uprn: number | null;
}): EmailFacts {
  return { postcode, uprn: printUprn(uprn) };
}

/** A fact that keeps its line ends. */
export function severalLines(text: string | null): EmailFact {
  return text === null ? null : { lines: text };
}

export function mailboxOf({ name, email }: ContactDetails): Mailbox | undefined {
  return email === null ? undefined : { name: oneLine(name ?? '', 120), address: email };
}

/** The end of a letter to a client. */
export function signature({ mailFrom }: Sender): EmailPart {
  return { paragraph: `Kind regards,\n${mailFrom?.name || 'The sales team'}` };
}

export function greeting({ name }: ContactDetails): EmailPart {
  return { paragraph: `Hello${name ? ` ${oneLine(name, 120)}` : ''},` };
}
