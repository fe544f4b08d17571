import openapiTypescript, { astToString } from 'openapi-typescript';
import { messagesOf, nameOf, operationsOf } from './described.mjs';

/** The schemas, as types of their names. */
export async function typescriptTypes(document) {
  const options = { rootTypes: true, rootTypesNoSchemaPrefix: true, rootTypesKeepCasing: true };
  return astToString(await openapiTypescript(document, options));
}

/** A class with a method for each operation. */
export function typescriptOperations(document) {
  return `import type { Route } from './client.js';
import type { operations } from './schema.js';
import type * as types from './schema.js';

export type * from './schema.js';

/** Branch on \`type\`; ignore those that you do not know. */
export type WebhookMessage = ${messagesOf(document)
    .map((name) => `types.${name}`)
    .join(' | ')};

/** One method for each operation of the service. */
export abstract class Operations {
  protected abstract send<T>(route: Route, asked: object): Promise<T>;
  protected abstract request(route: Route, asked: object): Promise<Response>;
${operationsOf(document).map(methodsOf).join('')}}
`;
}

function methodsOf(operation) {
  const { json, others, takesCsv, body } = operation;
  const ofJson = `types.${json?.$ref ? nameOf(json.$ref) : 'Problem'}`;
  const accept = `accept: ${others.map((type) => `'${type}'`).join(' | ')}`;
  return [
    ...(json ? [method(operation, '', bodyOf(body), 'send', ofJson)] : []),
    ...(takesCsv
      ? [method(operation, 'FromCsv', ['body: string | Uint8Array'], 'send', ofJson)]
      : []),
    ...(others.length > 0 ? [method(operation, 'As', [accept], 'request', 'Response')] : []),
  ].join('');
}

const bodyOf = (body) =>
  body ? [`body${body.required ? '' : '?'}: types.${nameOf(body.schema.$ref)}`] : [];

function method(
  { id, method, path, doc, parameters, isKeyed, isOnce },
  suffix,
  more,
  send,
  answer,
) {
  const within = (place) => parameters.filter((one) => one.in === place);
  const headers = within('header');
  const fields = [
    ...more,
    ...headers.map(({ identifier }) => `${identifier}?: string`),
    ...(isKeyed ? ['key?: string'] : []),
  ];
  const asked = [
    ...(within('path').length > 0 ? [`operations['${id}']['parameters']['path']`] : []),
    ...(within('query').length > 0
      ? [`NonNullable<operations['${id}']['parameters']['query']>`]
      : []),
    ...(fields.length > 0 ? [`{ ${fields.join('; ')} }`] : []),
  ];
  const isNeeded =
    parameters.some(({ required }) => required) || more.some((one) => !one.includes('?:'));
  const type = asked.join(' & ') || 'Record<string, never>';
  const route = {
    method,
    path,
    ...(isKeyed && { keyed: true }),
    ...(isOnce && { once: true }),
    ...(headers.length > 0 && {
      headers: Object.fromEntries(headers.map(({ identifier, name }) => [identifier, name])),
    }),
  };
  return `
  /** ${doc.replaceAll('*/', '* /')} */
  ${id}${suffix}(asked: ${type}${isNeeded ? '' : ' = {}'}): Promise<${answer}> {
    return this.${send}(${JSON.stringify(route)}, asked);
  }
`;
}
