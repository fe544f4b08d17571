import type { Config } from '../../config/config.js';
import type { Tx } from '../../database/engine/tx.js';
import type { Mailbox } from '../../kernel/mail-address.js';
import { type Email, writeEmail } from './email.js';
import { type ContactDetails, greeting, mailboxOf, type Sender, signature } from './email-parts.js';
import { type EmailFacts, writeWords } from './email-words.js';
import { type ClientEvent, eventWords, type OrderEvent } from './order-event.js';

/** What the subject id of a message identifies. */
export type MessageSubject =
  'order' | 'charge' | 'message' | 'token' | 'audit entry' | 'time of day' | 'watches' | 'quote';

/** What one email says, and to whom. */
export interface EmailLetter {
  /** Whom an email to a client reaches and greets; to whom the sales inbox and staff reply. */
  readonly contact?: ContactDetails;
  /** Staff whom it reaches; without them, the sales inbox. */
  readonly to?: readonly Mailbox[];
  readonly facts: EmailFacts;
}

/** One kind of email: what causes it, whom it reaches, its facts and its words. Its feature declares it. */
export interface EmailKind {
  /** Stored with each message, and never changed. */
  readonly code: string;
  /** In lists of messages: `New order`. */
  readonly name: string;
  readonly about: MessageSubject;
  /** `sales` is the inbox of the settings, `client` a client or someone whom a client named. */
  readonly to: 'sales' | 'staff' | 'client';
  /** A caller can cause any number of them, to an address that it chose or that is not its own. */
  readonly bounded?: true;
  /** From `readWords`. */
  readonly words: string;
  /** Whether the settings ask for it. */
  isWanted?(config: Config): boolean;
  /**
   * What an event lets it report, by default about the order of the event; null for an event that is no
   * news for its receiver. A kind without this is added by its feature.
   */
  newsOf?(event: OrderEvent | ClientEvent): { readonly subjectId?: string } | null;
  /** What is true when the email is sent: the outbox holds ids only. Null if it is not needed any more. */
  facts(tx: Tx, subjectId: string): Promise<EmailLetter | null>;
}

/** By the first part of the type. */
const aboutEvents: Readonly<Record<string, MessageSubject>> = { watch: 'watches', quote: 'quote' };

/** The kinds of emails that the features have declared. */
export class EmailKindsService {
  private readonly kinds = new Map<string, EmailKind>();

  declare(kind: EmailKind): void {
    this.kinds.set(kind.code, kind);
  }

  get all(): readonly EmailKind[] {
    return [...this.kinds.values()];
  }

  find(code: string): EmailKind | undefined {
    return this.kinds.get(code);
  }

  /** A kind of email or the type of an event, in words. */
  readonly nameOf = (kind: string): string => this.kinds.get(kind)?.name ?? eventWords(kind);

  /** What the subject id of such a message identifies; order events are always about an order. */
  readonly aboutOf = (kind: string): MessageSubject =>
    this.kinds.get(kind)?.about ?? aboutEvents[kind.split('.')[0]!] ?? 'order';
}

/** An email as it is sent. One to a client starts with a greeting, and ends with who sends it. */
export function emailOf(
  kind: Pick<EmailKind, 'to' | 'words'>,
  { contact, to = [], facts }: EmailLetter,
  sender: Sender,
): Email {
  const { salesInbox, salesContact, publicUrl } = sender;
  const { subject, parts } = writeWords(kind.words, facts, { salesContact, publicUrl });
  const mailbox = contact && mailboxOf(contact);
  if (kind.to === 'client' && contact) {
    return writeEmail({
      to: mailbox ? [mailbox] : [],
      replyTo: salesInbox[0],
      subject,
      parts: [greeting(contact), ...parts, signature(sender)],
    });
  }
  return writeEmail({ to: to.length > 0 ? to : salesInbox, replyTo: mailbox, subject, parts });
}
