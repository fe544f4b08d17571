import type { Tx } from '../../database/engine/tx.js';
import type { EmailFacts, EmailKind } from './email-texts.js';

/** The current facts of a subject; null if no email is needed any more. */
export type EmailFactsSource<K extends EmailKind> = (
  tx: Tx,
  subjectId: string,
) => Promise<EmailFacts[K] | null>;

/**
 * Features register the facts of their emails here. The outbox holds ids only, and an email reports
 * what is true when it is sent.
 */
export class EmailFactsService {
  private readonly sources: { [K in EmailKind]?: EmailFactsSource<K> } = {};

  register<K extends EmailKind>(kind: K, source: EmailFactsSource<K>): void {
    Object.assign(this.sources, { [kind]: source });
  }

  facts<K extends EmailKind>(kind: K, tx: Tx, subjectId: string): Promise<EmailFacts[K] | null> {
    const source = this.sources[kind];
    if (!source) throw new Error(`No feature has registered the facts of ${kind} emails.`);
    return source(tx, subjectId);
  }
}
