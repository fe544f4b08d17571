import type {
  ContentObject,
  ExamplesObject,
  OpenAPIObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
  TagObject,
  OperationObject,
} from '@nestjs/swagger';
import { holderOf, type TokenHolder } from '../access/scopes.js';
import type { StreamedBody } from '../http/described.js';
import {
  headersOf,
  headersUnder,
  isLimited,
  type Operation,
  problemExamples,
  problemResponse,
  problemsOf,
  responseName,
} from './description-problems.js';
import {
  csv,
  pdf,
  workbook,
  asAnswered,
  asSent,
  exampleOf,
  mapValues,
  nameOf,
  SchemaFinisher,
  type Schemas,
  schemasUnder,
  sorted,
  unwrap,
} from './description-schemas.js';

/** The headers that every webhook has, by name. */
const headers: Readonly<Record<string, Omit<ParameterObject, 'name' | 'in' | 'required'>>> = {
  'webhook-id': {
    description: 'The id of the message, the same in each attempt: process each id once.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
    example: '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d91',
  },
  'webhook-timestamp': {
    description: 'When this attempt was sent, in seconds since 1970.',
    schema: { type: 'string', pattern: '^[0-9]+$', maxLength: 12 },
    example: '1763717400',
  },
  'webhook-signature': {
    description:
      '`v1,` and the HMAC-SHA256 of id, timestamp and body, in base64; two, separated by a space, while the secret is rotated.',
    schema: {
      type: 'string',
      pattern: '^v1,[A-Za-z0-9+/]{43}=(?: v1,[A-Za-z0-9+/]{43}=)*$',
      maxLength: 200,
    },
    example: 'v1,uTaRQlVlOpOSDcbJjzQ6CDmBgbok8jOtnYmkj9J4x88=',
  },
};

const webhookHeaders: Readonly<Record<string, ParameterObject>> = Object.fromEntries(
  Object.entries(headers).map(([name, header]) => [
    name,
    { name, in: 'header', required: true, ...header },
  ]),
);

/** What a receiver of webhooks gets. OpenAPI 3.1 describes it under `webhooks`. */
export interface DescribedWebhooks {
  readonly 'x-webhooks': { readonly message: { readonly post: OperationObject } };
}

/** @param messages names of the schemas of bodies, each with its own values of `type` */
function webhooksOf(messages: readonly string[], schemas: Schemas): DescribedWebhooks {
  const references = messages.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const mapping = references.flatMap(({ $ref }) => {
    const message = schemas[nameOf({ $ref })];
    const type = message && 'properties' in message ? message.properties?.type : undefined;
    const types = type && 'enum' in type ? (type.enum as string[]) : [];
    return types.map((value) => [value, $ref] as const);
  });
  const schema = {
    oneOf: references,
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) },
  };
  const post = {
    operationId: 'receiveMessage',
    summary: 'A message to the webhook of an API client',
    description: 'The service sends it to the URL that the client has registered.',
    security: [],
    parameters: Object.keys(headers).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      204: { description: 'The message is stored. Any other 2xx has the same meaning.' },
    },
  };
  return { 'x-webhooks': { message: { post } } };
}

type Paths = OpenAPIObject['paths'];
type Responses = Record<string, ResponseObject>;

/** Bytes. A stream has no limit. */
const LONGEST_STREAM = 2_147_483_647;

/**
 * The document for one kind of token: the compiler plugin's result with tags of doc comments, the
 * declarations of `described.ts`, headers, problems and examples.
 * @param messages names of the schemas of webhooks
 * @throws {Error} where a controller, parameter, problem or enumeration lacks a description
 */
export function finishDescription(
  document: OpenAPIObject,
  holder: TokenHolder,
  messages: readonly string[] = [],
): OpenAPIObject {
  const { openapi, info, servers = [], components } = document;
  const publicUrl = servers[0]?.url ?? '';
  const finisher = new SchemaFinisher(components?.schemas ?? {});
  const own = operationsFor(holder, document.paths);
  const asked = mapOperations(own, (operation) => withQuestion(operation, finisher));
  const finished = finisher.finishAll();
  // The type of a message is closed: another type is another message.
  const closed = Object.fromEntries(messages.map((name) => [name, finished[name] ?? {}]));
  const schemas = { ...divideSchemas(asked, finished), ...closed };
  const responses: Responses = {};
  const answered = mapOperations(asked, (operation) => withAnswers(operation, schemas, responses));
  const { paths, examples } = shareExamples(answered);
  const webhooks = messages.length > 0 ? webhooksOf(messages, schemas) : undefined;
  const needed = schemasUnder([paths, responses, webhooks], schemas);
  // A nullable schema is inlined, and may then be unused.
  const used = Object.fromEntries(Object.entries(schemas).filter(([name]) => needed.has(name)));
  return {
    openapi,
    info,
    externalDocs: {
      description: 'Every problem, its cause and its remedy',
      url: `${publicUrl}/problems`,
    },
    servers: servers.map((server) => ({ ...server, 'x-internal': false })),
    tags: groupsOf(own),
    security: [{ bearerAuth: [] }],
    paths,
    ...webhooks,
    components: {
      ...components,
      ...(webhooks && { parameters: webhookHeaders }),
      headers: headersUnder([paths, responses]),
      responses: sorted(responses),
      examples: sorted({
        ...problemExamples(operationsOf(asked), schemas, publicUrl),
        ...examples,
      }),
      schemas: used,
    },
  };
}

/** Public operations are in the document for API clients. */
function operationsFor(holder: TokenHolder, paths: Paths): Paths {
  const isOwn = ({ 'x-required-scope': scope }: Operation) =>
    (scope === undefined ? 'client' : holderOf(scope)) === holder;
  const own = Object.entries(paths).map(([path, item]) => {
    const operations = Object.entries(item as Record<string, Operation>);
    return [path, Object.fromEntries(operations.filter(([, it]) => isOwn(it)))] as const;
  });
  return Object.fromEntries(own.filter(([, item]) => Object.keys(item).length > 0));
}

function mapOperations(paths: Paths, map: (operation: Operation) => Operation): Paths {
  return mapValues(paths, (item) => mapValues(item as Record<string, Operation>, map));
}

function operationsOf(paths: Paths): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item as Record<string, Operation>));
}

function groupsOf(paths: Paths): TagObject[] {
  const groups = operationsOf(paths).map((operation) => groupOf(operation));
  return Object.values(sorted(Object.fromEntries(groups.map((group) => [group.name, group]))));
}

function groupOf({ 'x-group': group, tags: [controller = ''] = [] }: Operation): TagObject {
  if (group) return group;
  throw new Error(`The controller ${controller} lacks @Described(name, description).`);
}

function withQuestion(operation: Operation, finisher: SchemaFinisher): Operation {
  const { summary = '', description = '', parameters = [] } = operation;
  return {
    ...operation,
    summary,
    description: `${unwrap(description)}\n\n${accessOf(operation['x-required-scope'])}`,
    parameters: parameters.map((parameter) => describeParameter(parameter, finisher)),
  };
}

function accessOf(scope: Operation['x-required-scope']): string {
  if (scope === undefined) return 'Public: needs no token.';
  if (scope === 'client') return 'Needs a token of an API client, with any scope.';
  return `Needs a token with the scope \`${scope}\`.`;
}

type Finished = Omit<SchemaObject, 'example'> & { example?: unknown };

function describeParameter(parameter: ParameterObject | ReferenceObject, finisher: SchemaFinisher) {
  if ('$ref' in parameter) return parameter;
  const { name, in: place } = parameter;
  if (place === 'path' && !parameter.description) {
    throw new Error(`The path parameter ${name} lacks its @ApiParam.`);
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

/** Requests refuse unknown properties and values; responses may gain both at any time. */
function divideSchemas(paths: Paths, schemas: Schemas): Schemas {
  const operations = operationsOf(paths);
  const sent = schemasUnder(
    operations.map(({ parameters, requestBody }) => [parameters, requestBody]),
    schemas,
  );
  const answered = schemasUnder(
    operations.map(({ responses }) => responses),
    schemas,
  );
  return mapValues(schemas, (schema, name) => {
    if (!sent.has(name)) return asAnswered(schema);
    if (answered.has(name)) throw new Error(`${name} is in requests and responses: make it two.`);
    return 'properties' in schema ? { ...asSent(schema), additionalProperties: false } : schema;
  });
}

/** Adds every response to the operation, and the problems to `shared`. */
function withAnswers(operation: Operation, schemas: Schemas, shared: Responses): Operation {
  const { operationId = '', summary = '', description = '', requestBody } = operation;
  const { parameters = [], security = [], 'x-required-scope': scope } = operation;
  const { hasPath = true, isReplayed = takesKey(operation) } = operation['x-creation'] ?? {};
  const isVersioned = operation['x-versioned'] ?? false;
  const about = { isLimited: isLimited(operation), hasPath, isReplayed, isVersioned };
  const own = ownAnswers(operation, schemas).map(([status, { description, content }]) => {
    const carried = headersOf({ status, isProblem: false, ...about });
    return [status, { description, headers: carried, content }] as const;
  });
  const notModified = {
    description: NOT_MODIFIED,
    headers: headersOf({ status: 304, isProblem: false, ...about }),
  };
  const unchanged = isVersioned ? [[304, share('NotModified', notModified, shared)] as const] : [];
  const problems = [...problemsOf(operation)].map(([status, codes]) => {
    const carried = headersOf({ status, isProblem: true, ...about });
    const response = { ...problemResponse(codes, schemas), headers: carried };
    return [status, share(responseName(codes, operation), response, shared)] as const;
  });
  return {
    operationId,
    tags: [groupOf(operation).name],
    summary,
    description,
    security,
    ...(scope && { 'x-required-scope': scope }),
    parameters: isVersioned ? [...parameters, IF_NONE_MATCH] : parameters,
    ...(requestBody && { requestBody: withRequestExamples(operation, schemas) }),
    responses: Object.fromEntries([...own, ...unchanged, ...problems]) as Operation['responses'],
  };
}

/** Of operations whose responses have an `ETag`. */
const IF_NONE_MATCH: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of the last response: 304 while nothing has changed, also next to `Cache-Control: no-cache`.',
  schema: { type: 'string', maxLength: 200, pattern: '^[ -~]+$' },
  example: 'W/"q0Jx1mZ3rT5v7Yb9"',
};

function takesKey({ parameters = [] }: Operation): boolean {
  return parameters.some((it) => 'in' in it && it.name === 'Idempotency-Key');
}

function share(name: string, response: ResponseObject, shared: Responses): ReferenceObject {
  shared[name] ??= response;
  if (JSON.stringify(shared[name]) !== JSON.stringify(response)) {
    throw new Error(`Two responses have the name ${name}.`);
  }
  return { $ref: `#/components/responses/${name}` };
}

function withRequestExamples(operation: Operation, schemas: Schemas): Operation['requestBody'] {
  const { requestBody, 'x-declared-examples': examples } = operation;
  if (!requestBody || '$ref' in requestBody) return requestBody;
  const json = withExamples(requestBody.content, examples?.request, schemas);
  const example = operation['x-csv-request'];
  const content = { ...json, ...csv(example), ...workbook(example !== undefined) };
  return { ...requestBody, required: !operation['x-optional-body'], content };
}

/** The responses other than problems, by status. */
function ownAnswers(operation: Operation, schemas: Schemas): [number, ResponseObject][] {
  const { 'x-streamed-body': stream, 'x-declared-examples': examples } = operation;
  return Object.entries(operation.responses).flatMap(([success, answer]) => {
    if (Number(success) >= 400 || !answer || '$ref' in answer) return [];
    if (stream) return [[Number(success), streamed(stream)]];
    const { content = {} } = answer;
    const descriptions: Record<string, string> = {
      [success]: descriptionOf(content, schemas),
      ...operation['x-also-answers'],
    };
    return Object.entries(descriptions).map(([key, description]): [number, ResponseObject] => {
      const status = Number(key);
      const shown = examples?.responses?.[status];
      const json = withExamples(content, shown, schemas);
      const files = { ...csv(operation['x-csv-response']), ...pdf(operation['x-pdf-response']) };
      return [status, { description: description || 'A file.', content: { ...json, ...files } }];
    });
  });
}

function streamed(body: StreamedBody): ResponseObject {
  const { mediaType, description, example, csv } = body;
  const schema: SchemaObject = { type: 'string', maxLength: LONGEST_STREAM, description };
  const asCsv: ContentObject = csv === undefined ? {} : { 'text/csv': { schema, example: csv } };
  return { description, content: { [mediaType]: { schema, example }, ...asCsv } };
}

const NOT_MODIFIED = 'Nothing has changed since the `ETag` in `If-None-Match`.';

function withExamples(
  content: ContentObject,
  examples: ExamplesObject | undefined,
  schemas: Schemas,
): ContentObject {
  return mapValues(content, (media) =>
    examples ? { ...media, examples } : { ...media, example: exampleOf(media.schema, schemas) },
  );
}

/** Moves the examples that several successes have to the components, by the name of their schema. */
function shareExamples(paths: Paths) {
  const uses = new Map<string, number>();
  const examples: ExamplesObject = {};
  type Body = ContentObject[string];
  const mapBodies = (map: (media: Body, name: string) => Body) =>
    mapOperations(paths, (operation) => ({
      ...operation,
      responses: mapValues(operation.responses as Responses, (response) =>
        response.content === undefined
          ? response
          : {
              ...response,
              content: mapValues(response.content, (media) => map(media, nameOf(media.schema))),
            },
      ),
    }));
  mapBodies((media, name) => {
    if (media.example !== undefined) uses.set(name, (uses.get(name) ?? 0) + 1);
    return media;
  });
  const shared = mapBodies((media, name) => {
    if (name === '' || media.example === undefined || uses.get(name) === 1) return media;
    const { example, ...others } = media as { readonly example: unknown };
    examples[name] = { value: example };
    return { ...others, examples: { [name]: { $ref: `#/components/examples/${name}` } } };
  });
  return { paths: shared, examples };
}

function descriptionOf(content: ContentObject, schemas: Schemas): string {
  const [media] = Object.values(content);
  const schema = schemas[nameOf(media?.schema)];
  return (schema && 'description' in schema && schema.description) || '';
}
