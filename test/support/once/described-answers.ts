import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import {
  mapValues,
  nameOf,
  type Schema,
} from '../../../src/platform/openapi/description-schemas.js';
import {
  describedHeaders,
  describedRoutes,
  describedSchemas,
  describedWebhookHeaders,
  describedWebhooks,
} from './described-routes.js';

// A worker loads the files of this folder once, so that it compiles each schema only once.

/** An answer of the service to a test. */
export interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty if it is not JSON. */
  readonly text: string;
}

/** A message of the service to a webhook. */
export type Message = Pick<Answer, 'headers'> & { readonly body: string };

/** According to the introductions, any path can answer these problems. */
const anywhere = [405, 408, 413, 414, 415, 431];
/** Headers that are never left out where they are described, at least with this status. */
const certain: Readonly<Record<string, (status: number) => boolean>> = {
  'X-Request-Id': () => true,
  Location: () => true,
  'WWW-Authenticate': (status) => status === 401,
};
/** More fail a test, too, but its message has to stay readable. */
const MOST_FAULTS = 20;

let ajv: Ajv | undefined;
const validators = new WeakMap<Schema, ValidateFunction>();

/** Reads the schemas with the first answer: a test file may describe more until then. */
function compiler(): Ajv {
  if (ajv) return ajv;
  ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  for (const [name, schema] of Object.entries(describedSchemas)) ajv.addSchema(exact(schema), name);
  return ajv;
}

/** In answers, only described properties and values are allowed; clients have to accept others, too. */
function exact(schema: Schema): Schema {
  if ('$ref' in schema) return { $ref: nameOf(schema) };
  const { properties, items, allOf, anyOf, 'x-extensible-enum': values, ...rest } = schema;
  return {
    ...rest,
    ...(values && { enum: rest.nullable ? [...values, null] : [...values] }),
    ...(properties && { additionalProperties: false, properties: mapValues(properties, exact) }),
    ...(items && { items: exact(items) }),
    ...(allOf && { allOf: allOf.map(exact) }),
    ...(anyOf && { anyOf: anyOf.map(exact) }),
  };
}

/** The differences between a value and a schema. */
export function differences(value: unknown, schema: Schema): string[] {
  const validate = validators.get(schema) ?? compiler().compile(exact(schema));
  validators.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
}

const routes = describedRoutes
  .map((route) => ({ ...route, like: patternOf(route.path) }))
  // A path without parameters comes before one that fits it, too.
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length);

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function routeOf({ method, path }: Answer) {
  const asked = path.split('?')[0]!;
  const described = method === 'HEAD' ? 'GET' : method;
  return routes.find((route) => route.method === described && route.like.test(asked));
}

/** Where answers differ from the descriptions. Pages and files for people are not described. */
export function faultsOf(answers: readonly Answer[]): string[] {
  const found = answers.flatMap((answer) => {
    const faults = [...faultsOfBody(answer), ...faultsOfHeaders(answer)];
    if (faults.length === 0) return [];
    const { method, path, status, text } = answer;
    return [`${method} ${path}: ${status}\n  ${faults.join('\n  ')}\n  ${text.slice(0, 1_000)}`];
  });
  return found.slice(0, MOST_FAULTS);
}

function faultsOfBody(answer: Answer): string[] {
  const { method, status, headers, text } = answer;
  const described = routeOf(answer)?.operation.responses;
  if (!described) return [];
  const problem = describedRoutes[0]!.operation.responses[500];
  const response = described[status] ?? (anywhere.includes(status) ? problem : undefined);
  if (!response) return [`The status ${status} is not described.`];
  if (status === 304) return [];
  const type = String(headers['content-type']).split(';')[0]!;
  const schema = response.content?.[type]?.schema;
  if (!schema) return [`The content type ${type} is not described for ${status}.`];
  if (method === 'HEAD' || !isJson(type)) return [];
  return differences(JSON.parse(text), schema);
}

function faultsOfHeaders(answer: Answer): string[] {
  const response = routeOf(answer)?.operation.responses[answer.status];
  if (!response) return [];
  const named = Object.keys(response.headers ?? {});
  return Object.entries(describedHeaders).flatMap(([name, { schema }]) => {
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined) {
      return named.includes(name) && certain[name]?.(answer.status) ? [`${name} is missing.`] : [];
    }
    if (!named.includes(name)) return [`The header ${name} is not described.`];
    const isNumber = schema && 'type' in schema && schema.type === 'integer';
    const faults = schema ? differences(isNumber ? Number(value) : value, schema) : [];
    return faults.map((fault) => `${name}: ${String(value)}${fault}`);
  });
}

/** Where messages differ from those that the document for API clients lists. */
export function faultsOfMessages(messages: readonly Message[]): string[] {
  return messages.flatMap(({ headers, body }) => {
    const message = JSON.parse(body) as { readonly type: string };
    const schema = describedWebhooks.get(message.type);
    const faults = [
      ...(schema ? differences(message, schema) : [`${message.type} is not described.`]),
      ...describedWebhookHeaders.flatMap(({ name, schema }) =>
        schema ? differences(headers[name], schema).map((fault) => `${name}${fault}`) : [],
      ),
    ];
    return faults.length > 0 ? [`Webhook ${body}\n  ${faults.join('\n  ')}`] : [];
  });
}

export function isJson(type: string): boolean {
  return /^application\/(?:\w+\+)?json\b/.test(type);
}
