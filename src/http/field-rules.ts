import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsDate, IsOptional, IsString, IsUUID, MaxLength, MinLength } from 'class-validator';
import { toInstant } from '../kernel/instant.js';

/** Fields that several bodies and queries have: how each is read, checked and described. */

export const IsTextUpTo = (length: number) =>
  applyDecorators(
    IsString({ message: 'Must be a text.' }),
    MaxLength(length, { message: `Must have at most ${length} characters.` }),
    ApiProperty({ maxLength: length }),
  );

/** A text that must be there, and must not be empty. */
export const IsText = (longest: number) =>
  applyDecorators(
    IsTextUpTo(longest),
    MinLength(1, { message: 'Must not be empty.' }),
    ApiProperty({ minLength: 1 }),
  );

export const IsOptionalText = (longest: number) =>
  applyDecorators(IsOptional(), IsTextUpTo(longest));

/** An instant as RFC 3339 writes it. */
export const IsInstant = () =>
  applyDecorators(
    Transform(toInstant),
    IsDate({ message: 'Must be a time such as 2026-11-21T09:30:00Z.' }),
  );

export const IsOptionalInstant = () => applyDecorators(IsOptional(), IsInstant());

/** Its doc comment has `@kind uuid`. */
export const IsId = () => IsUUID('all', { message: 'Must be a UUID.' });
