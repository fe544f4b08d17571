import { describe, expect, it, test } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from './description-problems.js';
import {
  asAnswered,
  asSent,
  SchemaFinisher,
  type Schema,
  type Schemas,
  unwrap,
} from './description-schemas.js';
import { finishDescription } from './description.js';

const finish = (schema: Schema, others: Schemas = {}) => new SchemaFinisher(others).finish(schema);

test.each<[string, Schema, Schema]>([
  [
    'tags of a text',
    { type: 'string', description: 'A code.\n@pattern ^[A-Z]{3}$\n@maxLength 3', example: 'GBP' },
    { type: 'string', description: 'A code.', pattern: '^[A-Z]{3}$', maxLength: 3, example: 'GBP' },
  ],
  [
    'whole numbers',
    { type: 'number', description: '@format int32\n@minimum 0' },
    { type: 'integer', format: 'int32', minimum: 0, example: 1 },
  ],
  [
    'how long a format is',
    { type: 'string', format: 'uuid' },
    {
      type: 'string',
      format: 'uuid',
      maxLength: 36,
      example: expect.stringMatching(/^[\da-f-]{36}$/),
    },
  ],
  [
    'the keywords of a kind',
    { type: 'string', description: 'Three-letter area. @kind reason\n@maxLength 3' },
    {
      type: 'string',
      description: 'Three-letter area.',
      pattern: '^[a-z]+(_[a-z]+)*$',
      maxLength: 3,
      example: 'price',
    },
  ],
  [
    'the tags after a text on the same line',
    { type: 'string', description: 'The area. @pattern ^[A-Z]{1,2}$ @maxLength 2', example: 'EC' },
    {
      type: 'string',
      description: 'The area.',
      pattern: '^[A-Z]{1,2}$',
      maxLength: 2,
      example: 'EC',
    },
  ],
  [
    'its own example rather than that of its kind',
    { type: 'string', description: 'Who. @kind person', example: 'Sam Poole' },
    { type: 'string', description: 'Who.', maxLength: 120, example: 'Sam Poole' },
  ],
  [
    'the tags of a list and of what is in it',
    { type: 'array', description: '@maxItems 5\n@maxLength 3', items: { type: 'string' } },
    { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 3 } },
  ],
  [
    'the order of an enumeration, with its first value as the example',
    { type: 'string', description: '- `b`: first\n- `a`: then', enum: ['a', 'b'] },
    { type: 'string', description: '- `b`: first\n- `a`: then', enum: ['b', 'a'], example: 'b' },
  ],
  [
    'null among the values of a nullable enumeration',
    { type: 'string', nullable: true, description: '`a` or `b`, or null.', enum: ['a', 'b'] },
    {
      type: 'string',
      nullable: true,
      description: '`a` or `b`, or null.',
      enum: ['a', 'b', null],
      example: 'a',
    },
  ],
  [
    'what a nullable reference leads to',
    { nullable: true, allOf: [{ $ref: '#/components/schemas/Terms' }], description: 'Or null.' },
    { type: 'object', properties: {}, nullable: true, description: 'Or null.' },
  ],
])('the description has %s', (_, schema, expected) => {
  const Terms = { type: 'object', description: 'Terms.', properties: {} };
  expect(finish(schema, { Terms })).toEqual(expected);
});

test.each<[string, Schema, Schema]>([
  [
    'a text: any but NUL',
    { type: 'string', maxLength: 9 },
    { type: 'string', maxLength: 9, pattern: '^[^\\u0000]*$' },
  ],
  [
    'a code: as it is',
    { type: 'string', pattern: '^[A-Z]$' },
    { type: 'string', pattern: '^[A-Z]$' },
  ],
  ['one of some words: as it is', { type: 'string', enum: ['a'] }, { type: 'string', enum: ['a'] }],
  [
    'an instant: with every offset and decimal',
    { type: 'string', format: 'date-time', maxLength: 24 },
    { type: 'string', format: 'date-time', maxLength: 35 },
  ],
  [
    'what is inside',
    { properties: { codes: { type: 'array', items: { type: 'string' } } } },
    {
      properties: { codes: { type: 'array', items: { type: 'string', pattern: '^[^\\u0000]*$' } } },
    },
  ],
  ['a number: as it is', { type: 'integer' }, { type: 'integer' }],
])('what is sent may be %s', (_, schema, expected) => {
  expect(asSent(schema)).toEqual(expected);
});

const open = { pattern: '^[A-Za-z0-9][A-Za-z0-9._ -]*$', maxLength: 64 };

test.each<[string, Schema, object]>([
  [
    'any text where the values may grow',
    { type: 'string', description: '`a` or `b`.', enum: ['a', 'b'], example: 'a' },
    {
      type: 'string',
      description: '`a` or `b`.',
      ...open,
      'x-extensible-enum': ['a', 'b'],
      example: 'a',
    },
  ],
  [
    'null, which is no value',
    { type: 'string', nullable: true, enum: ['a', 'b', null] },
    { type: 'string', nullable: true, ...open, 'x-extensible-enum': ['a', 'b'] },
  ],
  [
    'what is inside',
    { properties: { states: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } } },
    {
      properties: {
        states: {
          type: 'array',
          items: { type: 'string', ...open, 'x-extensible-enum': ['a', 'b'] },
        },
      },
    },
  ],
  ['a constant: as it is', { type: 'string', enum: ['a'] }, { type: 'string', enum: ['a'] }],
])('what is answered may be %s', (_, schema, expected) => {
  expect(asAnswered(schema)).toEqual(expected);
});

test('an enumeration with a name becomes a schema, in the words of the field that explains it', () => {
  const state = { type: 'string', enum: ['a', 'b'] };
  const finisher = new SchemaFinisher({
    Row: {
      properties: {
        state: { ...state, description: '`a` or `b`.\n@enumName State' },
        earlier: { ...state, description: 'The state before.\n@enumName State' },
      },
    },
  });
  const reference = { $ref: '#/components/schemas/State' };
  expect(finisher.finishAll()).toEqual({
    Row: {
      properties: {
        state: reference,
        earlier: { description: 'The state before.', allOf: [reference] },
      },
    },
    State: { type: 'string', description: '`a` or `b`.', enum: ['a', 'b'], example: 'a' },
  });
});

test('an enumeration with a name that no field explains is refused', () => {
  const state = { type: 'string', enum: ['a', 'b'], description: 'Only `a`.\n@enumName State' };
  const finisher = new SchemaFinisher({ Row: { properties: { state } } });
  expect(() => finisher.finishAll()).toThrow(
    'A doc comment with @enumName State must explain each of `a`, `b`.',
  );
});

test.each([
  ['a\nb', 'a b'],
  ['a\n\nb\nc', 'a\n\nb c'],
  ['- a\n  b\n- c', '- a b\n- c'],
])('%j is unwrapped to %j', (text, expected) => {
  expect(unwrap(text)).toBe(expected);
});

describe('a document', () => {
  const json = (name: string) => ({
    'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
  });
  const document = (operation: Partial<Operation>, path = '/x'): OpenAPIObject => ({
    openapi: '3.0.4',
    info: { title: 'A title', version: '1' },
    paths: {
      [path]: {
        post: {
          operationId: 'ask',
          tags: ['Orders'],
          'x-group': { name: 'Order requests', description: 'For tests.' },
          responses: { 200: { description: '', content: json('Answer') } },
          ...operation,
        },
      },
    },
    components: {
      schemas: {
        Answer: { type: 'object', description: 'The answer.', properties: {} },
        Question: { type: 'object', description: 'The question.', properties: {} },
        Problem: { type: 'object', description: 'A problem.', properties: {} },
      },
    },
  });

  it('closes what is sent and leaves open what is answered', () => {
    const { components } = finishDescription(
      document({ requestBody: { content: json('Question') } }),
      'client',
    );
    expect(components?.schemas).toMatchObject({ Question: { additionalProperties: false } });
    expect(components?.schemas?.Answer).not.toHaveProperty('additionalProperties');
  });

  it('has closed enumerations in requests and open ones in responses', () => {
    const enumeration = { type: 'string' as const, description: '`a` or `b`.', enum: ['a', 'b'] };
    const whole = document({ requestBody: { content: json('Question') } });
    for (const name of ['Question', 'Answer']) {
      whole.components!.schemas![name] = { type: 'object', properties: { it: enumeration } };
    }
    const { components } = finishDescription(whole, 'client');
    expect(components?.schemas).toMatchObject({
      Question: { properties: { it: { enum: ['a', 'b'] } } },
      Answer: { properties: { it: { 'x-extensible-enum': ['a', 'b'] } } },
    });
    expect(components?.schemas?.Answer).not.toHaveProperty('properties.it.enum');
  });

  it('can answer what its operations say, and what any of their kind can', () => {
    const throws = { 422: { description: 'unknown-check' } };
    const { paths } = finishDescription(
      document({ requestBody: { content: json('Question') }, responses: throws }),
      'client',
    );
    const { responses } = paths['/x']!.post!;
    expect(Object.keys(responses)).toEqual(['400', '413', '415', '422', '500']);
  });

  it('refers to each problem among the shared responses, named after its codes', () => {
    const { paths, components } = finishDescription(
      document({ responses: { 422: { description: 'unknown-check, unknown-product' } } }),
      'client',
    );
    const name = 'PublicUnknownProductOrUnknownCheck';
    expect(paths['/x']!.post!.responses['422']).toEqual({
      $ref: `#/components/responses/${name}`,
    });
    expect(components?.responses?.[name]).toMatchObject({
      description: expect.stringMatching(/^- `unknown-product`: .*\n- `unknown-check`: /),
      headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
    });
    expect(Object.keys(components?.headers ?? {})).toEqual(['X-Request-Id']);
  });

  it.each<[Operation['x-required-scope'], string[], string[]]>([
    [undefined, ['/x'], []],
    ['client', ['/x'], []],
    ['orders:read', ['/x'], []],
    ['reports:read', [], ['/x']],
    ['clients:write', [], ['/x']],
  ])('with the scope %s is for its holders only', (scope, forClients, forStaff) => {
    const whole = document(scope ? { 'x-required-scope': scope } : {});
    const paths = (holder: 'client' | 'staff') =>
      Object.keys(finishDescription(whole, holder).paths);
    expect([paths('client'), paths('staff')]).toEqual([forClients, forStaff]);
  });

  it('has what a handler declares, and none of the declarations themselves', () => {
    const value = { a: 1 };
    const { paths, tags } = finishDescription(
      document({
        requestBody: { content: json('Question') },
        'x-optional-body': true,
        'x-also-answers': { 503: 'Not now.' },
        'x-declared-examples': {
          request: { one: { value } },
          responses: { 503: { no: { value } } },
        },
      }),
      'client',
    );
    const operation = paths['/x']!.post!;
    expect(tags).toEqual([{ name: 'Order requests', description: 'For tests.' }]);
    expect(operation).toMatchObject({
      tags: ['Order requests'],
      requestBody: {
        required: false,
        content: { 'application/json': { examples: { one: { value } } } },
      },
      responses: {
        200: { content: { 'application/json': { example: {} } } },
        503: {
          description: 'Not now.',
          content: { 'application/json': { examples: { no: { value } } } },
        },
      },
    });
    expect(Object.keys(operation).filter((key) => key.startsWith('x-'))).toEqual([]);
  });

  it('lists webhooks, with the schema of each type of message', () => {
    const whole = document({});
    const type = { type: 'string' as const, description: '`a` or `b`.', enum: ['a', 'b'] };
    whole.components!.schemas!.Message = { type: 'object', properties: { type } };
    const described = finishDescription(whole, 'client', ['Message']) as object;
    const schema = {
      oneOf: [{ $ref: '#/components/schemas/Message' }],
      discriminator: {
        propertyName: 'type',
        mapping: { a: '#/components/schemas/Message', b: '#/components/schemas/Message' },
      },
    };
    expect(described).toMatchObject({
      'x-webhooks': {
        message: { post: { requestBody: { content: { 'application/json': { schema } } } } },
      },
      components: { schemas: { Message: { properties: { type: { enum: ['a', 'b'] } } } } },
    });
    expect(finishDescription(whole, 'staff')).not.toHaveProperty('x-webhooks');
  });

  it('has the start of a body that is streamed', () => {
    const stream = { mediaType: 'text/csv', description: 'Rows.', example: 'a,b' };
    const { paths } = finishDescription(document({ 'x-streamed-body': stream }), 'client');
    expect(paths['/x']!.post!.responses['200']).toMatchObject({
      description: 'Rows.',
      content: { 'text/csv': { schema: { type: 'string' }, example: 'a,b' } },
    });
  });

  test.each<[string, OpenAPIObject, RegExp]>([
    [
      'a controller',
      document({ tags: ['Unheard'], 'x-group': undefined }),
      /Unheard lacks @Described/,
    ],
    [
      'a path parameter',
      document({ parameters: [{ name: 'unheard', in: 'path' }] }),
      /unheard lacks its @ApiParam/,
    ],
    ['a problem', document({ responses: { 404: { description: 'unheard' } } }), /"unheard"/],
    [
      "a problem's status",
      document({ responses: { 404: { description: 'unknown-check' } } }),
      /of status 404/,
    ],
    [
      'a schema for both directions',
      document({ requestBody: { content: json('Answer') } }),
      /is in requests and responses/,
    ],
  ])('is refused where %s lacks what it needs', (_, wrong, message) => {
    expect(() => finishDescription(wrong, 'client')).toThrow(message);
  });

  test.each<[string, Schema, RegExp]>([
    ['tag', { type: 'string', description: '@unheard 1' }, /@unheard/],
    ['kind', { type: 'string', description: 'A code. @kind unheard' }, /@kind unheard/],
    ['unexplained value', { type: 'string', description: '`a`', enum: ['a', 'b'] }, /`b`/],
  ])('is refused for an unknown %s', (_, schema, message) => {
    expect(() => finish(schema)).toThrow(message);
  });
});
