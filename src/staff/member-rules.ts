import { isEmail } from 'class-validator';
import { isMailAddress } from '../platform/kernel/mail-address.js';
import { type StaffRole, staffRoles } from '../platform/access/scopes.js';
import type { TextRule } from '../platform/kernel/text-rules.js';

export function isStaffRole(text: string): text is StaffRole {
  return staffRoles.some((role) => role === text);
}

/** Rules for the details of a staff member, on the page and in the CLI. */
export const memberRules = [
  { name: 'name', most: 120, missing: 'Enter the name.' },
  {
    name: 'email',
    most: 254,
    missing: 'Enter the email address.',
    is: (text: string) => isEmail(text) && isMailAddress(text),
    wrong: 'Enter an email address such as sam@example.com.',
  },
  {
    name: 'role',
    most: 16,
    missing: 'Choose a role.',
    is: isStaffRole,
    wrong: 'Choose one of the roles.',
  },
] as const satisfies readonly TextRule[];
