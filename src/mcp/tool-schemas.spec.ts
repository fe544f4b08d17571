import { expect, it } from '@jest/globals';
import { DescribedCalls } from './tool-schemas.js';

type Document = ConstructorParameters<typeof DescribedCalls>[0];

const text = { type: 'string' } as const;
const calls = new DescribedCalls({
  paths: {
    '/thing/{id}': {
      put: {
        operationId: 'changeThing',
        summary: 'Change a thing',
        description: '  In two\n\n  lines. ',
        'x-required-scope': 'things:write',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { ...text, example: 'a' } },
          { name: 'dryRun', in: 'query', schema: { type: 'boolean' }, description: 'Only tries.' },
          { name: 'Idempotency-Key', in: 'header', required: true, schema: text },
        ],
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
        },
      },
      get: { operationId: 'readThing', summary: 'Read a thing', responses: {} },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { ...text, maxLength: 5 },
          size: { allOf: [{ $ref: '#/components/schemas/Size' }], nullable: true, example: 0 },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Size' } },
          other: { $ref: '#/components/schemas/Missing' },
        },
      },
      Size: { type: 'integer', minimum: 1 },
    },
  },
} as unknown as Document);

it('reads an operation as one call, whose inputs are its parameters and its body', () => {
  expect(calls.get('changeThing')).toEqual({
    method: 'PUT',
    path: '/thing/{id}',
    scope: 'things:write',
    summary: 'Change a thing',
    description: 'Change a thing. In two lines.',
    properties: {
      id: { type: 'string', examples: ['a'] },
      dryRun: { type: 'boolean', description: 'Only tries.' },
      name: { type: 'string', maxLength: 5 },
      size: { type: ['integer', 'null'], minimum: 1, examples: [0] },
      parts: { type: 'array', items: { type: 'integer', minimum: 1 } },
      other: {},
    },
    required: ['id', 'name'],
    inQuery: ['dryRun'],
  });
});

it('reads an operation without inputs', () => {
  expect(calls.get('readThing')).toEqual({
    method: 'GET',
    path: '/thing/{id}',
    scope: '',
    summary: 'Read a thing',
    description: 'Read a thing. ',
    properties: {},
    required: [],
    inQuery: [],
  });
});

it('names an operation that the description lacks', () => {
  expect(() => calls.get('dropThing')).toThrow('The description has no operation dropThing.');
  const none = new DescribedCalls({ paths: {} } as Document);
  expect(() => none.get('changeThing')).toThrow('changeThing');
});
