import { isUuid } from '../kernel/uuid.js';
import { NotFound } from '../problems/problem.js';
import { PathParameter } from './described.js';

/** The `postcode` in the path, as the caller typed it. */
export const PostcodeParameter = () =>
  PathParameter({
    name: 'postcode',
    description:
      'UK postcode, percent-encoded (a space is `%20`). Upper or lower case, with or without white space.',
    schema: {
      type: 'string',
      minLength: 5,
      maxLength: 256,
      pattern: '^[A-Za-z0-9\\s]+$',
      example: 'EC2A 2BS',
    },
  });

function readUuid(text: string): string {
  const id = text.toLowerCase();
  if (isUuid(id)) return id;
  throw new NotFound('There is nothing with this id. Send the UUID from an earlier response.');
}

/** A UUID in the path, in lower case; anything else is 404. */
export const IdParameter = (name: string) =>
  PathParameter(
    {
      name,
      description: `The \`${name}\` from an earlier response.`,
      schema: {
        type: 'string',
        format: 'uuid',
        maxLength: 36,
        example: '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90',
      },
    },
    { transform: readUuid },
  );
