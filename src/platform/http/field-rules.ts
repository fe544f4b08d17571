import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  IsDate,
  isEmail,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
} from 'class-validator';
import { toInstant } from '../kernel/instant.js';
import { isMailAddress } from '../kernel/mail-address.js';
import { ONE_LINE } from '../kernel/text-rules.js';
import { isDay } from '../kernel/time.js';

/** Rules for fields of several bodies and queries. */
export const IsTextUpTo = (length: number) =>
  applyDecorators(
    IsString({ message: 'Must be a text.' }),
    MaxLength(length, { message: `Must have at most ${length} characters.` }),
    ApiProperty({ maxLength: length }),
  );

/** A required text that is not empty. */
export const IsText = (longest: number) =>
  applyDecorators(
    IsTextUpTo(longest),
    MinLength(1, { message: 'Must not be empty.' }),
    ApiProperty({ minLength: 1 }),
  );

export const IsOptionalText = (longest: number) =>
  applyDecorators(IsOptional(), IsTextUpTo(longest));

/** An optional text without line breaks and other control characters. */
export const IsOptionalLine = (longest: number) =>
  applyDecorators(
    IsOptionalText(longest),
    ValidateBy({
      name: 'isLine',
      validator: {
        validate: (value) => typeof value === 'string' && ONE_LINE.test(value),
        defaultMessage: () => 'Must be one line, without control characters.',
      },
    }),
  );

/** An address to which the service can send an email. */
export const IsMailAddress = () =>
  ValidateBy({
    name: 'isMailAddress',
    validator: {
      validate: (value) => typeof value === 'string' && isEmail(value) && isMailAddress(value),
      defaultMessage: () => 'Must be an email address, such as ada@example.com.',
    },
  });

/** The body must not have the other property too. */
export const IsOnly = (other: string): PropertyDecorator =>
  ValidateBy({
    name: 'isOnly',
    validator: {
      validate: (_value, context) => (context!.object as Record<string, unknown>)[other] == null,
      defaultMessage: () => `Send either this or ${other}.`,
    },
  });

/** RFC 3339. */
export const IsInstant = () =>
  applyDecorators(
    Transform(toInstant),
    IsDate({
      message: 'Must be a time with its offset, such as 2026-11-21T09:30:00Z; in a URL, + is %2B.',
    }),
  );

export const IsOptionalInstant = () => applyDecorators(IsOptional(), IsInstant());

/** Such as `2026-11-21`. */
export const IsDay = () =>
  ValidateBy({
    name: 'isDay',
    validator: {
      validate: (value) => typeof value === 'string' && isDay(value),
      defaultMessage: () => 'Must be a day such as 2026-11-21.',
    },
  });

/** Its doc comment has `@kind uuid`. */
export const IsId = () => IsUUID('all', { message: 'Must be a UUID.' });

/** Gbit/s; 0.1 is 100 Mbit/s. */
export const IsBandwidth = () => {
  const rule = { message: 'Must be a number of Gbit/s from 0.001 to 100000, such as 0.1.' };
  return applyDecorators(
    IsNumber({ maxDecimalPlaces: 3 }, rule),
    Min(0.001, rule),
    Max(100_000, rule),
  );
};

export const IsWholeNumber = (of: string, least: number, most: number) => {
  const rule = { message: `Must be a whole number of ${of} from ${least} to ${most}.` };
  return applyDecorators(IsInt(rule), Min(least, rule), Max(most, rule));
};
