import type { SchemaObject } from '@nestjs/swagger';

/** Fields of several schemas. A doc comment has `@kind postcode`; tags after it take precedence. */
export const fieldKinds: Readonly<Record<string, Partial<SchemaObject>>> = {
  uuid: { format: 'uuid' },
  reference: { pattern: '^ORD-[0-9A-HJKMNP-TV-Z]{6}$', maxLength: 10, example: 'ORD-7F3K9Q' },
  workReference: {
    pattern: '^(?:ORD|ENQ)-[0-9A-HJKMNP-TV-Z]{6}$',
    maxLength: 10,
    example: 'ORD-7F3K9Q',
  },
  clientReference: { maxLength: 64, example: 'PO-4711' },
  check: { pattern: '^[0-9A-HJKMNP-TV-Z]{10}$', maxLength: 10, example: 'KR3FVJ7P2M' },
  postcode: {
    pattern: '^[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}$',
    maxLength: 8,
    example: 'EC2A 2BS',
  },
  uprn: { pattern: '^[1-9][0-9]{0,11}$', maxLength: 12, example: '100023336956' },
  product: { pattern: '^[A-Z0-9][A-Z0-9-]*$', maxLength: 32, example: 'INT-1G-12' },
  zone: { pattern: '^[A-Z0-9][A-Z0-9-]*$', maxLength: 32, example: 'LONDON-ONNET' },
  priceList: { pattern: '^[a-z0-9][a-z0-9-]*$', maxLength: 32, example: 'standard' },
  currency: { pattern: '^[A-Z]{3}$', maxLength: 3, example: 'GBP' },
  reason: { pattern: '^[a-z]+(_[a-z]+)*$', maxLength: 32, example: 'price' },
  count: { format: 'int32', minimum: 0, maximum: 2_147_483_647 },
  allowance: { format: 'int32', minimum: 1, maximum: 10_000_000 },
  person: { maxLength: 120, example: 'Ada Lovelace' },
  email: { format: 'email', maxLength: 254, example: 'ada@example.com' },
  phone: { maxLength: 40, example: '+44 20 7946 0958' },
  cursor: {
    pattern: '^[A-Za-z0-9_-]+$',
    maxLength: 100,
    example: 'MTc5NTI1MzQwMDAwMCAwMTlhOWI1ZS03YzFkLTdjM2EtOWQyZi01YjFlNmE3YzhkOTA',
  },
};

/** Examples for fields without one, by format or type. */
const defaultExamples: Readonly<Record<string, unknown>> = {
  uuid: '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90',
  date: '2026-11-21',
  'date-time': '2026-11-21T09:30:00.000Z',
  boolean: false,
  integer: 1,
  number: 1,
};

export function defaultExample({ type, ...schema }: SchemaObject, keywords: Partial<SchemaObject>) {
  const format = keywords.format ?? schema.format ?? '';
  return defaultExamples[format] ?? defaultExamples[String(type)];
}
