import { NotFound, Problem } from '../platform/problems/problem.js';
import { Refused } from '../platform/problems/refused.js';
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
  constructor(
    readonly lines: readonly RefusedLine[],
    what: 'ordered' | 'asked for',
  ) {
    const count = lines.length === 1 ? 'One line' : `${lines.length} lines`;
    super('line-not-orderable', `${count} cannot be ${what}; see lines.`, { members: { lines } });
  }
}

export class DraftNotFound extends NotFound {
  constructor() {
    super('There is no draft with this id: it was sent or deleted.');
  }
}

/** It has changed since the person saw it, or still has an open question. */
export class DraftNotSent extends Refused {}
