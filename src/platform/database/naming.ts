import { DefaultNamingStrategy, type Table } from 'typeorm';

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Columns in snake_case. Entities name indexes and constraints. */
export class SnakeNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? snake(propertyName);
  }

  override primaryKeyName(table: Table | string): string {
    return `pk_${typeof table === 'string' ? table : table.name}`;
  }
}
