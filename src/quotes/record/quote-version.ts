import { createHash } from 'node:crypto';
import { type FoundQuote, printSummary } from './print-quote.js';

/** Of a response: it differs once the quote, what became of its lines, or what was asked for differs. */
export function versionOf({ quote, uses, now }: FoundQuote, asked: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([printSummary(quote, uses, now), uses.text, asked]))
    .update(quote.body)
    .digest('base64url')
    .slice(0, 22);
}
