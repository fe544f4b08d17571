import { describe, expect, it } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import type { MoveField } from '../moves/move-fields.js';
import { moveRules, type StaffMove } from '../moves/move-rules.js';
import { moveBodies, movesOfMany, orderMoves } from './move-bodies.js';

/** From the validators: whether the field is optional, its limit or its codes. */
function validated(body: new () => object) {
  const fields: Record<string, { optional: boolean; limit?: number; codes?: string[] }> = {};
  const rules = getMetadataStorage().getTargetValidationMetadatas(body, '', true, false);
  for (const { propertyName, name, type, constraints } of rules) {
    const field = (fields[propertyName] ??= { optional: false });
    const [argument] = (constraints ?? []) as unknown[];
    if (type === 'conditionalValidation') field.optional = true;
    if (name === 'maxLength') field.limit = argument as number;
    if (name === 'isIn') field.codes = argument as string[];
  }
  return fields;
}

function declared(field: MoveField) {
  return {
    optional: field.missing === undefined,
    ...((field.kind === 'text' || field.kind === 'long') && { limit: field.longest }),
    ...(field.kind === 'choice' && { codes: Object.keys(field.names) }),
  };
}

const names = Object.keys(moveBodies) as StaffMove[];

describe('the body of a move in the API', () => {
  it.each(names)(
    'has the fields, limits and codes that the table of moves declares: %s',
    (name) => {
      const carried = Object.fromEntries(
        Object.entries<MoveField>(moveRules[name].carries).map(([key, field]) => [
          key,
          declared(field),
        ]),
      );
      const move = { optional: false, codes: [name] };
      const required = { optional: false };
      expect(validated(orderMoves.types[name]!)).toEqual({ move, version: required, ...carried });
      expect(validated(movesOfMany.types[name]!)).toEqual({ move, orders: required, ...carried });
    },
  );

  it('is there for each move of the table with a route', () => {
    const all = Object.entries(moveRules).flatMap(([name, rule]) => ('path' in rule ? name : []));
    expect([...names].sort()).toEqual(all.sort());
    expect(Object.keys(orderMoves.types).sort()).toEqual([...all, 'note', 'undo'].sort());
  });
});
