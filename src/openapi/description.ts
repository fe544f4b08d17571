import type {
  ContentObject,
  ExamplesObject,
  OpenAPIObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
  TagObject,
} from '@nestjs/swagger';
import { examples } from './description-examples.js';
import { headers, headersOf } from './description-headers.js';
import { pathParameters, requestHeaders } from './description-parameters.js';
import {
  isLimited,
  type Operation,
  problemExamples,
  problemResponse,
  problemsOf,
} from './description-problems.js';
import {
  asSent,
  exampleOf,
  mapValues,
  nameOf,
  SchemaFinisher,
  type Schemas,
  schemasUnder,
  unwrap,
} from './description-schemas.js';

/** By the name of the controller. */
const tags: Readonly<Record<string, TagObject>> = {
  Availability: {
    name: 'Availability',
    description: 'For API clients: which products can be supplied at a UK postcode.',
  },
  Orders: {
    name: 'Orders',
    description: 'For API clients: order requests, and what has become of them.',
  },
  Me: {
    name: 'Self-service',
    description: 'For API clients: what their token is, and what is left of its limits.',
  },
  TestOrders: {
    name: 'Sandbox',
    description: 'For API clients with a test token: what only the sandbox has.',
  },
  Webhooks: {
    name: 'Webhooks',
    description: 'For API clients: being told what has become of their order requests.',
  },
  FollowUp: {
    name: 'Follow-up',
    description: "For the operator's staff: the order requests that wait for a person.",
  },
  Catalogue: {
    name: 'Catalogue',
    description: "For the operator's staff: versions of products, prices and coverage.",
  },
  Moves: {
    name: 'Moves',
    description: "For the operator's staff: what is done to an order, one operation for each move.",
  },
  Reports: {
    name: 'Reports',
    description: "For the operator's staff: counts, each with its definition.",
  },
  Health: {
    name: 'Operations',
    description: 'For the machines that run the service. Public: no token is needed.',
  },
};

/** Operations that can be called without a body. */
const optionalBodies: ReadonlySet<string> = new Set(['advanceTestOrder']);

/** Other answers with the body of the success. */
const otherAnswers: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  importCatalogue: { 200: 'A dry run, or a catalogue that changes nothing: nothing was stored.' },
  ready: { 503: 'Look-ups cannot be answered.' },
};

/** Bodies that are written bit by bit, which no type describes: media type, words, the beginning. */
const streams: Readonly<Record<string, { media: string; words: string; example: string }>> = {
  exportCsv: {
    media: 'text/csv',
    words: 'A header, and a record for each order of the list.',
    example:
      'orderId,reference,state\r\n019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90,ORD-7F3K9Q,waiting\r\n',
  },
  exportJsonLines: {
    media: 'application/jsonl',
    words: 'A line for each order of the list: the JSON of an order as the list has it.',
    example: '{"orderId":"019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90","reference":"ORD-7F3K9Q"}\n',
  },
  followChanges: {
    media: 'text/event-stream',
    words: 'Events `changed`, for as long as the connection and the token last.',
    example: 'id: 42\nevent: changed\ndata: {"number":42}\n\n',
  },
};
/** Nothing bounds a stream but its end. */
const LONGEST_STREAM = 2_147_483_647;

function streamOf(operationId: string): ResponseObject | undefined {
  const stream = streams[operationId];
  if (!stream) return undefined;
  const { media, words, example } = stream;
  const schema: SchemaObject = { type: 'string', maxLength: LONGEST_STREAM, description: words };
  return { description: words, content: { [media]: { schema, example } } };
}

/**
 * Adds to what the compiler plugin has read from types and doc comments what it cannot read there:
 * the tags of doc comments, headers, problems and whole examples.
 * @throws {Error} where a controller, parameter, problem or enumeration lacks its words
 */
export function finishDescription(document: OpenAPIObject): OpenAPIObject {
  const { openapi, info, servers = [], components } = document;
  const publicUrl = servers[0]?.url ?? '';
  const finisher = new SchemaFinisher(components?.schemas ?? {});
  const asked = mapOperations(document.paths, (operation) => withQuestion(operation, finisher));
  const schemas = closeRequests(asked, finisher.finishAll());
  const answered = mapOperations(asked, (operation) => withAnswers(operation, schemas));
  const needed = schemasUnder(answered, schemas);
  // One that may be null is written out where it stands, and then nobody refers to it.
  const used = Object.fromEntries(Object.entries(schemas).filter(([name]) => needed.has(name)));
  return {
    openapi,
    info,
    externalDocs: {
      description: 'Every problem, why it happens and what to do',
      url: `${publicUrl}/problems`,
    },
    servers: servers.map((server) => ({ ...server, 'x-internal': false })),
    tags: Object.values(tags),
    security: [{ bearerAuth: [] }],
    paths: answered,
    components: {
      ...components,
      headers: { ...headers },
      examples: problemExamples(operationsOf(asked), schemas, publicUrl),
      schemas: used,
    },
  };
}

type Paths = OpenAPIObject['paths'];

function mapOperations(paths: Paths, map: (operation: Operation) => Operation): Paths {
  return mapValues(paths, (item) => mapValues(item as Record<string, Operation>, map));
}

function operationsOf(paths: Paths): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item as Record<string, Operation>));
}

/** The operation with its words and all that a request to it can hold. */
function withQuestion(operation: Operation, finisher: SchemaFinisher): Operation {
  const { operationId = '', requestBody, responses } = operation;
  const [controller = ''] = operation.tags ?? [];
  const tag = tags[controller];
  if (!tag) throw new Error(`The controller ${controller} has no tag in the description.`);
  const scope = operation['x-required-scope'];
  const access = accessOf(scope);
  const parameters = (operation.parameters ?? []).concat(requestHeaders[operationId] ?? []);
  return {
    operationId,
    tags: [tag.name],
    summary: operation.summary ?? '',
    description: `${unwrap(operation.description ?? '')}\n\n${access}`,
    security: operation.security ?? [],
    ...(scope && { 'x-required-scope': scope }),
    parameters: parameters.map((parameter) => withWords(parameter, finisher)),
    ...(requestBody && { requestBody }),
    responses,
  };
}

function accessOf(scope: Operation['x-required-scope']): string {
  if (scope === undefined) return 'Public: needs no token.';
  if (scope === 'client') return 'Needs a token of an API client, with any scope.';
  return `Needs a token with the scope \`${scope}\`.`;
}

type Finished = Omit<SchemaObject, 'example'> & { example?: unknown };

function withWords(parameter: ParameterObject | ReferenceObject, finisher: SchemaFinisher) {
  if ('$ref' in parameter || parameter.in === 'header') return parameter;
  const { name, in: place } = parameter;
  if (place === 'path') {
    const words = pathParameters[name];
    if (!words) throw new Error(`The path parameter ${name} has no words in the description.`);
    return { name, in: place, required: true, ...words };
  }
  const commented = { ...parameter.schema, description: parameter.description ?? '' };
  const { description, example, ...schema } = asSent(finisher.finish(commented)) as Finished;
  return {
    name,
    in: place,
    required: parameter.required === true && schema.default === undefined,
    ...(description !== undefined && { description }),
    schema,
    ...(example !== undefined && { example }),
  };
}

/** Unknown properties of a request are refused; an answer may get more of them at any time. */
function closeRequests(paths: Paths, schemas: Schemas): Schemas {
  const operations = operationsOf(paths);
  const requests = operations.map(({ requestBody }) => requestBody);
  const answers = operations.map(({ responses }) => responses);
  const sent = schemasUnder(requests, schemas);
  const answered = schemasUnder(answers, schemas);
  return mapValues(schemas, (schema, name) => {
    if (!sent.has(name) || !('properties' in schema)) return schema;
    if (answered.has(name)) throw new Error(`${name} is both sent and answered: make it two.`);
    return { ...asSent(schema), additionalProperties: false };
  });
}

/** The operation with examples, and with every answer that it can give. */
function withAnswers(operation: Operation, schemas: Schemas): Operation {
  const { operationId = '', requestBody, parameters = [] } = operation;
  const problems = problemsOf(operation);
  const about = {
    isLimited: isLimited(operation),
    takesKey: parameters.some((it) => 'in' in it && it.name === 'Idempotency-Key'),
  };
  const answers = [
    ...ownAnswers(operation, schemas),
    ...[...problems].map(([status, codes]) => [status, problemResponse(codes, schemas)] as const),
  ].map(([status, { description, content }]) => {
    const carried = headersOf({ status, isProblem: problems.has(status), ...about });
    return [status, { description, headers: carried, content }] as const;
  });
  const responses = Object.fromEntries(answers) as Operation['responses'];
  if (!requestBody || '$ref' in requestBody) return { ...operation, responses };
  const content = withExamples(requestBody.content, examples[operationId]?.request, schemas);
  const required = !optionalBodies.has(operationId);
  return { ...operation, requestBody: { ...requestBody, required, content }, responses };
}

/** What is answered besides problems, by status. */
function ownAnswers(operation: Operation, schemas: Schemas): [number, ResponseObject][] {
  const { operationId = '' } = operation;
  return Object.entries(operation.responses).flatMap(([success, answer]) => {
    if (Number(success) >= 400 || !answer || '$ref' in answer) return [];
    const stream = streamOf(operationId);
    if (stream) return [[Number(success), stream]];
    const { content = {} } = answer;
    const words: Record<string, string> = {
      [success]: descriptionOf(content, schemas),
      ...otherAnswers[operationId],
    };
    return Object.entries(words).map(([key, description]): [number, ResponseObject] => {
      const status = Number(key);
      const shown = examples[operationId]?.responses?.[status];
      return [status, { description, content: withExamples(content, shown, schemas) }];
    });
  });
}

function withExamples(
  content: ContentObject,
  examples: ExamplesObject | undefined,
  schemas: Schemas,
): ContentObject {
  return mapValues(content, (media) =>
    examples ? { ...media, examples } : { ...media, example: exampleOf(media.schema, schemas) },
  );
}

/** An answer is described as its body is. */
function descriptionOf(content: ContentObject, schemas: Schemas): string {
  const [media] = Object.values(content);
  const schema = schemas[nameOf(media?.schema)];
  return (schema && 'description' in schema && schema.description) || '';
}
