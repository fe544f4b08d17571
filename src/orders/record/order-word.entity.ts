import { Entity, Index, PrimaryColumn } from 'typeorm';
import { column } from '../../platform/database/columns.js';
import { addRows } from '../../platform/database/engine/rows.js';
import type { SideTx } from '../../platform/database/sides.js';

/** A search word of an order, from its contact, a reference in the client's or our order system, or a note. */
@Entity({ name: 'order_words' })
@Index('ix_order_words_order', ['orderId'])
export class OrderWord {
  /** Lower case letters and digits, without accents, or a phone number; see `search-words.ts`. */
  @PrimaryColumn(column.text(40))
  word: string;

  @PrimaryColumn(column.uuid)
  orderId: string;
}

interface AddedWords {
  readonly orderId: string;
  readonly words: readonly string[];
}

/** Adds search words to orders, which may have some of them already. Search does not cover test orders. */
export async function addWords(tx: SideTx, ...added: readonly AddedWords[]): Promise<void> {
  if (tx.isTest) return;
  const rows = added.flatMap(({ orderId, words }) => words.map((word) => ({ word, orderId })));
  await addRows(tx, OrderWord, rows, 'is left out');
}
