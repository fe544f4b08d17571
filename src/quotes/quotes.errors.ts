import { NotFound, Problem } from '../platform/problems/problem.js';
import type { RefusedLine } from './quote-requests.dto.js';

export class QuoteNotFound extends NotFound {
  constructor() {
    super('There is no quote with this id.');
  }
}

export class QuoteExpired extends Problem {
  constructor() {
    super('quote-expired');
  }
}

/** None of the lines is ordered, or asked for. */
export class LineNotOrderable extends Problem {
  constructor(lines: readonly RefusedLine[], what: 'ordered' | 'asked for') {
    const count = lines.length === 1 ? 'One line' : `${lines.length} lines`;
    super('line-not-orderable', `${count} cannot be ${what}; see lines.`, { members: { lines } });
  }
}
