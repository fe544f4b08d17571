import type { OpenAPIObject, ParameterObject, RequestBodyObject } from '@nestjs/swagger';
import type { DescribedOperation, Reference } from './reference.js';
import { examplesOf } from './reference-page.js';

/** The collection of all operations, for Postman and for programs that read its format (version 2.1). */
export function postmanCollection({ document, groups }: Reference): object {
  const { title, version, description } = document.info;
  const variable = (key: string, value = '') => ({ key, value, type: 'string' });
  return {
    info: {
      name: title,
      version,
      description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [variable('token', '{{token}}')] },
    variable: [variable('baseUrl', document.servers?.[0]?.url), variable('token')],
    item: groups.map((group) => ({
      name: group.title,
      description: group.description,
      item: group.operations.map((one) => itemOf(one, document)),
    })),
  };
}

function itemOf({ method, path, operation }: DescribedOperation, document: OpenAPIObject): object {
  const { summary, description, security = [] } = operation;
  const parameters = (operation.parameters ?? []) as ParameterObject[];
  const within = (place: string) => parameters.filter((one) => one.in === place);
  const query = within('query').map((one) => ({ ...pairOf(one), disabled: !one.required }));
  const segments = path.split('/').slice(1);
  const { content = {} } = (operation.requestBody ?? {}) as Partial<RequestBodyObject>;
  const { 'application/json': json } = content;
  const body = json && {
    mode: 'raw',
    raw: JSON.stringify(examplesOf(json, document)[0]?.value ?? {}, null, 2),
    options: { raw: { language: 'json' } },
  };
  const header = within('header').map((one) =>
    one.name === 'Idempotency-Key' ? { ...pairOf(one), value: '{{$guid}}' } : pairOf(one),
  );
  const url = {
    raw: `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    host: ['{{baseUrl}}'],
    path: segments.map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1')),
    variable: within('path').map(pairOf),
    query,
  };
  return {
    name: summary,
    request: {
      method,
      description,
      ...(security.length === 0 && { auth: { type: 'noauth' } }),
      header: [...header, ...(body ? [{ key: 'Content-Type', value: 'application/json' }] : [])],
      url,
      ...(body && { body }),
    },
    response: [],
  };
}

function pairOf({ name, example, schema, description }: ParameterObject) {
  const shown: unknown = example ?? (schema as { example?: unknown } | undefined)?.example ?? '';
  return { key: name, value: String(shown), description };
}
