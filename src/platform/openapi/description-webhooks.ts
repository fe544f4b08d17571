import type { OperationObject, ParameterObject } from '@nestjs/swagger';
import { nameOf, type Schemas } from './description-schemas.js';

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

export const webhookHeaders: Readonly<Record<string, ParameterObject>> = Object.fromEntries(
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
export function webhooksOf(messages: readonly string[], schemas: Schemas): DescribedWebhooks {
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
