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
