import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, ValidateBy } from 'class-validator';
import { parseUprn } from '../kernel/uprn.js';

export const UPRN_ADVICE = 'A UPRN is 1 to 12 digits, not all zero.';

/** The text is a UPRN; leading zeros are padding. */
export const IsOptionalUprn = (): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    ValidateBy({
      name: 'isUprn',
      validator: {
        validate: (value) => typeof value === 'string' && parseUprn(value) !== null,
        defaultMessage: () => `${UPRN_ADVICE} It is sent as text.`,
      },
    }),
    ApiProperty({ minLength: 1, maxLength: 12 }),
  );
