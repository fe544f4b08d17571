import type { Tx } from '../database/engine/tx.js';
import type { EmailFacts, EmailKind } from './email-texts.js';

/** What there is to say about a subject now; null where there is nothing to say any more. */
export type EmailFactsSource<K extends EmailKind> = (
  tx: Tx,
  subjectId: string,
) => Promise<EmailFacts[K] | null>;

/**
 * Where the facts of each kind of letter come from. The features that know them register here, so
 * that the outbox holds ids only and a letter says what is true when it is sent.
 */
export class EmailFactsService {
  private readonly sources: { [K in EmailKind]?: EmailFactsSource<K> } = {};

  register<K extends EmailKind>(kind: K, source: EmailFactsSource<K>): void {
    Object.assign(this.sources, { [kind]: source });
  }

  /** @throws where no feature has registered the kind */
  facts<K extends EmailKind>(kind: K, tx: Tx, subjectId: string): Promise<EmailFacts[K] | null> {
    const source = this.sources[kind];
    if (!source) throw new Error(`Nobody knows what a letter of the kind ${kind} says.`);
    return source(tx, subjectId);
  }
}
