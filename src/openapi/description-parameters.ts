import type { ParameterObject } from '@nestjs/swagger';

type Words = Pick<ParameterObject, 'description' | 'schema' | 'example'>;

/** Parameters in the path, by name. */
export const pathParameters: Readonly<Record<string, Words>> = {
  postcode: {
    description:
      'UK postcode, percent-encoded (a space is `%20`). Upper or lower case, with or without white space.',
    schema: { type: 'string', minLength: 5, maxLength: 256, pattern: '^[A-Za-z0-9\\s]+$' },
    example: 'EC2A 2BS',
  },
  id: {
    description:
      'The `id` of a check. Lower case, hyphens, and O for 0 or I and L for 1 are understood.',
    schema: { type: 'string', minLength: 10, maxLength: 20, pattern: '^[0-9A-Za-z -]+$' },
    example: 'KR3FVJ7P2M',
  },
  number: {
    description: 'The number of a catalogue version.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 999_999_999 },
    example: 7,
  },
  orderId: {
    description: 'The `orderId` of an order request.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
    example: '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90',
  },
};

const idempotencyKey: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a retry safe. Choose a new one for each order, such as a UUID, and send it again with each retry of it: the first success is answered again, with `Idempotent-Replayed: true`. Kept for at least 30 days, for each API client. It may stand in double quotes.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9._:-]{1,255}$' },
  example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
};

/** Request headers besides Authorization, by operation: the plugin does not see them. */
export const requestHeaders: Readonly<Record<string, readonly ParameterObject[]>> = {
  placeOrder: [idempotencyKey],
};
