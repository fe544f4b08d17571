import { describe, expect, it } from '@jest/globals';
import { Column, Entity, getMetadataArgsStorage, Index, PrimaryColumn } from 'typeorm';
import { BySide, LIVE, SANDBOX, tableNameOn, tableOn, WithSandbox } from './sides.js';

abstract class BoxColumns {
  @PrimaryColumn({ type: 'integer' })
  id: number;

  @Column({ type: 'integer' })
  size: number;
}

@WithSandbox('ix_boxes_size')
@Entity({ name: 'boxes' })
@Index('ix_boxes_size', ['size'], { where: '"size" > 0' })
@Index('ix_boxes_live_only', ['size', 'id'])
class Box extends BoxColumns {}

describe('an entity with a sandbox', () => {
  it('has a second table, with the columns and the indexes that it names', () => {
    const sandbox = tableOn(Box, SANDBOX);
    const { tables, indices } = getMetadataArgsStorage();
    expect(tables.filter(({ target }) => target === sandbox)).toMatchObject([
      { name: tableNameOn('boxes', SANDBOX) },
    ]);
    expect(indices.filter(({ target }) => target === sandbox)).toMatchObject([
      { name: 'ix_test_boxes_size', columns: ['size'], where: '"size" > 0' },
    ]);
    expect(new sandbox()).toBeInstanceOf(BoxColumns);
    expect(new sandbox()).not.toBeInstanceOf(Box);
  });

  it('is itself the live table', () => {
    expect([tableOn(Box, LIVE), tableNameOn('boxes', LIVE)]).toEqual([Box, 'boxes']);
  });
});

it('an entity without a sandbox has no table of tests', () => {
  expect(() => tableOn(BoxColumns as new () => BoxColumns, SANDBOX)).toThrow(
    'BoxColumns has no table of tests.',
  );
});

it('keeps a value for each side', () => {
  const names = new BySide((side) => (side.isTest ? 'sandbox' : 'live'));
  expect([names.of(LIVE), names.of(SANDBOX), names.both]).toEqual([
    'live',
    'sandbox',
    ['live', 'sandbox'],
  ]);
});
