import { Headers } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { describedParameter } from '../../platform/http/described.js';

/** The header `Idempotency-Key` as the client sent it. */
export const IdempotencyKey = () =>
  describedParameter(
    Headers('idempotency-key'),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Makes a retry safe. Choose a new key for each order or enquiry, such as a UUID, and send the same key with each retry: the service sends the first success again, with `Idempotent-Replayed: true`. Keys belong to the API client and are kept for at least 30 days. Double quotes around the key are optional.',
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        pattern: '^[A-Za-z0-9._:-]{1,255}$',
        example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
      },
    }),
  );
