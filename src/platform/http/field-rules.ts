import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsDate,
  isEmail,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { toInstant, isDay } from '../kernel/time.js';
import { isMailAddress } from '../kernel/mail-address.js';
import { LINES, NOT_ONE_LINE, ONE_LINE, tooLong } from '../kernel/text.js';
import { parsePostcode, Postcode } from '../kernel/postcode.js';
import { isSandboxPostcode } from '../kernel/sandbox-postcodes.js';
import { parseUprn } from '../kernel/uprn.js';
import { whole } from '../kernel/counts.js';

const UPRN_ADVICE = 'A UPRN is 1 to 12 digits, not all zero.';

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

/** A UK postcode, in any case and spacing, or one of the sandbox, which services check by caller. */
export const IsPostcode = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPostcode',
    validator: {
      validate: (value) =>
        typeof value === 'string' &&
        (parsePostcode(value) instanceof Postcode || isSandboxPostcode(value)),
      defaultMessage: (context) => reasonOf(context?.value),
    },
  });

function reasonOf(value: unknown): string {
  if (typeof value !== 'string') return 'Must be a text.';
  const refusal = parsePostcode(value);
  return refusal instanceof Postcode ? '' : refusal.detail;
}

/*
 * Rules for fields of several bodies and queries. People read their messages on pages, too: what a person
 * may type is said to a person.
 */

/** A text for which another rule says which characters it may have. */
export const IsTextUpTo = (longest: number) =>
  applyDecorators(
    IsString({ message: 'Must be a text.' }),
    MaxLength(longest, { message: ({ value }) => tooLong(longest, String(value)) }),
    ApiProperty({ maxLength: longest }),
  );

/** Without line breaks and other control characters. */
const IsLine = () =>
  ValidateBy({
    name: 'isLine',
    validator: {
      validate: (value) => typeof value === 'string' && ONE_LINE.test(value),
      defaultMessage: () => NOT_ONE_LINE,
    },
  });

const linesOf = (lines?: 'lines') => (lines === undefined ? [IsLine()] : []);

/** A required text that is not empty: one line, unless it may have `lines`. @param empty the fault of an empty one */
export const IsText = (longest: number, lines?: 'lines', empty = 'Must not be empty.') =>
  applyDecorators(
    IsTextUpTo(longest),
    ...linesOf(lines),
    MinLength(1, { message: empty }),
    ApiProperty({ minLength: 1 }),
  );

/** A required text of several lines that has more than spaces, without control characters. @param missing the fault of a blank one */
export const IsTextToRead = (longest: number, missing: string) =>
  applyDecorators(
    IsText(longest, 'lines'),
    ValidateBy({
      name: 'isNotBlank',
      validator: {
        validate: (value) => typeof value === 'string' && value.trim() !== '',
        defaultMessage: () => missing,
      },
    }),
    ValidateBy({
      name: 'isLines',
      validator: {
        validate: (value) => typeof value === 'string' && LINES.test(value),
        defaultMessage: () => 'Use no control characters except line breaks and tabs.',
      },
    }),
  );

/** An optional text: one line, unless it may have `lines`. */
export const IsOptionalText = (longest: number, lines?: 'lines') =>
  applyDecorators(IsOptional(), IsTextUpTo(longest), ...linesOf(lines));

/** An optional object with rules for its fields. */
export const IsOptionalObject = (type: () => new () => object) =>
  applyDecorators(
    IsOptional(),
    IsObject({ message: 'Must be an object.' }),
    ValidateNested(),
    Type(type),
  );

/** An address to which the service can send an email. */
export const IsMailAddress = () =>
  ValidateBy({
    name: 'isMailAddress',
    validator: {
      validate: (value) => typeof value === 'string' && isEmail(value) && isMailAddress(value),
      defaultMessage: () => 'Enter an email address, such as ada@example.com.',
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
      defaultMessage: () => 'Enter a day, such as 2026-11-21.',
    },
  });

/** In lower case, as ids are stored. Its doc comment has `@kind uuid`. */
export const IsId = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? value.toLowerCase() : value,
    ),
    IsUUID('all', { message: 'Must be a UUID.' }),
  );

/** Gbit/s; 0.1 is 100 Mbit/s. */
export const IsBandwidth = () => {
  const rule = { message: 'Enter a number of Gbit/s from 0.001 to 100,000, such as 0.1.' };
  return applyDecorators(
    IsNumber({ maxDecimalPlaces: 3 }, rule),
    Min(0.001, rule),
    Max(100_000, rule),
  );
};

export const IsWholeNumber = (of: string, least: number, most: number) => {
  const rule = {
    message: `Enter a whole number of ${of} from ${least} to ${whole(most)}.`,
  };
  return applyDecorators(IsInt(rule), Min(least, rule), Max(most, rule));
};
