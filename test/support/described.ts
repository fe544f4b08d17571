import type { SchemaObject } from '@nestjs/swagger';
import {
  nameOf,
  type Schema,
  type Schemas,
} from '../../src/platform/openapi/description-schemas.js';

type Departures = (value: unknown, schema: Schema, at?: string) => string[];

/** Reports where a value differs from a schema, including unknown properties. */
export function departuresFrom(schemas: Schemas): Departures {
  return departures;

  function departures(value: unknown, schema: Schema, at = ''): string[] {
    if ('$ref' in schema) return departures(value, schemas[nameOf(schema)] ?? {}, at);
    const { allOf, anyOf, properties, items, required = [], nullable, type } = schema;
    if (allOf?.[0]) return departures(value, allOf[0], at);
    if (anyOf) {
      const each = anyOf.map((one) => departures(value, one, at));
      return each.find((faults) => faults.length === 0) ?? each.flat();
    }
    if (value === null) return nullable ? [] : [`${at} is null`];
    if (items) {
      const rows = Array.isArray(value) ? (value as unknown[]) : [`${at} is no array`];
      return rows.flatMap((row, i) => departures(row, items, `${at}/${i}`));
    }
    if (properties) {
      const fields = Object.entries(value as object);
      const missing = required.filter((name) => !(name in (value as object)));
      return [
        ...missing.map((name) => `${at}/${name} is missing`),
        ...fields.flatMap(([name, field]) => {
          const known = properties[name];
          return known ? departures(field, known, `${at}/${name}`) : [`${at}/${name} is unknown`];
        }),
      ];
    }
    const isType = type === 'integer' ? Number.isInteger(value) : typeof value === type;
    return isType && isWithin(value, schema) ? [] : [`${at} is ${JSON.stringify(value)}`];
  }
}

const formats: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  uri: /^(https?:\/\/|urn:)/,
  'json-pointer': /^(\/.*)?$/,
  email: /^\S+@\S+$/,
};

function isWithin(value: unknown, schema: SchemaObject): boolean {
  const { minimum = -Infinity, maximum = Infinity, maxLength = Infinity, pattern, format } = schema;
  if (schema.enum && !schema.enum.includes(value)) return false;
  if (typeof value === 'number') return value >= minimum && value <= maximum;
  if (typeof value !== 'string') return true;
  const shape = pattern === undefined ? formats[format ?? ''] : new RegExp(pattern);
  return value.length <= maxLength && (shape?.test(value) ?? true);
}
