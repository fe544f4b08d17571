import type * as openapi from '@nestjs/swagger';

type OwnSchema = Omit<openapi.SchemaObject, 'example'> & { readonly example?: unknown };
type Described = openapi.SchemaObject | openapi.ReferenceObject;

export interface DescribedCall {
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  readonly scope: string;
  readonly description: string;
  /** Of the parameters and of the body, by name. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** Only what the body has not. */
  readonly inQuery: readonly string[];
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Reads the operations of the description as calls of tools. */
export class DescribedCalls {
  private readonly byId = new Map<string, DescribedCall>();
  private readonly schemas: Readonly<Record<string, Described>>;

  constructor(document: openapi.OpenAPIObject) {
    this.schemas = document.components?.schemas ?? {};
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(
        item as Record<string, openapi.OperationObject>,
      )) {
        const call = this.call(method.toUpperCase(), path, operation);
        this.byId.set(operation.operationId ?? '', call);
      }
    }
  }

  /** @throws {Error} where the description has no such operation */
  get(operationId: string): DescribedCall {
    const call = this.byId.get(operationId);
    if (!call) throw new Error(`The description has no operation ${operationId}.`);
    return call;
  }

  private call(method: string, path: string, operation: openapi.OperationObject): DescribedCall {
    const { summary = '', description = '', parameters = [], requestBody } = operation;
    const own = (parameters as openapi.ParameterObject[]).filter((one) => one.in !== 'header');
    const { content = {} } = (requestBody ?? {}) as Partial<openapi.RequestBodyObject>;
    const body = this.resolve(content['application/json']?.schema ?? {});
    const fields = own.map(({ name, schema = {}, description }) => {
      const described = { ...this.resolve(schema), ...(description && { description }) };
      return [name, this.jsonSchema(described)] as const;
    });
    const ofBody = (this.jsonSchema(body).properties ?? {}) as Record<string, JsonSchema>;
    return {
      method,
      path,
      scope: (operation as { 'x-required-scope'?: string })['x-required-scope'] ?? '',
      summary,
      description: `${summary}. ${description.replaceAll(/\s+/g, ' ').trim()}`,
      properties: {
        ...Object.fromEntries(fields),
        ...ofBody,
      },
      required: [
        ...own.filter((one) => one.required).map(({ name }) => name),
        ...(body.required ?? []),
      ],
      inQuery: own.flatMap((one) => (one.in === 'query' && !(one.name in ofBody) ? one.name : [])),
    };
  }

  private resolve(schema: Described): openapi.SchemaObject {
    if ('$ref' in schema) return this.resolve(this.schemas[schema.$ref.split('/').at(-1)!] ?? {});
    const { allOf: [whole] = [], ...own } = schema;
    return whole ? { ...this.resolve(whole), ...own } : schema;
  }

  /** JSON Schema 2020-12 of a schema of OpenAPI 3.0, without references. */
  private jsonSchema(described: Described): JsonSchema {
    const schema: OwnSchema = this.resolve(described);
    const { nullable, example, items, properties, ...own } = schema;
    const inner = Object.entries(properties ?? {}).map(
      ([name, property]) => [name, this.jsonSchema(property)] as const,
    );
    return {
      ...own,
      ...(nullable && { type: [own.type, 'null'] }),
      ...(example !== undefined && { examples: [example] }),
      ...(items && { items: this.jsonSchema(items) }),
      ...(properties && { properties: Object.fromEntries(inner) }),
    };
  }
}
