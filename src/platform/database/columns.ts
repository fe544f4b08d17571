import type { ColumnOptions } from 'typeorm';
import { jsonForm } from '../kernel/stored-form.js';

/** Column types with the same meaning on SQLite and PostgreSQL. Entities use no others. */
export const column = {
  /** UUID, lower case. */
  uuid: { type: 'uuid' },
  /** At most `length` characters. */
  text: (length: number) => ({ type: 'varchar', length: String(length) }),
  /** Of any length. */
  longText: { type: 'text' },
  integer: { type: 'integer' },
  /** Up to 2^53. */
  bigInteger: {
    type: 'bigint',
    transformer: {
      to: (value: unknown) => value,
      from: (value: string | number | null) => (value === null ? null : Number(value)),
    },
  },
  boolean: { type: 'boolean' },
  /** Money in minor units of its currency (pence). */
  money: { type: 'integer' },
  /** Milliseconds since 1970-01-01T00:00Z; a Date in the entity. */
  instant: {
    type: 'bigint',
    transformer: {
      to: (value: unknown) => (value instanceof Date ? value.getTime() : value),
      from: (value: string | number | null) => (value === null ? null : new Date(Number(value))),
    },
  },
  /** Never queried by its contents. */
  json: { type: 'simple-json', transformer: jsonForm },
  /** Stored as base64. */
  bytes: {
    type: 'text',
    transformer: {
      to: (value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
      from: (value: string | null) => (value === null ? null : Buffer.from(value, 'base64')),
    },
  },
} as const satisfies Record<string, ColumnOptions | ((length: number) => ColumnOptions)>;

/** The same column, but it may hold NULL. */
export const optional = <T extends ColumnOptions>(options: T) =>
  ({ ...options, nullable: true }) as const;
