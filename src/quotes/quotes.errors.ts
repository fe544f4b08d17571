import { NotFound, Problem } from '../platform/problems/problem.js';
import type { RefusedLine } from './quote-requests.dto.js';
import type { QuoteState } from './record/quotes.dto.js';

export class QuoteNotFound extends NotFound {
  constructor() {
    super('There is no quote with this id.');
  }
}

export class QuoteExpired extends Problem {
  constructor(state: QuoteState) {
    const withdrawn = 'The operator has withdrawn this quote. Ask the operator, or copy the quote.';
    super('quote-expired', state === 'withdrawn' ? withdrawn : undefined);
  }
}

/** None of the lines is ordered, or asked for. */
export class LineNotOrderable extends Problem {
  constructor(lines: readonly RefusedLine[], what: 'ordered' | 'asked for') {
    const count = lines.length === 1 ? 'One line' : `${lines.length} lines`;
    super('line-not-orderable', `${count} cannot be ${what}; see lines.`, { members: { lines } });
  }
}
