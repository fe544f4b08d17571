/**
 * Needs a separate module: ids never go back to before the latest one, and other test files move the time.
 * @jest-environment node
 */
import { expect, test } from '@jest/globals';
import { validate, version } from 'uuid';
import { newId } from './new-id.js';

const ids = Array.from({ length: 5_000 }, newId);

test('ids are UUIDs of version 7', () => {
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
});

test('a later id sorts later', () => {
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
});

test('an id contains its time of creation', () => {
  const before = Date.now();
  const time = parseInt(newId().replace('-', '').slice(0, 12), 16);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
});

test('the bits after the time are random', () => {
  const ends = ids.map((id) => id.slice(-11));
  expect(new Set(ends).size).toBe(ids.length);
});
