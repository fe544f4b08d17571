import { ArrayMinSize, IsArray, IsBoolean, IsIn, IsOptional } from 'class-validator';
import { clientScopes } from '../platform/access/scopes.js';
import { IsOptionalText, IsText, IsWholeNumber } from '../platform/http/field-rules.js';

export class TokenTerms {
  /** Its purpose. */
  @IsOptionalText(120)
  label?: string;

  @IsWholeNumber('days', 1, 3_650)
  days: number;
}

/** A token of an API client. */
export class NewToken extends TokenTerms {
  @IsArray({ message: 'Must be a list of scopes.' })
  @ArrayMinSize(1, { message: 'Choose at least one scope.' })
  @IsIn(clientScopes, { each: true, message: `Each must be one of ${clientScopes.join(', ')}.` })
  scopes: (typeof clientScopes)[number][];

  /** For the sandbox. */
  @IsOptional()
  @IsBoolean({ message: 'Must be true or false.' })
  test?: boolean;
}

/** Why an administrator revokes or disables something. */
export class GivenReason {
  @IsText(200)
  reason: string;
}
