import { parsePostcode, Postcode } from './postcode.js';
import { Problem } from './problem.js';

export class InvalidPostcode extends Problem {
  constructor(detail: string, suggestion: string | undefined) {
    super('invalid-postcode', detail, { members: suggestion ? { suggestion } : {} });
  }
}

/** @throws {InvalidPostcode} which says why, and what was probably meant */
export function postcodeOf(text: string): Postcode {
  const postcode = parsePostcode(text);
  if (postcode instanceof Postcode) return postcode;
  throw new InvalidPostcode(postcode.detail, postcode.suggestion);
}
