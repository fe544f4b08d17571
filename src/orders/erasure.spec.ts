import { expect, it } from '@jest/globals';
import { getMetadataArgsStorage } from 'typeorm';
import { freeReasons, personal } from './erasure.service.js';
import { OrderRecord } from './record/order.entity.js';

/** Texts and values that cannot identify a person, or of which erasure keeps the rest. */
const others = [
  'terms',
  'wanted', // Only its description is erased.
  'details', // Only the contact at the site is erased.
  'productCode',
  'productFamily',
  'zone',
  'priceList',
  'preferredDays', // Only its note is erased.
  'amendments', // Erased, and counted as notes.
  'nearest',
  'constraints',
  'cancellation',
  'confirmed',
  'nextActionReason',
  'wokenAction',
  'closeReason',
  'externalReference',
];

it('erases each column of an order that can hold a text about a person', () => {
  const longest = ({ type, length }: { type?: unknown; length?: unknown }) =>
    type === 'varchar' ? Number(length) : type === 'text' || type === 'simple-json' ? Infinity : 0;
  const texts = getMetadataArgsStorage()
    .columns.filter(({ target, options }) => target === OrderRecord && longest(options) > 16)
    .map(({ propertyName }) => propertyName);
  const known: readonly string[] = [...personal, ...others];
  expect(texts.filter((name) => !known.includes(name))).toEqual([]);
  expect(texts).toEqual(expect.arrayContaining(['notes', 'contactName', 'terms']));
});

it('erases the reason of each move that a person gives in their own words', () => {
  expect([...freeReasons]).toEqual(['released', 'reopened']);
});
