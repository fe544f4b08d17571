import { describe, expect, it } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import type { MoveField } from '../../orders/moves/move-fields.js';
import { MovesController } from './moves.controller.js';
import { moveRules, type StaffMove } from '../../orders/moves/move-rules.js';
import {
  Assignment,
  StaffCancellation,
  ContactLog,
  DuplicateMark,
  HandOver,
  Loss,
  Reasoned,
  Schedule,
  Seen,
  SeenWithNote,
  Win,
} from '../../orders/staff/moves.dto.js';

/** The body of each move in the JSON API. */
const bodies: Readonly<Record<StaffMove, new () => object>> = {
  claim: Seen,
  assign: Assignment,
  logContact: ContactLog,
  schedule: Schedule,
  resume: SeenWithNote,
  handOver: HandOver,
  release: Reasoned,
  win: Win,
  lose: Loss,
  duplicate: DuplicateMark,
  cancel: StaffCancellation,
  reopen: Reasoned,
};

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

describe('the body of a move in the API', () => {
  it.each(Object.keys(bodies) as StaffMove[])(
    'has the fields, limits and codes that the table of moves declares: %s',
    (name) => {
      const carried = Object.entries<MoveField>(moveRules[name].carries);
      expect(validated(bodies[name])).toEqual({
        version: { optional: false },
        ...Object.fromEntries(carried.map(([key, field]) => [key, declared(field)])),
      });
    },
  );
});

describe('the routes of moves', () => {
  it('are one for each move of the table', () => {
    const handlers = Object.values(Object.getOwnPropertyDescriptors(MovesController.prototype));
    const paths = handlers.map(
      ({ value }) => Reflect.getMetadata('path', value as object) as string,
    );
    expect(paths).toEqual(
      expect.arrayContaining(
        Object.keys(bodies).map((name) => `orders/:orderId/${moveRules[name as StaffMove].path}`),
      ),
    );
  });
});
