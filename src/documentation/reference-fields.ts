import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { escapeHtml, ANY_TEXT } from '../platform/kernel/text.js';
import { renderInline } from './markdown.js';

type DescribedSchema = SchemaObject | ReferenceObject;

/** One row of a table of fields. Texts other than the example are HTML. */
export interface Field {
  /** With the names of the objects and lists around it: `results[].postcode`. */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly limits: readonly string[];
  readonly description: string;
  readonly example: unknown;
}

/** The largest int32: the description writes it where there is no limit. */
const UNBOUNDED = 2_147_483_647;

/** The last segment of a reference. */
export function nameIn(part: object | undefined): string {
  return part && '$ref' in part ? String(part.$ref).replace(/^.*\//, '') : '';
}

/** Reads the schemas of a document. */
export class SchemaReader {
  constructor(private readonly schemas: Readonly<Record<string, DescribedSchema>>) {}

  /** The fields of an object and of the objects in it, in the order of the document. */
  fieldsOf(schema: DescribedSchema | undefined, around = ''): Field[] {
    const { properties = {}, required = [] } = schema ? this.resolve(schema) : {};
    return Object.entries(properties).flatMap(([key, property]) => {
      const own = this.resolve(property);
      const isRequired = required.includes(key);
      return [
        this.field(around + key, own, isRequired),
        ...this.fieldsWithin(own, `${around}${key}`),
      ];
    });
  }

  /** The name of the schema, or of its items. */
  static nameOf(schema: DescribedSchema | undefined): string {
    return nameIn(schema) || (schema && 'items' in schema ? nameIn(schema.items) : '');
  }

  field(name: string, schema: DescribedSchema, isRequired: boolean): Field {
    const own = this.resolve(schema);
    const description = renderInline(own.description ?? '');
    const type = this.typeOf(own) + (own.nullable ? ' or null' : '');
    return { name, type, isRequired, description, limits: limitsOf(own), example: own.example };
  }

  private fieldsWithin(schema: SchemaObject, name: string): Field[] {
    if (!schema.items) return this.fieldsOf(schema, `${name}.`);
    const items = this.resolve(schema.items);
    return this.fieldsWithin(this.alternativesOf(items)[0] ?? items, `${name}[]`);
  }

  /** Of several schemas, those that are no problems: the page of errors explains these. */
  private alternativesOf({ anyOf = [] }: SchemaObject): SchemaObject[] {
    return anyOf.filter((one) => !/Problem$/.test(nameIn(one))).map((one) => this.resolve(one));
  }

  private typeOf(schema: SchemaObject): string {
    if (schema.items) return `array of ${this.typeOf(this.resolve(schema.items))}s`;
    const { type, format, anyOf } = schema;
    if (anyOf) return 'object';
    return formatNames[format ?? ''] ?? String(type ?? 'object');
  }

  /** The schema itself. Next to `allOf`, which has one entry, the document describes the use. */
  private resolve(schema: DescribedSchema): SchemaObject {
    if ('$ref' in schema) return this.resolve(this.schemas[nameIn(schema)] ?? {});
    const { allOf: [whole] = [], ...own } = schema;
    return whole ? { ...this.resolve(whole), ...own } : schema;
  }
}

const formatNames: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  date: 'date',
  'date-time': 'timestamp',
  email: 'email address',
  uri: 'URL',
  binary: 'file',
};

function limitsOf(schema: SchemaObject): string[] {
  const { format, pattern, minLength, maxLength, minimum, maximum, maxItems } = schema;
  const isFixed = ['uuid', 'date', 'date-time', 'binary'].includes(format ?? '');
  const known = (schema as { 'x-extensible-enum'?: unknown[] })['x-extensible-enum'];
  const values = (schema.enum as unknown[] | undefined)?.filter((value) => value !== null);
  const standard: unknown = schema.default;
  const code = (value: unknown) => `<code>${escapeHtml(String(value))}</code>`;
  return [
    ...(values ? [`one of ${values.map(code).join(', ')}`] : []),
    ...(known ? [`${known.map(code).join(', ')}; more may follow`] : []),
    ...(isFixed || known || values ? [] : rangeOf(minLength, maxLength, ' characters')),
    ...rangeOf(minimum, maximum),
    ...rangeOf(undefined, maxItems, ' items'),
    ...(pattern && pattern !== ANY_TEXT && !known ? [`pattern ${code(pattern)}`] : []),
    ...(standard === undefined ? [] : [`default ${code(standard)}`]),
  ];
}

function rangeOf(least: number | undefined, most = UNBOUNDED, unit = ''): string[] {
  const number = (value: number) => value.toLocaleString('en-GB');
  if (most !== UNBOUNDED) {
    return [`${least === undefined ? 'up' : number(least)} to ${number(most)}${unit}`];
  }
  return least === undefined ? [] : [`at least ${number(least)}${unit}`];
}

/** A table of fields; empty where there are none. A response says only what may be absent. */
export function fieldTable(
  fields: readonly Field[],
  caption: string,
  use: 'request' | 'response',
): string {
  if (fields.length === 0) return '';
  const rows = fields.map(({ name, type, isRequired, limits, description, example }) => {
    const isPlain = ['string', 'number', 'boolean'].includes(typeof example);
    const about = [
      description,
      limits.length > 0 ? `<span class="limits">${limits.join('; ')}</span>` : '',
      isPlain
        ? `<span class="limits">Example: <code>${escapeHtml(String(example))}</code></span>`
        : '',
    ];
    const required = use === 'request' ? '<span class="required">required</span>' : '';
    const types = [type, isRequired ? required : '<span class="limits">optional</span>'];
    const cells = [types, about].map((lines) => `<td>${lines.filter(Boolean).join('<br>')}</td>`);
    const heading = escapeHtml(name).replaceAll('.', '.<wbr>');
    return `<tr><th scope="row"><code>${heading}</code></th>${cells.join('')}</tr>\n`;
  });
  return `<div class="scroll" tabindex="0"><table class="fields">
<caption>${caption}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>
${rows.join('')}</tbody>
</table></div>
`;
}
