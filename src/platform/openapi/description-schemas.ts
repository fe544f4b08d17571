import type { ReferenceObject, SchemaObject, ContentObject } from '@nestjs/swagger';
import { ANY_TEXT } from '../kernel/text.js';
import { XLSX } from '../http/attachment.js';

/** Fields of several schemas. A doc comment has `@kind postcode`; tags after it take precedence. */
const fieldKinds: Readonly<Record<string, Partial<SchemaObject>>> = {
  uuid: { format: 'uuid' },
  reference: { pattern: '^ORD-[0-9A-HJKMNP-TV-Z]{6}$', maxLength: 10, example: 'ORD-7F3K9Q' },
  workReference: {
    pattern: '^(?:ORD|ENQ)-[0-9A-HJKMNP-TV-Z]{6}$',
    maxLength: 10,
    example: 'ORD-7F3K9Q',
  },
  quoteReference: {
    pattern: '^QUO-[0-9A-HJKMNP-TV-Z]{6}$',
    maxLength: 10,
    example: 'QUO-7F3K9Q',
  },
  quoteLine: { pattern: '^[1-9][0-9]{0,3}$', maxLength: 4, example: '7' },
  clientReference: { maxLength: 64, example: 'PO-4711' },
  check: { pattern: '^[0-9A-HJKMNP-TV-Z]{10}$', maxLength: 10, example: 'KR3FVJ7P2M' },
  postcode: {
    pattern: '^[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}$',
    maxLength: 8,
    example: 'EC2A 2BS',
  },
  uprn: { pattern: '^[1-9][0-9]{0,11}$', maxLength: 12, example: '100023336956' },
  product: { pattern: '^[A-Z0-9][A-Z0-9-]*$', maxLength: 32, example: 'INT-1G-12' },
  // In front of a zone of a supplier is its code: `pxc:CITY`.
  zone: {
    pattern: '^([a-z0-9-]+:)?[A-Z0-9][A-Z0-9-]*$',
    maxLength: 64,
    example: 'LONDON-ONNET',
  },
  interconnect: { pattern: '^[A-Z0-9][A-Z0-9-]*$', maxLength: 32, example: 'NNI-LON1' },
  priceList: { pattern: '^[a-z0-9][a-z0-9-]*$', maxLength: 32, example: 'standard' },
  currency: { pattern: '^[A-Z]{3}$', maxLength: 3, example: 'GBP' },
  reason: { pattern: '^[a-z]+(_[a-z]+)*$', maxLength: 32, example: 'price' },
  count: { format: 'int32', minimum: 0, maximum: 2_147_483_647 },
  allowance: { format: 'int32', minimum: 1, maximum: 10_000_000 },
  person: { maxLength: 120, example: 'Ada Lovelace' },
  email: { format: 'email', maxLength: 254, example: 'ada@example.com' },
  phone: { maxLength: 40, example: '+44 20 7946 0958' },
  cursor: {
    pattern: '^[A-Za-z0-9_-]+$',
    maxLength: 100,
    example: 'MTc5NTI1MzQwMDAwMCAwMTlhOWI1ZS03YzFkLTdjM2EtOWQyZi01YjFlNmE3YzhkOTA',
  },
};

/** Examples for fields without one, by format or type. */
const defaultExamples: Readonly<Record<string, unknown>> = {
  uuid: '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90',
  date: '2026-11-21',
  'date-time': '2026-11-21T09:30:00.000Z',
  boolean: false,
  integer: 1,
  number: 1,
};

function defaultExample({ type, ...schema }: SchemaObject, keywords: Partial<SchemaObject>) {
  const format = keywords.format ?? schema.format ?? '';
  return defaultExamples[format] ?? defaultExamples[String(type)];
}

type ValueSchema = SchemaObject & {
  /** The values that there are today. */
  readonly 'x-extensible-enum'?: readonly unknown[];
};
export type Schema = ValueSchema | ReferenceObject;
export type Schemas = Record<string, Schema>;

/**
 * Tags of doc comments that the compiler plugin does not read: after the text and before any `@example`,
 * as in `The code. @maxLength 8`. The plugin leaves them in the description.
 */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  /** Names of schemas: the value, or each item, is one of these. */
  anyOf: namedSchemas,
  /** The name of the value's schema, where its type cannot be imported. */
  allOf: namedSchemas,
  enumName: String,
  /** JSON; the plugin has read those of doc comments. */
  example: (text) => JSON.parse(text) as unknown,
  format: String,
  pattern: String,
  minLength: Number,
  maxLength: Number,
  minimum: Number,
  maximum: Number,
  maxItems: Number,
};

/** The length that a format implies. */
const lengthOf: Readonly<Record<string, number>> = { uuid: 36, date: 10, 'date-time': 24 };

type Keywords = Partial<SchemaObject> & { enumName?: string };

/** Completes the plugin's schemas. Named enumerations become schemas. */
export class SchemaFinisher {
  private readonly enums: Record<string, SchemaObject> = {};
  /** Those that are only named so far. */
  private readonly unexplained = new Map<string, SchemaObject>();

  constructor(private readonly plugins: Schemas) {}

  /** All schemas, sorted by name. */
  finishAll(): Schemas {
    const finished = mapValues(this.plugins, (schema) => this.finish(schema));
    for (const [name, schema] of this.unexplained) {
      if (!(name in this.enums)) throw unexplained(schema, ` with @enumName ${name}`);
    }
    return sorted({ ...finished, ...this.enums });
  }

  finish(schema: Schema): Schema {
    if ('$ref' in schema) return schema;
    const { text, keywords } = readComment(schema.description ?? '');
    const described: SchemaObject = { description: text, ...schema };
    if (text === '') delete described.description;
    else described.description = text;
    if (schema.properties) {
      const properties = mapValues(schema.properties, (property) => this.finish(property));
      return { ...described, properties };
    }
    if (schema.type === 'array' && schema.items) {
      const { maxItems, ...ofItems } = keywords;
      const items = this.withKeywords(schema.items, ofItems, text);
      return { ...described, ...(maxItems !== undefined && { maxItems }), items };
    }
    return this.withKeywords(described, keywords);
  }

  /** @param explanation the words about the values of an enumeration, if they are not its own */
  private withKeywords(
    schema: Schema,
    { enumName, ...keywords }: Keywords,
    explanation?: string,
  ): Schema {
    if ('$ref' in schema) return schema;
    const example: unknown = schema.example ?? keywords.example ?? defaultExample(schema, keywords);
    const whole: SchemaObject = {
      ...schema,
      ...keywords,
      ...(example !== undefined && { example }),
    };
    if (keywords.anyOf ?? keywords.allOf) delete whole.type;
    if (whole.nullable && whole.allOf) return this.nullableObject(whole);
    if (whole.format === 'int32') whole.type = 'integer';
    const maxLength = lengthOf[whole.format ?? ''];
    if (maxLength !== undefined) whole.maxLength = maxLength;
    if (!whole.enum) return whole;
    return enumName === undefined ? inOrder(whole, explanation) : this.namedEnum(whole, enumName);
  }

  /** The enumeration takes the description that explains every value. */
  private namedEnum(schema: SchemaObject, name: string): Schema {
    const reference = { $ref: `#/components/schemas/${name}` };
    if (explains(schema, schema.description)) {
      this.enums[name] = inOrder(schema);
      return reference;
    }
    this.unexplained.set(name, schema);
    const { description } = schema;
    return description === undefined ? reference : { description, allOf: [reference] };
  }

  /** Inlines the schema: OpenAPI 3.0 allows no null next to a reference. */
  private nullableObject({ allOf, ...rest }: SchemaObject): Schema {
    const target = this.plugins[nameOf(allOf?.[0])];
    return { ...(target && this.finish(target)), ...rest };
  }
}

function namedSchemas(text: string): ReferenceObject[] {
  return text.split(' ').map((name) => ({ $ref: `#/components/schemas/${name}` }));
}

function readComment(description: string): { text: string; keywords: Keywords } {
  const [text = '', ...tags] = description.split(/(?:^|\s)@(?=\w)/);
  const keywords = tags.map((tag): Keywords => {
    const [, name = '', value = ''] = /^(\w+)\s*(.*?)\s*$/s.exec(tag) ?? [];
    if (name === 'kind') return kindNamed(value);
    const read = readers[name];
    if (!read) throw new Error(`Unknown doc comment tag @${name}.`);
    return { [name]: read(value) };
  });
  return { text: unwrap(text), keywords: Object.assign({}, ...keywords) as Keywords };
}

function kindNamed(name: string): Keywords {
  const kind = fieldKinds[name];
  if (!kind) throw new Error(`Unknown @kind ${name}.`);
  return kind;
}

/** A paragraph or list item as one line. */
export function unwrap(text: string): string {
  return text.replaceAll(/(?<!\n)\n(?!\n|- ) */g, ' ').trim();
}

const quoted = (value: unknown) => `\`${String(value)}\``;

function explains({ enum: values = [] }: SchemaObject, description = ''): boolean {
  return values.every((value) => description.includes(quoted(value)));
}

function unexplained({ enum: values = [] }: SchemaObject, tag = ''): Error {
  return new Error(`A doc comment${tag} must explain each of ${values.map(quoted).join(', ')}.`);
}

/** The compiler loses the order of a union's members, so the description gives it. The first is the example. */
function inOrder(schema: SchemaObject, description = schema.description ?? ''): SchemaObject {
  const { type, enum: values = [], ...rest } = schema;
  if (!explains(schema, description)) throw unexplained(schema);
  const place = (value: unknown) => description.indexOf(quoted(value));
  const ordered = [...(values as unknown[])].sort((a, b) => place(a) - place(b));
  const allowed = rest.nullable ? [...ordered, null] : ordered;
  // The compiler's plugin gives type and values in either order.
  return { example: ordered[0], ...rest, ...(type && { type }), enum: allowed };
}

/** With nine decimals and an offset: 2026-11-21T09:30:00.123456789+01:00. */
const LONGEST_INSTANT = 35;
/** The schema for a request: instants have more forms there, and texts must not contain NUL. */
export function asSent(schema: Schema): Schema {
  if ('$ref' in schema) return schema;
  const { properties, items, type, format, pattern } = schema;
  if (properties) return { ...schema, properties: mapValues(properties, asSent) };
  if (items) return { ...schema, items: asSent(items) };
  if (type !== 'string' || schema.enum) return schema;
  if (format === 'date-time') return { ...schema, maxLength: LONGEST_INSTANT };
  return format === undefined && pattern === undefined ? { ...schema, pattern: ANY_TEXT } : schema;
}

/** What every value of an enumeration is like, also one that is added later. */
const anyValue = { pattern: '^[A-Za-z0-9][A-Za-z0-9._ -]*$', maxLength: 64 };

/**
 * The schema for a response: enumerations may gain values there. Generators take `x-extensible-enum` for any
 * text, so that a client made today can read a value that is added later.
 */
export function asAnswered(schema: Schema): Schema {
  if ('$ref' in schema) return schema;
  const { properties, items, enum: values, ...rest } = schema;
  if (properties) return { ...schema, properties: mapValues(properties, asAnswered) };
  if (items) return { ...schema, items: asAnswered(items) };
  if (!values) return schema;
  const known = (values as unknown[]).filter((value) => value !== null);
  // One value is a constant.
  return known.length === 1 ? schema : { ...rest, ...anyValue, 'x-extensible-enum': known };
}

/** The name in a reference; empty for other schemas. */
export function nameOf(schema: Schema | undefined): string {
  return schema && '$ref' in schema ? schema.$ref.replace('#/components/schemas/', '') : '';
}

/** The names of all schemas to which `part` of the document refers. */
export function schemasUnder(part: unknown, schemas: Schemas, found = new Set<string>()) {
  const references = JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  for (const [, name] of references) {
    if (name === undefined || found.has(name)) continue;
    found.add(name);
    schemasUnder(schemas[name], schemas, found);
  }
  return found;
}

/** Combines the examples of the schema's parts. */
export function exampleOf(schema: Schema | undefined, schemas: Schemas): unknown {
  if (!schema) return undefined;
  if ('$ref' in schema) return exampleOf(schemas[nameOf(schema)], schemas);
  if (schema.example !== undefined) return schema.example as unknown;
  if (schema.allOf) return exampleOf(schema.allOf[0], schemas);
  if (schema.items) return [exampleOf(schema.items, schemas)];
  if (schema.properties) {
    return mapValues(schema.properties, (property) => exampleOf(property, schemas));
  }
  return schema.enum?.[0] as unknown;
}

export function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** Characters of a body in CSV. */
const LONGEST_CSV = 10_000_000;

/** A body as CSV, beside JSON. */
export function csv(example: string | undefined): ContentObject {
  if (example === undefined) return {};
  return {
    'text/csv': { schema: { type: 'string', maxLength: LONGEST_CSV, pattern: ANY_TEXT }, example },
  };
}

/** A list may also be a workbook. */
export function workbook(isTaken: boolean): ContentObject {
  const schema = { type: 'string', maxLength: LONGEST_CSV, format: 'binary' };
  return isTaken ? { [XLSX]: { schema } } : {};
}

export function pdf(isSent: true | undefined): ContentObject {
  const schema = { type: 'string', maxLength: LONGEST_CSV, format: 'binary' };
  return isSent ? { 'application/pdf': { schema } } : {};
}
