import { IsIn } from 'class-validator';
import { type StaffRole, staffRoles } from '../platform/access/scopes.js';
import { IsMailAddress, IsText, IsTextUpTo } from '../platform/http/field-rules.js';

export class MemberRole {
  @IsIn(staffRoles, { message: `Must be one of ${staffRoles.join(', ')}.` })
  role: StaffRole;
}

export class NewMember extends MemberRole {
  @IsText(120)
  name: string;

  /** Also the name for sign-in. */
  @IsTextUpTo(254)
  @IsMailAddress()
  email: string;
}
