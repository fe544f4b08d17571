import type { Tx } from '../database/engine/tx.js';
import type { LetterFacts, LetterKind } from './letters.js';

/** What there is to say about a subject now; null where there is nothing to say any more. */
export type LetterSource<K extends LetterKind> = (
  tx: Tx,
  subjectId: string,
) => Promise<LetterFacts[K] | null>;

/**
 * Where the facts of each kind of letter come from. The features that know them register here, so
 * that the outbox holds ids only and a letter says what is true when it is sent.
 */
export class LetterSources {
  private readonly sources: { [K in LetterKind]?: LetterSource<K> } = {};

  register<K extends LetterKind>(kind: K, source: LetterSource<K>): void {
    Object.assign(this.sources, { [kind]: source });
  }

  /** @throws where no feature has registered the kind */
  facts<K extends LetterKind>(kind: K, tx: Tx, subjectId: string): Promise<LetterFacts[K] | null> {
    const source = this.sources[kind];
    if (!source) throw new Error(`Nobody knows what a letter of the kind ${kind} says.`);
    return source(tx, subjectId);
  }
}
