import { isEmail } from 'class-validator';
import { isMailAddress } from '../platform/kernel/mail-address.js';
import type { TextRule } from '../platform/kernel/text-rules.js';

/** Rules for the details of an API client, on the page and in the CLI. */
export const clientRules = [
  { name: 'name', most: 120, missing: 'Enter the company name.' },
  { name: 'contactName', most: 120, missing: 'Enter a contact name.' },
  {
    name: 'contactEmail',
    most: 254,
    missing: 'Enter an email address.',
    is: (text: string) => isEmail(text) && isMailAddress(text),
    wrong: 'Enter an email address such as grace@example.com.',
  },
  {
    name: 'contactPhone',
    most: 40,
    missing: 'Enter a phone number.',
    is: (text: string) => /^[+\d(][\d\s()./-]*$/.test(text) && /\d/.test(text),
    wrong: 'Enter a phone number with digits, spaces, brackets, dots and hyphens only.',
  },
  {
    name: 'priceList',
    most: 32,
    missing: 'Enter the name of a price list, such as standard.',
    is: (text: string) => /^[a-z0-9][a-z0-9-]*$/i.test(text),
    wrong: 'Enter a price list with letters, digits and hyphens only.',
  },
] as const satisfies readonly TextRule[];

export const labelRule = { name: 'label', most: 120 } satisfies TextRule;
export const reasonRule = {
  name: 'reason',
  most: 200,
  missing: 'Enter a reason.',
} satisfies TextRule;
