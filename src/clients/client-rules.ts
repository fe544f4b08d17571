import { isEmail } from 'class-validator';
import { isMailAddress } from '../kernel/mail-address.js';
import type { TextRule } from '../kernel/text-rules.js';

/** What is written about an API client, on the page and at the command line. */
export const clientRules = [
  { name: 'name', most: 120, missing: 'Write the name of the company.' },
  { name: 'contactName', most: 120, missing: 'Write whom to contact there.' },
  {
    name: 'contactEmail',
    most: 254,
    missing: 'Write an e-mail address.',
    is: (text: string) => isEmail(text) && isMailAddress(text),
    wrong: 'This is no e-mail address. One looks like grace@example.com.',
  },
  {
    name: 'contactPhone',
    most: 40,
    missing: 'Write a telephone number.',
    is: (text: string) => /^[+\d(][\d\s()./-]*$/.test(text) && /\d/.test(text),
    wrong: 'A telephone number has digits, blanks, brackets, dots and hyphens only.',
  },
  {
    name: 'priceList',
    most: 32,
    missing: 'Write the name of a price list, such as standard.',
    is: (text: string) => /^[a-z0-9][a-z0-9-]*$/i.test(text),
    wrong: 'A price list has letters, digits and hyphens only.',
  },
] as const satisfies readonly TextRule[];

/** What is said about a token when it is issued, and when it is revoked. */
export const labelRule = { name: 'label', most: 120 } satisfies TextRule;
export const reasonRule = {
  name: 'reason',
  most: 200,
  missing: 'Write why; it is kept in the audit trail.',
} satisfies TextRule;
