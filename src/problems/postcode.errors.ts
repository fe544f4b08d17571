import { parsePostcode, parseSandboxPostcode, Postcode } from '../kernel/postcode.js';
import { Problem } from './problem.js';
import { sandboxCaseAt, sandboxPostcodes } from '../kernel/sandbox-postcodes.js';

export class InvalidPostcode extends Problem {
  constructor(detail: string, suggestion: string | undefined) {
    super('invalid-postcode', detail, { members: suggestion ? { suggestion } : {} });
  }
}

/** @throws {InvalidPostcode} with the reason and a suggestion */
export function postcodeOf(text: string): Postcode {
  const postcode = parsePostcode(text);
  if (postcode instanceof Postcode) return postcode;
  throw new InvalidPostcode(postcode.detail, postcode.suggestion);
}

/** As `postcodeOf`; test tokens can also use the sandbox's postcodes. @throws {InvalidPostcode} */
export function postcodeFor(text: string, { isTest }: { readonly isTest: boolean }): Postcode {
  const postcode = isTest ? parseSandboxPostcode(text) : null;
  if (!postcode) return postcodeOf(text);
  if (sandboxCaseAt(postcode) !== undefined) return postcode;
  const known = sandboxPostcodes.map((one) => one.postcode).join(', ');
  throw new InvalidPostcode(`The sandbox has no such postcode; it has ${known}.`, undefined);
}
