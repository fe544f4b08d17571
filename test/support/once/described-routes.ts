import type {
  HeaderObject,
  OpenAPIObject,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
} from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { documentNames } from '../../../src/platform/openapi/documents.js';
import type { DescribedWebhooks } from '../../../src/platform/openapi/description.js';
import type { Operation } from '../../../src/platform/openapi/description-problems.js';
import type { Schemas } from '../../../src/platform/openapi/description-schemas.js';

export interface DescribedRoute {
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly operation: Operation & { readonly responses: Record<string, ResponseObject> };
}

/** Both committed documents. */
export const committed: readonly { name: string; text: string; document: OpenAPIObject }[] =
  Object.values(documentNames).map((name) => {
    const text = readFileSync(`${name}.json`, 'utf8');
    return { name, text, document: JSON.parse(text) as OpenAPIObject };
  });

/** Every operation of a document, with references to shared responses resolved. */
export function routesOf({ paths, components }: OpenAPIObject): DescribedRoute[] {
  const whole = (response: unknown): ResponseObject => {
    const [, name] = /^#\/components\/responses\/(\w+)$/.exec(
      (response as { $ref?: string }).$ref ?? '',
    ) ?? [undefined, undefined];
    return (name === undefined ? response : components?.responses?.[name]) as ResponseObject;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => {
      const responses = Object.entries(operation.responses).map(
        ([status, response]) => [status, whole(response)] as const,
      );
      return {
        method: method.toUpperCase(),
        path,
        operation: { ...operation, responses: Object.fromEntries(responses) },
      };
    }),
  );
}

/** The operations of both documents. */
export const describedRoutes = committed.flatMap(({ document }) => routesOf(document));

/** The schemas of both documents. Shared ones are equal. */
export const describedSchemas = Object.assign(
  {},
  ...committed.map(({ document }) => document.components?.schemas),
) as Schemas;

/** The headers of both documents. Shared ones are equal. */
export const describedHeaders = Object.assign(
  {},
  ...committed.map(({ document }) => document.components?.headers),
) as Record<string, HeaderObject>;

const clients = committed[0]!.document as OpenAPIObject & DescribedWebhooks;
const { post } = clients['x-webhooks'].message;
const { schema } = (post.requestBody as RequestBodyObject).content['application/json']!;

/** The schemas of webhooks, by type. */
export const describedWebhooks = new Map(
  Object.entries((schema as SchemaObject).discriminator!.mapping!).map(([type, $ref]) => [
    type,
    { $ref },
  ]),
);

/** The headers of webhooks. */
export const describedWebhookHeaders = Object.values(
  clients.components!.parameters!,
) as ParameterObject[];
