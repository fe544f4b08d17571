import { Entity, Index, PrimaryColumn } from 'typeorm';
import { column } from '../../platform/database/columns.js';

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
