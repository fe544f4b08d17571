import type { LineRefusal, RefusedLine } from './quote-requests.dto.js';
import { type LineUse, stateOfLine } from './record/line-states.js';
import type { QuoteLine } from './record/quote.entity.js';

/** A line with its number, from 1. */
export interface NumberedLine {
  readonly number: number;
  readonly line: QuoteLine;
  readonly use: LineUse;
  /** Places of the quote with a product of the same service. */
  readonly ofService: number;
}

export function refusalToAsk({ line, use }: NumberedLine): LineRefusal | null {
  if (use.enquiry) return 'alreadyEnquired';
  return stateOfLine(line, use) === 'notAvailable' ? null : 'notAsked';
}

/** @param outcomes of the lines: a reason where one was refused */
export function refusedAmong(
  lines: readonly NumberedLine[],
  outcomes: readonly (LineRefusal | object | null)[],
): RefusedLine[] {
  return lines.flatMap(({ number, use }, i) => {
    const reason = outcomes[i];
    if (typeof reason !== 'string') return [];
    const orderId = reason === 'alreadyOrdered' ? { orderId: use.order!.id } : {};
    return [{ lineId: String(number), reason, ...orderId }];
  });
}
