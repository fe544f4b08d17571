import { parsePostcode, parseSandboxPostcode, Postcode } from '../kernel/postcode.js';
import { parseUprn } from '../kernel/uprn.js';
import { Problem } from './problem.js';
import { sandboxCaseAt, sandboxPostcodes } from '../kernel/sandbox-postcodes.js';

export class InvalidPostcode extends Problem {
  constructor(detail: string, suggestion: string | undefined) {
    super('invalid-postcode', detail, { members: suggestion ? { suggestion } : {} });
  }
}

export class InvalidUprn extends Problem {
  constructor() {
    super('invalid-uprn', 'A UPRN is 1 to 12 digits, not all zero.');
  }
}

/** Does not name the other postcode: clients do not read the list of premises through it. */
export class UprnNotAtPostcode extends Problem {
  constructor(postcode: string) {
    super('uprn-not-at-postcode', `The premises with this UPRN are not at ${postcode}.`);
  }
}

/** @throws {InvalidUprn} */
export function uprnOf(text: string): number {
  const uprn = parseUprn(text);
  if (uprn === null) throw new InvalidUprn();
  return uprn;
}

/** @throws {InvalidPostcode} */
export function postcodeOf(text: string): Postcode {
  const postcode = parsePostcode(text);
  if (postcode instanceof Postcode) return postcode;
  // What a path still has after it was decoded: `%2520` was sent.
  if (/%[0-9a-f]{2}/i.test(text)) {
    const detail = 'This seems to be escaped twice: send a space as %20, not as %2520.';
    throw new InvalidPostcode(detail, undefined);
  }
  throw new InvalidPostcode(postcode.detail, postcode.suggestion);
}

/** As `postcodeOf`; test tokens can also use sandbox postcodes. @throws {InvalidPostcode} */
export function postcodeFor(text: string, { isTest }: { readonly isTest: boolean }): Postcode {
  const postcode = isTest ? parseSandboxPostcode(text) : null;
  if (!postcode) return postcodeOf(text);
  if (sandboxCaseAt(postcode) !== undefined) return postcode;
  const known = sandboxPostcodes.map((one) => one.postcode).join(', ');
  throw new InvalidPostcode(`The sandbox has no such postcode; it has ${known}.`, undefined);
}

/** A problem of one of several places, for descriptions. */
export const invalidPostcodeExample = {
  type: 'http://localhost:3000/problems/invalid-postcode',
  title: 'Not a UK postcode',
  status: 400,
  detail:
    'A postcode ends with a digit and two letters (never C, I, K, M, O or V). Did you mean EC2A 2DS?',
  instance: 'urn:uuid:5b0a7c9e-2f64-4f5d-9a51-0d3c7e8b6a21',
  code: 'invalid-postcode',
  suggestion: 'EC2A 2DS',
};
