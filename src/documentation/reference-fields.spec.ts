import { describe, expect, it } from '@jest/globals';
import { fieldTable, SchemaReader } from './reference-fields.js';

const reader = new SchemaReader({
  Offer: {
    type: 'object',
    description: 'An offer.',
    required: ['price'],
    properties: {
      price: { type: 'number', description: 'In `pounds`.', minimum: 0, example: 550 },
      basis: { $ref: '#/components/schemas/Basis' },
    },
  },
  Basis: { type: 'string', description: 'How it is built.', enum: ['built', 'planned'] },
  Problem: { type: 'object', properties: { code: { type: 'string' } } },
});

const fieldsOf = (properties: object) =>
  reader.fieldsOf({ type: 'object', properties: properties as never, required: ['offer'] });

describe('the fields of a schema', () => {
  it('include those of nested objects, with their path', () => {
    const offer = { description: 'The best <b>.', allOf: [{ $ref: '#/components/schemas/Offer' }] };
    const fields = fieldsOf({ offer, others: { type: 'array', maxItems: 9, items: offer } });
    expect(fields.map(({ name, type, isRequired }) => [name, type, isRequired])).toEqual([
      ['offer', 'object', true],
      ['offer.price', 'number', true],
      ['offer.basis', 'string', false],
      ['others', 'array of objects', false],
      ['others[].price', 'number', true],
      ['others[].basis', 'string', false],
    ]);
    expect(fields[1]).toMatchObject({ description: 'In <code>pounds</code>.', example: 550 });
    expect(fields[2]?.limits).toEqual(['one of <code>built</code>, <code>planned</code>']);
  });

  it('of several alternatives are those of the first that is no problem', () => {
    const anyOf = ['Problem', 'Offer'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const fields = fieldsOf({ results: { type: 'array', items: { anyOf } } });
    expect(fields.map(({ name }) => name)).toEqual([
      'results',
      'results[].price',
      'results[].basis',
    ]);
  });

  it.each([
    [{ type: 'string', format: 'uuid', maxLength: 36 }, 'UUID', []],
    [{ type: 'string', nullable: true, maxLength: 64 }, 'string or null', ['up to 64 characters']],
    [{ type: 'string', minLength: 1, maxLength: 500 }, 'string', ['1 to 500 characters']],
    [{ type: 'string', pattern: '^[^\\u0000]*$' }, 'string', []],
    [
      { type: 'string', nullable: true, enum: ['built', null] },
      'string or null',
      ['one of <code>built</code>'],
    ],
    [
      { type: 'string', pattern: '^[a-z]*$', maxLength: 64, 'x-extensible-enum': ['a', 'b'] },
      'string',
      ['<code>a</code>, <code>b</code>; more may follow'],
    ],
    [{ type: 'string', pattern: '^<$' }, 'string', ['pattern <code>^&lt;$</code>']],
    [{ type: 'integer', minimum: 0, maximum: 2_147_483_647 }, 'integer', ['at least 0']],
    [
      { type: 'integer', minimum: 1, maximum: 10_000, default: 5 },
      'integer',
      ['1 to 10,000', 'default <code>5</code>'],
    ],
    [
      { type: 'array', maxItems: 100, items: { format: 'date-time' } },
      'array of timestamps',
      ['up to 100 items'],
    ],
  ])('have the type and limits of %j', (schema, type, limits) => {
    expect(fieldsOf({ field: schema })).toMatchObject([{ type, limits }]);
  });
});

describe('a table of fields', () => {
  const fields = fieldsOf({ offer: { type: 'string', example: '<x>' }, more: { type: 'string' } });

  it('says of a request what is required, and of a response what is optional', () => {
    const words = (use: 'request' | 'response') =>
      fieldTable(fields, 'Body', use).match(/>(?:required|optional)</g);
    expect([words('request'), words('response')]).toEqual([
      ['>required<', '>optional<'],
      ['>optional<'],
    ]);
  });

  it('escapes examples, and is absent without fields', () => {
    expect(fieldTable(fields, 'Body', 'request')).toContain('Example: <code>&lt;x&gt;</code>');
    expect(fieldTable([], 'Body', 'request')).toBe('');
  });
});
